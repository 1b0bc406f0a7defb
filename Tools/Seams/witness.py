"""What was acknowledged, kept outside the program: it is never asked what should be there.

A write counts once its process has ended with 0. One that ended otherwise may be there or not: nobody was told. Each
write has a call of its own, so that a contact is known by it.
"""
import re
import threading
import time

FIELD = re.compile(r"<([A-Za-z_]+):(\d+)[^>]*>|<EOR>", re.IGNORECASE)


class Witness:
    def __init__(self, unit):
        self.unit, self.lock, self.made = unit, threading.RLock(), 0
        # By call: the fields that were acknowledged, and when. Those of `maybe` were not acknowledged, nor refused for sure.
        self.contacts, self.acknowledged, self.maybe, self.erased = {}, {}, {}, set()
        # Edits that may have been made: call to the values that would be right too.
        self.edits = {}
        # Acknowledged while a command said that it wrote to the temporary store of a recovery.
        self.meanwhile = set()
        # The number of the last acknowledged event of each replica of the log, but not of a temporary store.
        self.last, self.replica, self.uncertain = {}, None, 0

    @property
    def events(self):
        """How many events were acknowledged."""
        return sum(self.last.values())

    def call(self):
        """A call that no other write has."""
        with self.lock:
            self.made += 1
            number, letters = self.made, ""
            for _ in range(4):
                number, letter = divmod(number, 26)
                letters = chr(65 + letter) + letters
            return "N0" + letters

    def fields(self, call, generator):
        return {"CALL": call, "BAND": generator.choice(("80m", "40m", "20m")), "MODE": generator.choice(("CW", "SSB")),
                "QSO_DATE": "20260501", "TIME_ON": f"{generator.randrange(24):02}{generator.randrange(60):02}00",
                "COMMENT": f"made up {call.lower()}"}

    def add(self, device, generator):
        """Logs a contact by one process; its end."""
        call = self.call()
        fields = self.fields(call, generator)
        with self.lock:
            self.maybe[call] = fields
        arguments = [f"{key}={value}" for key, value in fields.items() if key != "CALL"]
        ended = device.run("qso", "add", call, *arguments)
        if ended.done:
            self.note(call, fields, ended)
        else:
            with self.lock:
                self.uncertain += 1
        return ended

    def edit(self, device, call, generator):
        comment = f"edited {generator.randrange(10**6)}"
        with self.lock:
            self.edits.setdefault(call, []).append(dict(self.contacts[call], COMMENT=comment))
        ended = device.run("qso", "edit", call, f"COMMENT={comment}")
        if ended.done:
            with self.lock:
                self.note(call, self.edits.pop(call)[-1], ended)
        else:
            self.uncertain += 1
        return ended

    def note(self, call, fields, ended):
        """A contact that a process said it has written, and the event that it named."""
        with self.lock:
            self.maybe.pop(call, None)
            self.contacts[call], self.acknowledged[call] = fields, time.monotonic()
            if ended.is_temporary:
                self.meanwhile.add(call)
                return
            replica, _, number = ended.json.get("event", "").partition(".")
            if number:
                self.replica = replica
                self.last[replica] = max(self.last.get(replica, 0), int(number))

    def file(self, count, generator, source="made-up"):
        """An ADIF file of contacts that nobody made, as its head and its records."""
        records = []
        for _ in range(count):
            call = self.call()
            fields = self.fields(call, generator)
            records.append((call, fields))
        return f"made up<PROGRAMID:{len(source)}>{source}<EOH>\n".encode(), records

    def expect(self, records):
        with self.lock:
            self.maybe.update(dict(records))

    def imported(self, records, ended):
        """The records of a file whose import has ended."""
        if not ended.done:
            self.uncertain += len(records) + 1
            return
        with self.lock:
            for call, fields in records:
                if call not in self.erased:
                    self.note(call, fields, ended)
            # Each contact is an event, and one closes the batch.
            if not ended.is_temporary and self.replica and ended.json.get("imported"):
                self.last[self.replica] += ended.json["imported"] + 1

    def erase(self, call):
        with self.lock:
            self.contacts.pop(call, None)
            self.maybe.pop(call, None)
            self.erased.add(call)

    # Comparing

    def differences(self, listed, told=None, excused=()):
        """What is wrong with what a command listed: by call its fields. `told`: what was acknowledged before it began."""
        with self.lock:
            told = dict(self.contacts) if told is None else told
            found = []
            missing = sorted(call for call in told if call not in listed and call not in excused
                             and call not in self.erased)
            foreign = sorted(call for call in listed if call not in self.contacts and call not in self.maybe
                             and call not in self.erased and call not in excused)
            back = sorted(call for call in listed if call in self.erased)
            wrong = sorted(call for call in told if call in listed and call in self.contacts
                           and not same(listed[call], self.contacts[call], told[call], *self.edits.get(call, [])))
        for name, calls in (("missing", missing), ("foreign", foreign), ("back", back), ("wrong", wrong)):
            if calls:
                found.append((name, calls))
        return found

    def missing(self, listed):
        with self.lock:
            return sorted(call for call in self.contacts if call not in listed and call not in self.erased)


def same(listed, *acknowledged):
    return any(all(listed.get(key) == value for key, value in fields.items()) for fields in acknowledged)


def record(fields):
    return ("".join(f"<{key}:{len(value)}>{value}" for key, value in fields.items()) + "<EOR>\n").encode()


def listed(ended):
    """The contacts of `qso list --json`, by call; one that stands there twice is under two names."""
    contacts = {}
    for contact in ended.json.get("qsos", []):
        put(contacts, contact["fields"])
    return contacts


def put(contacts, fields):
    """Without a call, as where only a correction is left of a contact, it stands under a question mark."""
    call = fields.get("CALL", "?")
    contacts[call if call not in contacts else f"{call} {len(contacts)}"] = fields


def exported(ended):
    """The contacts of an ADI file, by call."""
    text = ended.out
    match = re.search("<EOH>", text, re.IGNORECASE)
    place, contacts, fields = match.end() if match else 0, {}, {}
    while found := FIELD.search(text, place):
        place = found.end()
        if found.group(1):
            fields[found.group(1).upper()] = text[place:place + int(found.group(2))]
            place += int(found.group(2))
        else:
            put(contacts, fields)
            fields = {}
    return contacts


def some(calls):
    """A few of them, for a sentence."""
    return ", ".join(calls[:3]) + (f" and {len(calls) - 3} more" if len(calls) > 3 else "")
