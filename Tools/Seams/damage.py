"""Lane `damage`: a store is damaged in place, and a user goes on with it as the program says.

Each unit makes a store of its own, keeps an earlier copy of its files, damages log.mdb or views.mdb without making it
another file, and runs commands. Judged is what was answered, how processes ended, and where the guidance leads.
"""
import os
import threading
import time

import pages
from companions import frame
from rewrites import kill, lose_page
from unit import list_of, lost, only_holes
from witness import exported, listed, record, some

# When it is damaged: the store closed; the same with a process killed before; between two commands; while one runs; while
# recovery goes on.
MOMENTS = ("before", "killed", "between", "during", "recovery")
# Other ways to say no to a damaged log that are not wrong.
REFUSALS = (65, 74, 75, 78)


def units(options):
    return 2000 if options.long else 100


class Trial:
    """One store: what is damaged when, and what the user does."""

    def __init__(self, unit, control):
        generator = unit.generator
        self.unit, self.control, self.device, self.witness = unit, control, unit.device(), unit.witness
        # All kinds and moments come by turns, so that no draw leaves one out.
        kinds, number = list(pages.KINDS), unit.number
        self.kind = kinds[number % len(kinds)]
        self.moment = MOMENTS[number // len(kinds) % len(MOMENTS)]
        self.file = ("log.mdb", "views.mdb")[number // len(kinds) // len(MOMENTS) % 2]
        if control:
            self.kind, self.moment, self.file = "zeros", "killed", "log.mdb"
        # Whether commands run that the file is changed under; the receipts of recoveries; when it was damaged last.
        self.changing, self.receipts, self.done = False, [], 0
        # When recovery was met: what was acknowledged later has nothing to do with the damage.
        self.met, self.bundles = float("inf"), 0
        self.path = self.device.path(self.file)
        unit.what = f"{self.kind} in {self.file}, {self.moment}"
        self.generator = generator

    def make(self):
        unit, generator = self.unit, self.generator
        unit.made(self.device, generator.randrange(50, 250), generator.randrange(1, 6))
        with open(self.path, "rb") as file:
            self.earlier = file.read()
        if generator.random() < 0.5:
            unit.imported(self.device, generator.randrange(10, 150))
        for call in generator.sample(sorted(self.witness.contacts), 3):
            unit.need(self.witness.edit(self.device, call, generator))
        if generator.random() < 0.3:
            call = generator.choice(sorted(self.witness.contacts))
            unit.need(self.device.run("erase", "--call", call, "--yes"))
            self.witness.erase(call)
        if generator.random() < 0.3:
            unit.need(self.device.run("snapshot", "create"))
        if generator.random() < 0.2:
            unit.need(self.device.run("trace", "record", "--meter", "02:00:00:00:00:01", "--model", "atorch", "--input", "-",
                                      "--rate", "10", stdin=b"".join(frame(number) for number in range(300))))
        # The last write says its number, so that all events before it are counted.
        unit.need(self.witness.add(self.device, generator))

    def damage(self):
        if self.control == "silent":
            return
        if not os.path.exists(self.path):
            return
        if self.control:
            return lose_page(self.unit, self.device)
        did = pages.KINDS[self.kind](self.path, self.earlier, self.generator)
        self.unit.what = f"{self.file}, {self.moment}: {did}"
        self.unit.journal.say(f"{self.file}: {did}")
        self.done = time.monotonic()

    # Commands

    def judge(self, ended):
        """How a command may end."""
        # One that the file was changed under may end in whatever way; the next one must know.
        if self.changing or ended.began < self.done:
            return ended
        self.unit.sound(ended)
        # In the trials of recovery the log was damaged before.
        views_alone = self.file == "views.mdb" and self.moment != "recovery"
        if ended.code == 77 or views_alone and not ended.crashed and ended.code not in (0, 3):
            self.unit.fail("refused", f"whatever is wrong with {self.file}, it must not come to this: {ended}")
        elif not ended.crashed and ended.code not in (0, 3, *REFUSALS):
            self.unit.fail("refused", str(ended))
        return ended

    def look(self, verb):
        """An answer is right, or says that something is wrong."""
        device, changing = self.device, self.changing
        if verb == "bundle":
            self.bundles += 1
            self.judge(device.run("bundle", "create", "-o", os.path.join(self.unit.folder, f"{self.bundles}.gwb")))
            return
        if verb == "history":
            self.judge(device.run("history", "--limit", 5))
            return
        if verb == "count":
            ended = self.judge(device.run("qso", "count"))
            least, most = len(self.witness.contacts), len(self.witness.contacts) + len(self.witness.maybe)
            total = ended.json.get("total")
            if ended.done and not (ended.warned or self.receipts or changing) and not least <= total <= most:
                self.unit.fail("silent", f"{total} counted, {least} acknowledged, and not a word: {ended}")
            return
        if verb == "export":
            ended = self.judge(device.run("export", json=False))
            contacts = exported(ended)
        else:
            ended = self.judge(device.run("qso", "list"))
            contacts = listed(ended)
        if ended.done and not (ended.warned or self.receipts or changing):
            self.unit.compare(ended, contacts, "silent")

    def add(self):
        # In a process that is changed under it, an add may die after its commit: it stays a maybe.
        return self.judge(self.witness.add(self.device, self.generator))

    def script(self, count):
        for verb in self.generator.sample(("list", "count", "export", "add", "bundle", "history"), count):
            if verb == "add":
                self.add()
            else:
                self.look(verb)

    # Recovery

    def guided(self):
        """Follows what the program says until nothing waits; whether it came to that."""
        for _ in range(6):
            before = self.witness.events
            status = self.judge(self.device.run("recover", "status"))
            state = status.json.get("state")
            if state in ("whole", "recovered"):
                return True
            if state == "waiting":
                self.wait(status, before)
            self.judge(self.device.run("qso", "count"))
        self.unit.fail("guidance", f"recovery does not end: {status}")
        return False

    def wait(self, status, before):
        receipt = status.json.get("receipt")
        self.met = min(self.met, status.began)
        if self.control == "sum" and receipt:
            receipt["lost"] = receipt["lost"][1:]
        self.add()
        if receipt is None:
            with open(self.path, "rb") as file:
                if file.read().count(b"GWE1") > 20:
                    self.unit.fail("salvage", "nothing could be got out, and events lie in the file")
            self.judged(self.device.run("recover", "reset", "--confirm", "RESET"))
            self.receipts.append({"lost": [], "unnamed": before})
            return
        if self.moment == "recovery" and not self.done:
            self.beside(lambda: self.device.run("recover", "restore"), lambda: self.device.run("qso", "count"))
        else:
            self.judged(self.device.run("recover", "restore"))
        if not self.receipts:
            self.sum(receipt, before)
        self.receipts.append(receipt)
        self.unit.count("recovered")

    def judged(self, ended):
        if not self.judge(ended).done:
            self.unit.fail("guidance", f"recovery waits, and its guidance does not help: {ended}")

    def sum(self, receipt, before):
        recovered, gone = receipt["recovered"], lost(receipt) + receipt.get("returned", 0)
        if recovered + gone != receipt["appended"]:
            self.unit.fail("sum", f"recovered {recovered} + lost {gone} is not appended {receipt['appended']}")
        if receipt.get("atLeast"):
            self.unit.count("not sure")
            fits = recovered + gone <= before + self.witness.uncertain
        else:
            fits = before <= recovered + gone <= before + self.witness.uncertain
        if not fits:
            self.unit.fail("sum", f"{before} events were acknowledged; recovered {recovered} + lost {gone}")

    def beside(self, *commands):
        """Damages the file while commands run one after the other."""
        self.changing = True
        wait = self.generator.random() * 0.08
        thread = threading.Thread(target=lambda: (time.sleep(wait), self.damage()))
        thread.start()
        for command in commands:
            command()
        thread.join()
        self.changing = False

    def during(self):
        """Damages the file while a process works on the store."""
        choice = self.generator.randrange(4)
        if choice == 0:
            head, records = self.witness.file(60, self.generator)
            self.witness.expect(records)
            running = self.unit.start(self.device, "import", "-", feeds=True)
            half = [record(fields) for _, fields in records]
            running.feed(head + b"".join(half[:30]))
            running.opened()
            self.damage()
            running.feed(b"".join(half[30:]))
            self.witness.imported(records, running.end())
        elif choice == 1:
            running = self.unit.start(self.device, "watch")
            running.opened()
            self.damage()
            self.add()
            time.sleep(0.05)
            running.end(interrupt=True)
        else:
            verbs = ("list", "count", "export") if choice == 2 else ("add", "add", "list")
            self.beside(*[self.add if verb == "add" else lambda verb=verb: self.look(verb) for verb in verbs])

    # In the end

    def finish(self):
        self.add()
        self.script(4)
        verified = self.judge_verify()
        if self.control == "silent":
            self.unit.need(self.device.run("qso", "remove", sorted(self.witness.contacts)[0]))
        # Whatever that found, the next command knows.
        self.look("list")
        if not self.guided():
            return
        if self.moment == "recovery":
            # The second damage came after that, where perhaps nothing but a check reads.
            self.judge_verify()
            self.look("list")
            if not self.guided():
                return
        if verified.code == 65 and not only_holes(verified) and not self.receipts and self.file == "log.mdb":
            again = self.device.run("verify")
            if not again.done:
                self.unit.fail("forgotten", f"damage was found, and recovery does not know of it: {verified}")
        added = self.judge(self.witness.add(self.device, self.generator))
        if not added.done:
            self.unit.fail("guidance", f"the guidance was followed, and nothing can be logged: {added}")
        self.whole()

    def judge_verify(self):
        verified = self.device.run("verify")
        if verified.crashed and not self.changing:
            self.unit.sound(verified)
        return verified

    def whole(self):
        """The store works, and has all that is not said to be lost."""
        ended, contacts = list_of(self.device)
        self.judge(ended)
        if not ended.done or ended.is_temporary:
            self.unit.fail("guidance", f"in the end: {ended}")
        gone = sum(lost(receipt) for receipt in self.receipts)
        missing = self.witness.missing(contacts)
        if len(missing) > gone:
            self.unit.fail("missing", f"{len(missing)} of {len(self.witness.contacts)} contacts are not there "
                                      f"({some(missing)}), and {gone} events are said to be lost")
        late = [call for call in missing if self.witness.acknowledged[call] > self.met]
        if late and len(self.receipts) == 1 and self.moment != "recovery":
            self.unit.fail("gone", f"{some(late)} acknowledged while recovery waited, or later, and not there")
        for name, calls in self.witness.differences(contacts):
            # Of a contact whose correction is lost, the value before shows; of one whose first event is, its correction.
            if name == "back" or name == "foreign" and not gone or name == "wrong" and not gone:
                self.unit.fail("back" if name == "back" else "silent", f"{some(calls)} {name} in the end: {ended}")
        counted = self.judge(self.device.run("qso", "count")).json.get("total")
        written = exported(self.judge(self.device.run("export", json=False)))
        if not counted == len(contacts) == len(written):
            self.unit.fail("silent", f"in the end {len(contacts)} listed, {counted} counted, {len(written)} exported")
        for verify in (("verify",), ("verify", "--deep")):
            verified = self.unit.sound(self.device.run(*verify))
            if not (verified.done or only_holes(verified) and gone):
                self.unit.fail("verify", f"in the end: {verified}")
        self.look("bundle")


def run(unit, control=None):
    trial = Trial(unit, control)
    trial.make()
    if trial.moment == "recovery":
        # Recovery begins with a first damage of the log, which is a lost leaf.
        lose_page(unit, trial.device)
        kill(trial.device)
    elif trial.moment == "between":
        trial.script(2)
        trial.damage()
        trial.script(2)
    elif trial.moment == "during":
        trial.during()
    else:
        trial.damage()
        if trial.moment == "killed":
            kill(trial.device)
    trial.finish()


CONTROLS = {"silent": "missing", "sum": "sum"}
