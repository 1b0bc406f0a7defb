"""One unit of a lane: a folder of its own, a seed of its own, and what was found wrong."""
import os
import random
import shutil
import tempfile
import threading

from program import Device, Journal
from witness import Witness, listed, record, some


class Unit:
    def __init__(self, lane, number, options):
        self.lane, self.number, self.options = lane, number, options
        self.generator = random.Random(f"{options.seed} {lane} {number}")
        self.folder = tempfile.mkdtemp(prefix=f"{lane}-{number}.", dir=options.folder)
        self.journal = Journal(os.path.join(self.folder, "journal"))
        self.witness = Witness(self)
        self.failures, self.lock, self.what, self.running = [], threading.Lock(), "", []
        # Loops end with their unit, also where it was broken off.
        self.closing = threading.Event()
        # Counted over all units of a lane, for its line.
        self.counts = {}

    def device(self, name="alpha"):
        return Device(self.options.program, self.folder, name, self.journal)

    def fail(self, kind, sentence):
        """Something is wrong; the same kind is told once a unit."""
        self.journal.say(f"FAILED {kind}: {sentence}")
        with self.lock:
            if all(kind != other for other, _ in self.failures):
                self.failures.append((kind, sentence))

    def count(self, name, by=1):
        with self.lock:
            self.counts[name] = self.counts.get(name, 0) + by

    def need(self, ended):
        """A command without which the unit cannot go on."""
        if not ended.done:
            raise Broken(f"a command that must succeed did not: {ended}")
        return ended

    def sound(self, ended):
        """Fails where a command ended in a way that no command may."""
        if ended.hung:
            self.fail("hang", str(ended))
        elif ended.signal is not None:
            self.fail("signal", str(ended))
        elif ended.code == 70:
            self.fail("bug", str(ended))
        return ended

    def start(self, device, *arguments, feeds=False, json=True):
        running = device.start(*arguments, feeds=feeds, json=json)
        self.running.append(running)
        return running

    def made(self, device, imported, added):
        """A store with an import and some contacts that were added."""
        created = self.need(device.run("init", "--name", device.name))
        self.witness.replica = created.json["replica"]
        self.witness.last[self.witness.replica] = 1
        self.imported(device, imported)
        for _ in range(added):
            self.need(self.witness.add(device, self.generator))

    def imported(self, device, count):
        head, records = self.witness.file(count, self.generator)
        self.witness.expect(records)
        ended = self.need(device.run("import", "-", stdin=head + b"".join(record(fields) for _, fields in records)))
        self.witness.imported(records, ended)
        return records

    def compare(self, ended, contacts, kind="answer", told=None, excused=()):
        """Fails where an answer differs from what was acknowledged."""
        for name, calls in self.witness.differences(contacts, told, excused):
            sentence = {"missing": "acknowledged and not listed", "foreign": "listed, and nobody wrote it",
                        "back": "erased, and listed", "wrong": "listed with other values"}[name]
            self.fail("back" if name == "back" else kind,
                      f"{len(calls)} {sentence} ({some(calls)}) by {ended} with {len(contacts)} contacts")

    def close(self):
        """Ends what still runs; removes the folder where nothing is wrong."""
        self.closing.set()
        for running in self.running:
            if running.runs:
                running.process.kill()
                running.process.wait()
        if not self.failures:
            shutil.rmtree(self.folder, ignore_errors=True)


class Broken(Exception):
    """The unit could not be carried out."""


def only_holes(verified):
    """Whether a verify says that all is well, or that nothing is wrong but events which are known to be lost."""
    if verified.done:
        return True
    damage = verified.json.get("damage", [])
    return verified.code == 65 and bool(damage) and all(entry.get("what") == "hole" for entry in damage)


def lost(receipt):
    """How many events a receipt says are lost."""
    return sum(entry["last"] - entry["first"] + 1 for entry in receipt.get("lost", [])) + receipt.get("unnamed", 0)


def list_of(device):
    ended = device.run("qso", "list")
    return ended, listed(ended)
