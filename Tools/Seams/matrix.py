"""Lane `matrix`: each kind of rewrite, beside each companion, with no to five writes of other processes afterwards.

Unit n is the pair n modulo 64; how many writes follow is drawn by seed for the first round, and each other number comes in
the rounds after it. Six rounds have all of them.
"""
import os
import random
import signal
import time

import companions
import rewrites
from unit import list_of, only_holes
from witness import exported, some

PAIRS = [(rewrite, companion) for rewrite in rewrites.ALL for companion in companions.ALL]
WRITES = 6


def units(options):
    return len(PAIRS) * WRITES * options.rounds if options.long else len(PAIRS)


class Expectations:
    """What the companions of a unit may expect."""

    def __init__(self, unit, rewrite):
        self.unit, self.is_healthy = unit, rewrite.is_healthy
        self.keeps_traces, self.codes_of_past = rewrite.keeps_traces, rewrite.codes_of_past
        self.going, self.erased_fields, self.later, self.position = set(), [], [], 0
        # How many events are said to be lost, how many of them came after the damage, and when that was.
        self.lost, self.lost_later, self.damaged = 0, 0, float("inf")

    def look(self, ended):
        """Fails where a command takes a log for damaged that nobody has damaged."""
        if ended.is_temporary or ended.code in (65, 78):
            self.unit.fail("recovery", f"a healthy log is taken for damaged: {ended}")


def run(unit, control=None):
    kind, companion = PAIRS[unit.number % len(PAIRS)]
    if control:
        kind, companion = ("erase", "list") if control != "signal" else ("unarchive", "watch")
    drawn = random.Random(f"{unit.options.seed} later {unit.number % len(PAIRS)}").randrange(WRITES)
    later = (drawn + unit.number // len(PAIRS)) % WRITES
    unit.what = f"{kind} beside {companion}, {later} writes later"
    device = unit.device()
    unit.made(device, 120, 4)
    if companion == "sync" or kind in ("clear", "synced"):
        remote = os.path.join(unit.folder, "remote")
        unit.need(device.run("remote", "add", "club", f"file://{remote}"))
        unit.need(device.run("sync"))
    rewrite = rewrites.ALL[kind](unit, device)
    expects = Expectations(unit, rewrite)
    rewrite.prepare(expects)
    expects.position = device.run("info").json.get("position", 0)
    if companion == "past" and not expects.position:
        unit.fail("broken", "info says no position")
    beside = companions.ALL[companion](unit, device, expects)
    # Beside a recovery it ends in all of its stages.
    stage = unit.generator.choice(("waiting", "decided", "afterwards"))
    expects.ended = False

    def end(now):
        if now == stage and not expects.ended or now == "end" and not expects.ended:
            expects.ended = True
            unit.journal.say(f"it ends ({now})")
            beside.finish()

    expects.reached = end
    beside.begin()
    time.sleep(unit.generator.random() * 0.05)
    rewrite.carry_out(expects)
    for _ in range(later):
        ended = unit.sound(unit.witness.add(device, unit.generator))
        if rewrite.is_healthy:
            expects.look(ended)
        if ended.done:
            expects.later.append(max(unit.witness.acknowledged, key=unit.witness.acknowledged.get))
        if not ended.done and ended.code != 75:
            unit.fail("refused", f"a write behind the rewrite: {ended}")
    if control == "signal":
        beside.running.process.send_signal(signal.SIGSEGV)
    if not expects.ended:
        beside.middle()
    rewrite.follow(expects)
    end("end")
    rewrite.follow(expects)
    if control:
        plant(control, unit, device, expects)
    judge(unit, device, rewrite, expects)
    beside.check()


def plant(control, unit, device, expects):
    """Does, behind the witness's back, what must be found."""
    if control == "lost":
        unit.need(device.run("qso", "remove", sorted(unit.witness.contacts)[0]))
    if control == "back":
        unit.need(device.run("qso", "add", "N0CALL", "BAND=40m", "MODE=CW",
                             f"COMMENT={expects.erased_fields[0]['CALL']}"))
    if control == "recovery":
        rewrites.lose_page(unit, device)
        rewrites.kill(device)


def judge(unit, device, rewrite, expects):
    """All that must be so in the end, whatever was done."""
    rewrite.gather()
    ended, contacts = list_of(device)
    unit.sound(ended)
    if rewrite.is_healthy:
        expects.look(ended)
        if os.path.exists(device.path("ContainerInitFailure.json")):
            unit.fail("recovery", "a healthy log waits in recovery")
    elif ended.is_temporary:
        unit.fail("guidance", f"recovery still waits after its guidance was followed: {ended}")
    missing = [call for call in unit.witness.missing(contacts) if not rewrite.excuses(call)]
    late = [call for call in missing if unit.witness.acknowledged[call] > expects.damaged]
    if late and len(late) > expects.lost_later:
        unit.fail("gone", f"{len(late)} contacts were acknowledged after the damage ({some(late)}), are not there, and "
                          f"{expects.lost_later} of that time are said to be lost")
    if len(missing) > expects.lost:
        unit.fail("missing", f"{len(missing)} of {len(unit.witness.contacts)} acknowledged contacts are not there "
                             f"({some(missing)}), and {expects.lost} are said to be lost: {ended}")
    others = [difference for difference in unit.witness.differences(contacts) if difference[0] != "missing"]
    for name, calls in others:
        unit.fail("back" if name == "back" else "answer", f"{some(calls)} {name}: {ended}")
    counted = unit.sound(device.run("qso", "count")).json.get("total")
    written = unit.sound(device.run("export", json=False))
    if not (counted == len(contacts) == len(exported(written))):
        unit.fail("answer", f"{len(contacts)} listed, {counted} counted, {len(exported(written))} exported")
    verified = unit.sound(device.run("verify"))
    if not (verified.done or expects.lost and only_holes(verified)):
        unit.fail("verify", str(verified))
    status = unit.sound(device.run("recover", "status"))
    if status.json.get("state") not in (("whole",) if rewrite.is_healthy else ("whole", "recovered")):
        unit.fail("recovery", f"in the end: {status}")
    for fields in expects.erased_fields:
        for place, _, names in os.walk(device.store):
            for name in names:
                with open(os.path.join(place, name), "rb") as file:
                    if fields["CALL"].encode() in file.read():
                        unit.fail("back", f"{name} has the text of what was erased")
    unit.sound(unit.witness.add(device, unit.generator))
    for running in unit.running:
        if running.runs:
            unit.fail("companion", f"it does not end: {running.arguments}")


CONTROLS = {"lost": "missing", "back": "back", "signal": "signal", "recovery": "recovery"}
