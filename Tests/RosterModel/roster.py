#!/usr/bin/env python3
"""Who belongs to a log, as an executable model: an oracle for differential tests (decision 51), not code to copy.

  roster.py --check N        N random histories with devices that turn malicious; says what is broken, or "N passed, 0 failed"
  roster.py --check 1 SEED   the history of one seed
  roster.py --ask            for each line of the standard input, an object as --print prints it, its roster: what counts, and
                             who belongs
  roster.py --print N        N such histories, a line of JSON each: the events, and what the roster of them is
  roster.py --flaw NAME      the same with a flaw in the rule: must be found. NAME: junior, bottom-up, numbers, uncancelled

An event names the event of its author before it, so that a key which signs two histories makes a tree. What it says of the
roster is one of:

  approve DEVICE, CANCELS    the device belongs; the named revocations of it no longer count
  revoke DEVICE, TIPS        the device belongs no more. TIPS are the last of its events that the author had seen
  admit TIPS                 events that do not count by themselves count for records, as long as the author belongs, and
                             never for the roster

A statement of the recovery phrase is signed by the key of the phrase, whichever device's event carries it.
"""
import json
import random
import sys
from dataclasses import asdict, dataclass

PHRASE = "phrase"


@dataclass(frozen=True)
class Event:
    id: str
    author: str  # the device, or PHRASE for its statements
    before: str | None  # the event of the author before it
    number: int
    word: str = "write"  # write, approve, revoke, admit
    device: str = ""
    named: frozenset = frozenset()  # revocations of an approval; tips of a revocation or admission


class Roster:
    """The result: `order`, the most senior first; `counting`, for each of it the events that count for the roster;
    `active`, the revocations of each that count; `shown`, all events that count for records."""

    def __init__(self, events: dict[str, Event], founder: str, flaw: str = ""):
        self.events = events
        self.order, self.counting, self.active = [PHRASE, founder], {}, {}
        by_author = {}
        for event in events.values():
            by_author.setdefault(event.author, []).append(event)
        done = 0
        while done < len(self.order):
            member = self.order[done]
            own = sorted(by_author.get(member, []), key=lambda event: (event.number, self.path(event)))
            # What everybody before this member says counts already, and nobody behind it has a say.
            words = [event for senior in self.order[:done] for event in self.counting[senior] if event.device == member]
            if flaw == "junior":
                words += [event for event in events.values() if event.device == member and event not in words]
            cancelled = {
                revocation
                for event in words if event.word == "approve"
                for revocation in event.named if revocation in events and self.outranks(event, events[revocation])
            }
            if flaw == "uncancelled":
                cancelled = set()
            active = [event for event in words if event.word == "revoke" and event.id not in cancelled]
            for revocation in active:
                seen = self.histories(revocation.named)
                if flaw == "numbers":
                    most = max((events[tip].number for tip in revocation.named if tip in events), default=0)
                    own = [event for event in own if event.number <= most]
                else:
                    own = [event for event in own if event.id in seen]
            self.counting[member], self.active[member] = own, active
            for event in own:
                if event.word == "approve" and event.device not in self.order:
                    self.order.append(event.device)
            done += 1
        if flaw == "bottom-up":
            self.bottom_up()
        count = {event.id for own in self.counting.values() for event in own}
        # In a log events are named by number, also such that are not written yet: an admission ends with whoever said it.
        admitted = [
            self.histories(event.named)
            for member, own in self.counting.items()
            for event in own
            if event.word == "admit" and not self.active[member]
        ]
        self.shown = count.union(*admitted)

    def outranks(self, event: Event, other: Event) -> bool:
        """Whether the author of `event` is senior to that of `other`, or the same."""
        if event.author not in self.order or other.author not in self.order:
            return False
        return self.order.index(event.author) <= self.order.index(other.author)

    def histories(self, tips) -> set[str]:
        """These events and all that their authors wrote before them."""
        found, left = set(), [tip for tip in tips if tip in self.events]
        while left:
            event = self.events[left.pop()]
            if event.id not in found:
                found.add(event.id)
                if event.before in self.events:
                    left.append(event.before)
        return found

    def path(self, event: Event) -> list[str]:
        """The ids of the author's events up to this one, the first of them first."""
        path = [event.id]
        while event.before in self.events:
            event = self.events[event.before]
            path.append(event.id)
        return path[::-1]

    def bottom_up(self) -> None:
        """A flaw: the last member's revocations first."""
        for member in reversed(self.order):
            for event in self.counting[member]:
                if event.word == "revoke" and event.device in self.counting and event.device != PHRASE:
                    seen = self.histories(event.named)
                    self.counting[event.device] = [one for one in self.counting[event.device] if one.id in seen]

    @property
    def members(self) -> set[str]:
        """The devices that belong now."""
        return {member for member in self.order[1:] if not self.active[member]}


class Fleet:
    """Devices that write, and learn of each other's events in any order; some turn."""

    def __init__(self, seed: int, flaw: str):
        self.random = random.Random(seed)
        self.flaw = flaw
        self.events: dict[str, Event] = {}
        self.devices = [f"d{index}" for index in range(self.random.randint(3, 6))]
        self.founder = self.devices[0]
        self.knows: dict[str, set[str]] = {device: set() for device in self.devices}
        self.tip: dict[str, str | None] = {device: None for device in [*self.devices, PHRASE]}
        self.turned: set[str] = set()
        self.honest_cuts: list[Event] = []

    def view(self, device: str) -> Roster:
        return Roster({id: self.events[id] for id in self.knows[device]}, self.founder, self.flaw)

    def add(self, author: str, carrier: str, word: str = "write", device: str = "", named=frozenset(), before=...) -> Event:
        before = self.tip[author] if before is ... else before
        number = self.events[before].number + 1 if before else 1
        id = f"{author}.{number}.{self.random.getrandbits(32):08x}"
        event = Event(id, author, before, number, word, device, frozenset(named))
        self.events[id] = event
        self.tip[author] = id
        self.knows[carrier].add(id)
        return event

    def tips(self, device: str, known: set[str]) -> set[str]:
        """The last events of a device among those that are known."""
        own = [self.events[id] for id in known if self.events[id].author == device]
        return {event.id for event in own} - {event.before for event in own}

    def learn(self, device: str) -> None:
        """Takes some events that others know, each with what its author wrote before."""
        other = self.random.choice(self.devices)
        some = {id for id in self.knows[other] if self.random.random() < self.random.choice([0.3, 0.8, 1])}
        for id in some:
            while id is not None and id not in self.knows[device]:
                self.knows[device].add(id)
                id = self.events[id].before

    def honest(self, device: str) -> None:
        """A step of a person who means well, by what this device knows."""
        view, known = self.view(device), self.knows[device]
        rank = view.order.index(device) if device in view.order else None
        choice = self.random.random()
        if choice < 0.4 or rank is None:
            self.add(device, device)
        elif choice < 0.7:
            other = self.random.choice(self.devices)
            if other != device and other not in view.order:
                self.add(device, device, "approve", other)
        elif choice < 0.85:
            juniors = [one for one in view.order[rank + 1 :] if one in self.turned and not view.active[one]]
            if juniors:
                other = self.random.choice(juniors)
                self.honest_cuts.append(self.add(device, device, "revoke", other, self.tips(other, known)))
        else:
            outside = [id for id in known if id not in view.shown and self.events[id].author not in self.turned]
            if outside:
                self.add(device, device, "admit", named=[self.random.choice(outside)])

    def malicious(self, device: str) -> None:
        """A step of a device that knows the rule and keeps none: forks, false tips, devices of its own."""
        everything = list(self.events)
        own = [event for event in self.events.values() if event.author == device]
        before = ...
        if own and self.random.random() < 0.4:
            before = self.random.choice([*[event.id for event in own], None])
        some = self.random.sample(everything, min(len(everything), self.random.randint(0, 4)))
        target = self.random.choice([*self.devices, *self.turned])
        word = self.random.choice(["write", "approve", "revoke", "revoke", "revoke", "admit"])
        if word == "approve" and self.random.random() < 0.5:
            target = f"{device}x{self.random.randint(0, 2)}"
            if target not in self.knows:
                self.knows[target], self.tip[target] = set(self.knows[device]), None
                self.devices.append(target)
                self.turned.add(target)
        revocations = [id for id in everything if self.events[id].word == "revoke"]
        named = some if word in ("revoke", "admit") else revocations if word == "approve" else []
        self.add(device, device, word, "" if word in ("write", "admit") else target, named, before)

    def run(self) -> list[str]:
        for _ in range(self.random.choice([15, 40, 80])):
            device = self.random.choice(self.devices)
            step = self.random.random()
            if step < 0.4:
                self.learn(device)
            elif step < 0.43 and len(self.turned) < 2:
                self.turned.add(self.random.choice(self.devices))
            elif device in self.turned:
                self.malicious(device)
            else:
                self.honest(device)
        return [*self.judge(), *self.recover()]

    def judge(self) -> list[str]:
        """What is broken, of what must hold in every history."""
        broken = []
        whole = Roster(self.events, self.founder, self.flaw)
        ids = list(self.events)
        self.random.shuffle(ids)
        other = Roster({id: self.events[id] for id in ids}, self.founder, self.flaw)
        if (whole.order, whole.shown, whole.counting) != (other.order, other.shown, other.counting):
            broken.append("the outcome depends on the order of arrival")
        # Nobody has a say about a senior: without all events of juniors the seniors stand as they do.
        for rank, member in enumerate(whole.order):
            seniors = set(whole.order[: rank + 1])
            fewer = Roster({id: e for id, e in self.events.items() if e.author in seniors}, self.founder, self.flaw)
            if fewer.order[: rank + 1] != whole.order[: rank + 1] or fewer.counting[member] != whole.counting[member]:
                broken.append(f"a junior has a say about {member}")
        # A revocation that counts ends its device: what its author had not seen does not count by itself.
        for revocation in self.honest_cuts:
            target = revocation.device
            if target not in whole.order or revocation not in whole.counting.get(revocation.author, []):
                continue
            if whole.order.index(revocation.author) >= whole.order.index(target):
                continue
            undone = any(
                event.word == "approve" and event.device == target and revocation.id in event.named
                for senior in whole.order[: whole.order.index(revocation.author) + 1]
                for event in whole.counting[senior]
            )
            late = {event.id for event in whole.counting[target]} - whole.histories(revocation.named)
            if late and not undone:
                broken.append(f"{target} writes on after {revocation.id}")
        # What an honest device wrote counts, or a revocation that counts is the reason, or nobody has approved it.
        for device in set(self.devices) - self.turned:
            own = {event.id for event in self.events.values() if event.author == device}
            if device in whole.order and not whole.active[device] and not own <= whole.shown:
                broken.append(f"{device} belongs, and not all of its events count")
        return broken

    def recover(self) -> list[str]:
        """Whoever has the phrase puts it right: no device that turned counts any more, every honest event does."""
        self.knows[self.founder] |= set(self.events)
        known = set(self.events)
        for device in sorted(self.turned):
            self.add(PHRASE, self.founder, "revoke", device, self.tips(device, known))
        for device in self.devices:
            if device not in self.turned:
                against = [id for id in known if self.events[id].word == "revoke" and self.events[id].device == device]
                self.add(PHRASE, self.founder, "approve", device, against)
        last = set(self.events)
        for _ in range(10):
            if self.turned:
                self.malicious(self.random.choice(sorted(self.turned)))
        after = Roster(self.events, self.founder, self.flaw)
        broken = []
        for event in self.events.values():
            if event.author in self.turned and event.id not in last and event.id in after.shown:
                broken.append(f"{event.id} counts after the phrase has revoked its device")
            if event.author not in self.turned and event.author != PHRASE and event.id not in after.shown:
                broken.append(f"{event.id} of an honest device does not count after the phrase was used")
        return broken


def history(seed: int) -> str:
    """The history of a seed, and its roster."""
    fleet = Fleet(seed, "")
    fleet.run()
    roster = Roster(fleet.events, fleet.founder)
    events = [{**asdict(event), "named": sorted(event.named)} for event in fleet.events.values()]
    active = {member: sorted(event.id for event in roster.active[member]) for member in roster.order}
    return json.dumps(
        {"founder": fleet.founder, "events": events, "order": roster.order, "active": active, "shown": sorted(roster.shown)}
    )


def roster_of(line: str) -> str:
    """The roster of the events of a line, which is an object as --print prints it."""
    said = json.loads(line)
    events = [Event(**{"before": None, **event, "named": frozenset(event["named"])}) for event in said["events"]]
    roster = Roster({event.id: event for event in events}, said["founder"])
    return json.dumps({"shown": sorted(roster.shown), "members": sorted(roster.members)})


def main() -> int:
    words = sys.argv[1:]
    if words == ["--ask"]:
        for line in sys.stdin:
            print(roster_of(line), flush=True)
        return 0
    flaw = words[1] if words[:1] == ["--flaw"] else ""
    if words[:1] in (["--check"], ["--print"]):
        seeds = [int(words[2])] if len(words) > 2 else range(int(words[1]))
    elif flaw in ("junior", "bottom-up", "numbers", "uncancelled"):
        seeds = range(500)
    else:
        print(__doc__)
        return 64
    if words[:1] == ["--print"]:
        for seed in seeds:
            print(history(seed))
        return 0
    failed = 0
    for seed in seeds:
        broken = Fleet(seed, flaw).run()
        failed += bool(broken)
        if broken and failed <= 5:
            print(f"seed {seed}: {broken[0]}")
    print(f"{len(seeds) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
