"""What other processes do on a store meanwhile: each is started, goes on while the unit works, and is ended and judged.

`Beside` is what all have in common. A loop is a process after the other; the others are one process from beginning to end.
"""
import random
import threading
import time

from witness import listed, record, some


class Beside:
    def __init__(self, unit, device, expects):
        self.unit, self.device, self.expects = unit, device, expects
        self.generator = random.Random(unit.generator.random())

    def begin(self):
        pass

    def middle(self):
        """Called after the rewrite and the writes that follow."""

    def finish(self):
        pass

    def sound(self, ended):
        """As that of the unit. A process that a page was lost under may end of it, and no other: the next one must know."""
        if ended.signal is not None and ended.began < self.expects.damaged <= ended.began + ended.seconds:
            self.unit.count("ended with its page")
            return ended
        return self.unit.sound(ended)

    def refused(self, ended, what):
        """Who says that it did not write has acknowledged nothing; who says nothing at all has not said that."""
        self.unit.count("refused")
        if not ended.err.strip():
            self.unit.fail("companion", f"{what} ended without a word: {ended}")

    def check(self):
        """What it acknowledged beside contacts is there in the end."""


class Process(Beside):
    arguments, ready = (), None

    def begin(self):
        self.running = self.unit.start(self.device, *self.arguments)
        if self.ready:
            self.running.waits_for(lambda: self.ready in self.running.printed() + self.said(), 20)
        else:
            self.running.opened()

    def said(self):
        return b"".join(list(self.running.err)).decode("utf-8", "replace")

    def finish(self):
        ended = self.running.end(interrupt=True)
        self.sound(ended)
        self.judge(ended)

    def judge(self, ended):
        if self.expects.is_healthy and ended.code not in (0, 3, 75):
            self.unit.fail("companion", f"it gave up on a healthy store: {ended}")


class Watch(Process):
    """Shows changes as they come, also behind a rewrite."""
    arguments = ("watch",)

    def finish(self):
        wanted = self.expects.later
        if self.expects.is_healthy and wanted:
            self.running.waits_for(lambda: all(call in self.running.printed() for call in wanted), 20)
            unseen = [call for call in wanted if call not in self.running.printed()]
            if unseen:
                self.unit.fail("unseen", f"watch did not show {some(unseen)} of {len(wanted)} that were logged behind "
                                         f"the rewrite: {self.said()[:200]}")
        super().finish()


class Serve(Process):
    arguments, ready = ("serve", "--listen", "127.0.0.1:0"), "listening"


class SyncWatch(Process):
    arguments, ready = ("sync", "--watch"), "Watching"


class Loop(Beside):
    pause = 0.01

    def begin(self):
        self.stops = threading.Event()
        self.thread = threading.Thread(target=self._loop, daemon=True)
        self.thread.start()
        time.sleep(0.06)

    def _loop(self):
        while not (self.stops.is_set() or self.unit.closing.is_set()):
            self.once()
            self.unit.count("in loops")
            self.stops.wait(self.pause)

    def finish(self):
        self.stops.set()
        self.thread.join(120)


class ListLoop(Loop):
    """Each list has what was acknowledged before it began."""

    def once(self):
        with self.unit.witness.lock:
            told = dict(self.unit.witness.contacts)
        ended = self.sound(self.device.run("qso", "list"))
        if self.expects.is_healthy:
            if ended.done:
                contacts = listed(ended)
                for call in self.expects.going:
                    contacts.pop(call, None)
                self.unit.compare(ended, contacts, told={call: fields for call, fields in told.items()
                                                         if call not in self.expects.going})
            elif ended.code != 75:
                self.unit.fail("companion", f"a list of a healthy store: {ended}")
            self.expects.look(ended)


class PastLoop(Loop):
    """Each look at a point of the past shows what was there then."""

    def begin(self):
        self.then = dict(self.unit.witness.contacts)
        self.position = self.expects.position
        super().begin()

    def once(self):
        ended = self.sound(self.device.run("qso", "list", "--at", f"@{self.position}"))
        if not self.expects.is_healthy:
            return
        self.expects.look(ended)
        if not ended.done:
            if ended.code not in self.expects.codes_of_past:
                self.unit.fail("companion", f"a look at the past of a healthy store: {ended}")
            return
        contacts = listed(ended)
        # In the past an erased contact may stand without any field.
        for call in [*self.expects.going, *(["?"] if self.expects.erased_fields else [])]:
            contacts.pop(call, None)
        then = {call: fields for call, fields in self.then.items() if call not in self.expects.going}
        self.unit.compare(ended, contacts, "past", told=then)
        if len(contacts) != len(then):
            self.unit.fail("past", f"{len(contacts)} contacts in a past that had {len(then)}: {ended.arguments}")


class AddLoop(Loop):
    pause = 0.0

    def once(self):
        ended = self.sound(self.unit.witness.add(self.device, self.generator))
        if self.expects.is_healthy:
            self.expects.look(ended)
            if not ended.done:
                self.refused(ended, "an add")


class Import(Beside):
    """A file that comes slowly; once the import has ended with 0, all of it was acknowledged."""

    def begin(self):
        head, self.records = self.unit.witness.file(120, self.generator)
        self.unit.witness.expect(self.records)
        self.running = self.unit.start(self.device, "import", "-", feeds=True)
        self.running.feed(head + b"".join(record(fields) for _, fields in self.records[:60]))
        self.running.opened()

    def finish(self):
        # What was erased meanwhile comes again from the program that had written it.
        again = b"".join(record(fields) for fields in self.expects.erased_fields)
        for start in range(60, 120, 20):
            self.running.feed(b"".join(record(fields) for _, fields in self.records[start:start + 20]))
            time.sleep(0.01)
        self.running.feed(again)
        ended = self.sound(self.running.end())
        self.unit.witness.imported(self.records, ended)
        if self.expects.is_healthy:
            self.expects.look(ended)
            if not ended.done:
                self.refused(ended, "an import")


class Trace(Beside):
    """A meter that goes on; the rows that the recording says it has at its end were acknowledged."""

    def begin(self):
        self.number = self.rows = 0
        self.id = None
        self.running = self.unit.start(self.device, "trace", "record", "--meter", "02:00:00:00:00:01", "--model", "atorch",
                                       "--input", "-", "--rate", "10", feeds=True)
        self.feed(40)
        self.running.opened()
        time.sleep(0.05)

    def feed(self, rows):
        self.running.feed(b"".join(frame(number) for number in range(self.number, self.number + rows)))
        self.number += rows

    def middle(self):
        self.feed(40)
        time.sleep(0.05)

    def finish(self):
        self.feed(20)
        ended = self.sound(self.running.end())
        if not self.expects.keeps_traces:
            return
        if not ended.done:
            if self.expects.is_healthy:
                self.expects.look(ended)
                self.refused(ended, "a recording")
            return
        self.id, self.rows = ended.json.get("trace"), ended.json.get("rows", 0)

    def check(self):
        """That they are there in the end."""
        traces = self.device.run("trace", "list")
        there = sum(trace["rows"] for trace in traces.json.get("traces", []) if trace["id"] == self.id)
        if there < self.rows and not self.expects.lost_later:
            self.unit.fail("rows", f"{self.rows} rows were acknowledged, {there} are there and nothing is said to be lost")


def frame(number):
    """What an Atorch DL24 sends once a second: its clock goes on, and the last byte is made from the sum of the others."""
    data = bytearray.fromhex("FF550102000020004E200013FA000000110000000000000000250002211A3C0000000009")
    data[24:28] = bytes((0, number // 3600, number // 60 % 60, number % 60))
    data[35] = sum(data[2:35]) & 0xFF ^ 0x44
    return bytes(data)


ALL = {"watch": Watch, "list": ListLoop, "add": AddLoop, "import": Import, "trace": Trace, "sync": SyncWatch,
       "serve": Serve, "past": PastLoop}
