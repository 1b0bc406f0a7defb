"""The ways in which the file of a log is written anew, each with what it needs before and what may be so afterwards."""
import os
import time

from clearing import files, named
from pages import LEAF, SIZE, Pages, overwrite
from unit import list_of, lost
from witness import listed


class Rewrite:
    """What is so of most: the log was healthy, and stays."""
    is_healthy, keeps_traces, codes_of_past = True, True, ()

    def __init__(self, unit, device):
        self.unit, self.device = unit, device

    def prepare(self, expects):
        pass

    def command(self, expects, *arguments):
        """A rewrite that must succeed; who is in the way may make it be asked again."""
        for _ in range(3):
            ended = self.unit.sound(self.device.run(*arguments))
            if ended.code != 75:
                break
        if self.is_healthy:
            expects.look(ended)
        if not ended.done:
            self.unit.fail("rewrite", str(ended))
        return ended

    def follow(self, expects):
        """What a user does whom the program has told something."""

    def excuses(self, call):
        """Whether a contact that was acknowledged may be gone, on purpose."""
        return False

    def gather(self):
        """Fetches what is not in the store and still not gone."""


class Erase(Rewrite):
    def victim(self):
        return sorted(self.unit.witness.contacts)[7]

    def mark(self, expects, call):
        expects.erased_fields = [self.unit.witness.contacts[call]]
        with open(self.device.path("log.mdb"), "rb") as file:
            if call.encode() not in file.read():
                self.unit.fail("harness", f"{call} cannot be found in the log before it is erased")

    def prepare(self, expects):
        self.call = self.victim()
        self.mark(expects, self.call)
        expects.going = {self.call}

    def carry_out(self, expects):
        if self.command(expects, "erase", "--call", self.call, "--yes").done:
            self.unit.witness.erase(self.call)
        else:
            expects.erased_fields = []


class Synced(Erase):
    """Another device erases; this one hears of it."""

    def prepare(self, expects):
        super().prepare(expects)
        other = self.unit.device("other")
        self.unit.need(other.run("join", f"file://{self.unit.folder}/remote", "--name", "other"))
        self.unit.need(other.run("erase", "--call", self.call, "--yes"))
        self.unit.need(other.run("sync"))

    def carry_out(self, expects):
        if self.command(expects, "sync").done:
            self.unit.witness.erase(self.call)
        else:
            expects.erased_fields = []


class Archive(Rewrite):
    codes_of_past = (66,)

    def prepare(self, expects):
        self.file = os.path.join(self.unit.folder, "old.gwa")
        self.position = self.device.run("info").json.get("position", 0)
        # A point in the past between two batches, so that something stays.
        self.unit.need(self.unit.witness.add(self.device, self.unit.generator))

    def archive(self):
        return ("archive", "--before", f"@{self.position}", "-o", self.file, "--yes")

    def carry_out(self, expects):
        self.command(expects, *self.archive())


class Unarchive(Archive):
    def prepare(self, expects):
        super().prepare(expects)
        self.unit.need(self.device.run(*self.archive()))

    def carry_out(self, expects):
        self.command(expects, "archive", "--restore", self.file, "--yes")


class Fork(Rewrite):
    """A store from which nothing told its copy apart takes in what the copy has written, and renames what both have."""

    def prepare(self, expects):
        twin = self.device.twin("twin")
        for _ in range(2):
            self.unit.need(self.unit.witness.add(self.device, self.unit.generator))
            self.unit.need(self.unit.witness.add(twin, self.unit.generator))
        self.file = os.path.join(self.unit.folder, "twin.gwb")
        self.unit.need(twin.run("bundle", "create", "-o", self.file))
        # Its contacts come with the bundle, and were not listed here before.
        twins = set(listed(twin.run("qso", "list"))) - set(list_of(self.device)[1])
        if len(twins) != 2:
            self.unit.fail("harness", f"the twin has {len(twins)} contacts of its own")
        expects.going = twins

    def carry_out(self, expects):
        self.command(expects, "bundle", "apply", self.file)
        forks = self.device.run("forks")
        if len(forks.json.get("forks", [])) != 1:
            self.unit.fail("harness", f"no history has parted: {forks}")


class Clear(Rewrite):
    """The store is emptied, and fetches what others have; it is not listed meanwhile."""
    is_healthy, keeps_traces, codes_of_past = False, False, (66,)

    def carry_out(self, expects):
        self.unit.need(self.device.run("sync"))
        before = files(self.unit.folder)
        self.ended = self.unit.sound(self.device.run("clear", "--confirm", "CLEAR", json=False))
        self.bundles = named(self.unit, self.ended, before)
        if self.ended.code not in (0, 3, 75):
            self.unit.fail("rewrite", str(self.ended))

    def gather(self):
        self.unit.sound(self.device.run("sync"))
        for bundle in self.bundles:
            self.unit.sound(self.device.run("bundle", "apply", bundle))


class Restore(Rewrite):
    """A page of the log is lost while others use it; recovery is met, and its guidance followed."""
    is_healthy, codes_of_past, way = False, (66,), ("recover", "restore")

    def carry_out(self, expects):
        self.met = self.receipt = None
        self.last, expects.damaged = dict(self.unit.witness.last), time.monotonic()
        lose_page(self.unit, self.device)
        if self.unit.generator.random() < 0.5:
            kill(self.device)
        before = self.unit.witness.events
        self.unit.sound(self.device.run("qso", "list"))
        self.unit.sound(self.device.run("verify"))
        began = time.monotonic()
        self.unit.sound(self.device.run("qso", "list"))
        status = self.unit.sound(self.device.run("recover", "status"))
        if status.json.get("state") != "waiting":
            self.unit.fail("forgotten", f"events were lost with a page, verify has named them, and then: {status}")
            return
        self.met = began
        self.decide(expects, status, before)

    def decide(self, expects, status, before):
        receipt = status.json.get("receipt") or {}
        expects.reached("waiting")
        decided = self.unit.sound(self.device.run(*self.way))
        if not decided.done:
            self.unit.fail("guidance", f"recovery waits, and its guidance does not help: {decided}")
        expects.reached("decided")
        self.unit.sound(self.device.run("qso", "count"))
        receipt = self.device.run("recover", "status").json.get("receipt") or receipt
        self.check(receipt, before)
        self.receipt = receipt

    def check(self, receipt, before):
        said = receipt.get("recovered", 0) + lost(receipt) + receipt.get("returned", 0)
        if receipt.get("appended") != said:
            self.unit.fail("sum", f"appended {receipt.get('appended')} is not recovered + lost = {said}")
        if said < before and not receipt.get("atLeast"):
            self.unit.fail("sum", f"{before} events were acknowledged before, recovered + lost = {said}")

    def follow(self, expects):
        for _ in range(2):
            status = self.device.run("recover", "status").json
            if status.get("state") == "waiting":
                self.unit.sound(self.device.run(*self.way))
            if status.get("state") in ("waiting", "staged"):
                expects.reached("decided")
        self.unit.sound(self.device.run("qso", "count"))
        receipt = self.device.run("recover", "status").json.get("receipt") or {}
        expects.lost = lost(receipt)
        # Of what came after the damage only that may be lost which is named, or of which not even the name is known.
        expects.lost_later = receipt.get("unnamed", 0) + sum(
            max(0, entry["last"] - max(entry["first"] - 1, self.last.get(entry["replica"], 0)))
            for entry in receipt.get("lost", []))


def lose_page(unit, device):
    """Zeros on a page with events."""
    path = device.path("log.mdb")
    pages = Pages(path)
    page = unit.generator.choice([page for page in pages.of_kind(LEAF) if b"GWE1" in pages.page(page)])
    overwrite(path, page, bytes(SIZE))
    unit.journal.say(f"log.mdb: zeros on page {page}")


def kill(device):
    """A process that did not close the store."""
    killed = device.start("watch")
    killed.opened()
    killed.process.kill()
    killed.process.wait()


class Reset(Restore):
    way, keeps_traces = ("recover", "reset", "--confirm", "RESET"), False

    def excuses(self, call):
        # What was there when recovery was met went on purpose; its receipt counts it.
        witness = self.unit.witness
        return self.met is not None and call not in witness.meanwhile and witness.acknowledged[call] < self.met


ALL = {"erase": Erase, "synced": Synced, "archive": Archive, "unarchive": Unarchive, "fork": Fork, "clear": Clear,
       "restore": Restore, "reset": Reset}
