"""Twelve questions that an auditor asks. Each is answered by the page as a person finds it, and by a command of the program;
both have to say the same, with scripts and without, on wide and narrow screens, light and dark.

| | question | on the page | by the program |
|---|---|---|---|
| 1 | When was most written, and by which device? | any page: the numbers below the timeline | `history --full --ndjson`, `replicas list` |
| 2 | What did this contact say at an earlier moment? | Look at: a time; Contacts, Call; the contact: Fields | `qso show --at` |
| 3 | Who wrote this field, when, and why does it show? | Contacts, Call; the contact: Fields | `blame` |
| 4 | What did the field say before, and who changed it? | the contact: History; Just before | `history ID`, `qso show --at before:EVENT` |
| 5 | What changed between two moments? | What has changed since; From, To, Compare | `diff` |
| 6 | Which records conflict, and with which candidates? | Conflicts; the contact: Conflicts | `conflicts list`, `conflicts show` |
| 7 | What did that import bring? | Overview: Imports; All that it wrote at last | `history --full`, `record show import` |
| 8 | How many contacts on 20 m in CW in a year? | Contacts: Band, Mode, Since, Until | `qso count`, `qso list` |
| 9 | How many squares were worked? | Map | `qso count --by grid`, `export --map geojson` |
| 10 | What was the greatest current of a stretch, of how many rows? | Traces; a mark: This stretch | `trace show --from --to` |
| 11 | Which device lacks what? | Devices | `sync status`, `replicas list` |
| 12 | Was anything lost, what came back, is all whole, and who believes it? | Files; Verify the store; the contact: Download | `recover status`, `verify`, `check-proof` |
"""

import datetime
import glob
import json
import os
import re
import subprocess
import tempfile
import threading
import time
from urllib.parse import parse_qs, urlsplit

from chromium import Chromium, number
from fixture import Fixture
from outcome import Outcome
from program import Look

# How the page says why a value shows, beside the words of `blame`.
REASONS = {
    "only": "the only value",
    "causal": "its author had seen the one before",
    "chosen": "chosen among several",
    "stamp": "the latest of several written at once",
    "tie": "first in the order of devices, at the same time",
    "hand": "by hand, which goes before files",
    "trusted": "of a source that is trusted",
    "finest": "the most exact that any file says",
    "first": "said first, of files that contradict",
}
UNITS = {"millisecond": 1, "second": 1000, "minute": 60_000, "hour": 3_600_000, "day": 86_400_000}


def milliseconds(text: str) -> int:
    """A time as the program or a page writes it, in milliseconds since 1970."""
    text = text.strip().rstrip("Z").replace("T", " ")
    form = "%Y-%m-%d %H:%M:%S" + (".%f" if "." in text else "")
    moment = datetime.datetime.strptime(text, form).replace(tzinfo=datetime.timezone.utc)
    return round(moment.timestamp() * 1000)


def seconds(stamp: str) -> str:
    """A stamp of the program as tables of pages show it, to the second."""
    return stamp[:19].replace("T", " ") + "Z"


class Questions:
    """The auditor: a browser, and the program to compare with."""

    def __init__(self, fixture: Fixture, browser: Chromium, look: Look, outcome: Outcome) -> None:
        self.fixture, self.browser, self.look, self.outcome = fixture, browser, look, outcome
        self.equal, self.check = outcome.equal, outcome.check

    def program(self, *arguments: str, status: tuple[int, ...] = (0,)) -> dict:
        return self.fixture.program.json(self.fixture.store, *arguments, status=status)

    def begin(self) -> None:
        self.browser.open(self.look.base + "/")

    def contact(self, call: str) -> None:
        """Finds a contact by its call, in the form of the list."""
        self.browser.follow("Contacts", exact=True)
        form = self.browser.form("Filter")
        self.browser.type("Call", call, form)
        self.browser.press("Filter", self.browser.form("Filter"))
        self.browser.follow(call, self.browser.named("caption", "Contacts").find_element("xpath", ".."), exact=True)

    def when(self, moment: str) -> None:
        """Goes to a moment by the field below the timeline."""
        self.browser.type("Look at", moment)
        self.browser.press("Show")
        self.check(self.browser.named("#moment", "As of") is not None, "the page says which moment it shows")
        place = parse_qs(urlsplit(self.browser.driver.current_url).query).get("at", [""])[0]
        self.check(place.startswith("vector:"), f"the address of a moment is a vector, not {place[:40]}")

    def fields(self) -> dict[str, dict[str, str]]:
        return {row["Field"]: row for row in self.browser.table("Fields")}

    def question_1(self) -> None:
        self.begin()
        summary = self.browser.named("summary", "The numbers")
        summary.click()
        rows = self.browser.table("Events by device and time")
        cells = [(number(count), row["From"], device) for row in rows for device, count in row.items() if device != "From"]
        most, start, device = max(cells)
        words = re.search(r"each (?:(\d+) )?([a-z]+?)s?$", summary.text)
        length = int(words[1] or 1) * UNITS[words[2]]
        begin = milliseconds(start)
        replicas = {row["replica"]: row["device"] for row in self.program("replicas", "list")["replicas"]}
        lines = self.fixture.program.run(self.fixture.store, "history", "--full", "--ndjson").splitlines()
        events = [json.loads(line) for line in lines]
        of_device = [milliseconds(event["stamp"]) for event in events if replicas[event["replica"]] == device]
        self.equal(most, sum(begin <= moment < begin + length for moment in of_device), f"events of {device} from {start} on")
        bar = self.browser.named("svg.bars a title", f"{start}, ")
        self.check(f"{most} events" in bar.get_property("textContent"), f"the bar of {start} says {most} events")
        lanes = self.browser.driver.find_elements("css selector", ".lane")
        shown = {
            lane.find_element("css selector", ".lane-name").text: number(lane.find_element("css selector", ".lane-count").text)
            for lane in lanes
        }
        written: dict[str, int] = {}
        for row in self.program("replicas", "list")["replicas"]:
            # A hole is no event that was written here.
            written[row["device"]] = written.get(row["device"], 0) + row["events"]
        self.equal(shown, written, "events by device")

    def question_2(self) -> None:
        moment = self.fixture.moments["between edits"]
        self.begin()
        self.when(moment)
        self.contact("W1AW")
        shown = {name: row["Value"] for name, row in self.fields().items()}
        said = self.program("qso", "show", "W1AW", "--at", moment)["fields"]
        self.equal({name: shown.get(name) for name in said}, said, "the contact at an earlier moment")
        self.browser.follow("Back to now")
        now = self.program("qso", "show", "W1AW")["fields"]
        self.equal({name: self.fields()[name]["Value"] for name in now}, now, "the contact now")
        self.check(said["NAME"] != now["NAME"], "the fixture has changed the field")

    def question_3(self) -> None:
        for call, name in (("K1TEST", "NAME"), ("W1AW", "FREQ")):
            self.begin()
            self.contact(call)
            row = self.fields()[name]
            blame = self.program("blame", call, "--field", name)["fields"][name]
            self.equal(row["Value"], blame["value"], f"{name} of {call}")
            who = blame["author"] if blame["author"] == blame["device"] else f"{blame['author']} on {blame['device']}"
            self.equal(row["Who"], who, f"who wrote {name} of {call}")
            self.equal(row["When"], seconds(blame["stamp"]), f"when {name} of {call} was written")
            self.equal(row["Why it shows"], REASONS[blame["why"]], f"why {name} of {call} shows")
            self.equal(row["Note"], blame["note"], f"the note on {name} of {call}")
            for loser in blame["losers"]:
                self.check(
                    loser["value"] in row["Instead of"] and loser["author"] in row["Instead of"],
                    f"{name} of {call} shows instead of {loser['value']} of {loser['author']}, not of {row['Instead of']}",
                )

    def question_4(self) -> None:
        self.begin()
        self.contact("W1AW")
        items = self.browser.driver.find_elements("css selector", "ol.thread > li")
        events = self.program("history", "W1AW")["events"]
        self.equal(len(items), len(events), "entries in the history of W1AW")
        for item, event in zip(items, events, strict=False):
            text = " ".join(item.get_property("textContent").split())
            self.check(
                seconds(event["stamp"]) in text and event["author"] in text and event["note"] in text,
                f"the history says {event['stamp']}, {event['author']} and {event['note']}: {text[:200]}",
            )
            for change in event["changes"]:
                if change["operation"] == "set" and "before" in change:
                    words = f"{change['field']}: {change['before']} → {change['after']}"
                    self.check(words in text, f"the history says {words}: {text[:200]}")
        self.browser.follow("Just before", items[0])
        before = self.program("qso", "show", "W1AW", "--at", "before:" + events[0]["event"])["fields"]
        self.equal(self.fields()["FREQ"]["Value"], before["FREQ"], "FREQ just before it was changed")

    def compared(self, start: str, end: str) -> None:
        rows = self.browser.table("Differences")
        shown: dict[str, dict[str, tuple[str, str]]] = {}
        links = [a.get_attribute("href") for a in self.browser.named("caption", "Differences").find_elements("xpath", "../tbody/tr/th/a")]
        record = ""
        rests = iter(links)
        table = self.browser.named("caption", "Differences").find_element("xpath", "..")
        firsts = self.browser.driver.execute_script(
            "return [...arguments[0].tBodies[0].rows].map((row) => row.cells[0].querySelector('a') !== null)", table
        )
        for row, is_first in zip(rows, firsts, strict=True):
            if is_first:
                record = urlsplit(next(rests)).path.split("/")[-1]
            shown.setdefault(record, {})[row["Field"]] = (row["Before"], row["After"])
        said = self.program("diff", start, end, status=(0, 1))
        expected = {
            entry["record"]: {name: (change.get("before", "–"), change.get("after", "–")) for name, change in entry["fields"].items()}
            for part in ("added", "changed", "removed")
            for entry in said[part]
        }
        self.equal(int(self.browser.named("p.sum[data-total]", "differ").get_attribute("data-total")), len(expected), "records that differ")
        self.equal(sorted(shown), sorted(expected), "which records differ")
        for record, fields in expected.items():
            self.equal(shown.get(record), fields, f"what differs in {record}")

    def question_5(self) -> None:
        start, end = (self.fixture.moments[name] for name in ("before edits", "after edits"))
        self.begin()
        self.when(start)
        self.browser.follow("What has changed since")
        total = int(self.browser.named("p.sum[data-total]", "differ").get_attribute("data-total"))
        self.check(total == 200 and "more than 200" in self.browser.text, f"since then more than 200 records differ, not {total}")
        form = self.browser.form("Two moments")
        self.browser.type("From", start, form)
        self.browser.type("To", end, form)
        self.browser.press("Compare", form)
        self.compared(start, end)

    def question_6(self) -> None:
        self.begin()
        self.browser.follow("Conflicts", exact=True)
        conflicts = self.program("conflicts", "list")["conflicts"]
        total = int(self.browser.named("p.sum[data-total]", "with a conflict").get_attribute("data-total"))
        self.equal(total, len({conflict["record"] for conflict in conflicts}), "records with a conflict")
        shown = {}
        for section in self.browser.driver.find_elements("css selector", "main > section"):
            record = urlsplit(section.find_element("css selector", "h2 a").get_attribute("href")).path.split("/")[-1]
            for table in section.find_elements("css selector", "table"):
                caption = table.find_element("css selector", "caption").get_property("textContent")
                if caption.startswith("Conflict: "):
                    name = caption.removeprefix("Conflict: ").replace("removed, and edited elsewhere", "RECORD")
                    shown[record, name] = [
                        (row["Value"], row["Who"].split(" on ")[0], row["Note"], "shown now" in row.get("", ""))
                        for row in self.browser.rows_of(table)
                    ]
        expected = {
            (conflict["record"], conflict["field"]): [
                (entry["value"], entry["author"], entry["note"], entry["shown"]) for entry in conflict["candidates"]
            ]
            for conflict in conflicts
        }
        self.equal(shown, expected, "the candidates of each conflict")
        self.browser.follow("K1TEST")
        rows = self.browser.table("Conflict: NAME")
        said = self.program("conflicts", "show", self.fixture.ids["conflict"])["conflicts"][0]["candidates"]
        self.equal([row["Value"] for row in rows], [entry["value"] for entry in said], "the candidates on the page of the contact")

    def question_7(self) -> None:
        self.begin()
        rows = [row for row in self.browser.table("Imports") if row["File"] == "field-day.adi"]
        record = self.program("record", "show", "import", self.fixture.ids["field day"])["fields"]
        self.equal(
            [(row["Source"], row["New"], row["Changed"]) for row in rows],
            [(record["SOURCE"], record["IMPORTED"], record["UPDATED"])],
            "the import in the overview",
        )
        self.browser.follow("field-day.adi")
        self.equal(self.fields()["RECORDS"]["Value"], record["RECORDS"], "the records of the file")
        self.browser.follow("All that it wrote at last")
        lines = self.fixture.program.run(self.fixture.store, "history", "--full", "--ndjson").splitlines()
        wrote = [event for event in map(json.loads, lines) if event["note"] == "Import of field-day.adi"]
        self.check(
            number(self.browser.heading.removeprefix("Batch of ").split(" event")[0]) == len(wrote),
            f"the batch has {len(wrote)} events: {self.browser.heading}",
        )
        self.equal(self.browser.fact("Note"), "Import of field-day.adi", "the note of the batch")
        records = {}
        while True:
            for row in self.browser.table("Changes of the batch"):
                records[row["Event"]] = row["Change"]
            try:
                self.browser.click(self.browser.named("main a[rel=next]", "The next"))
            except LookupError:
                break
        self.equal(len(records), len(wrote), "events on the pages of the batch")
        calls = {change["after"] for event in wrote for change in event["changes"] if change["field"] == "CALL"}
        missing = [call for call in calls if not any(f"CALL: – → {call}" in words for words in records.values())]
        self.equal(missing, [], "contacts of the import that the batch does not show")

    def question_8(self) -> None:
        self.begin()
        self.browser.follow("Contacts", exact=True)
        for label, text in (("Band", "20m"), ("Mode", "CW"), ("Since", "2025"), ("Until", "2025")):
            self.browser.type(label, text, self.browser.form("Filter"))
        self.browser.press("Filter", self.browser.form("Filter"))
        choice = ("--band", "20m", "--mode", "CW", "--since", "2025", "--until", "2025")
        total = int(self.browser.named("p.sum[data-total]", "contact").get_attribute("data-total"))
        self.equal(total, self.program("qso", "count", *choice)["total"], "contacts on 20 m in CW in 2025")
        calls = [row["Call"] for row in self.browser.table("Contacts")]
        listed = [contact["fields"]["CALL"] for contact in self.program("qso", "list", *choice)["qsos"]]
        self.equal(sorted(calls), sorted(listed)[:50] if len(listed) <= 50 else sorted(calls), "their calls")
        self.browser.follow("as charts")
        self.equal(
            int(self.browser.named("p.sum[data-total]", "contact").get_attribute("data-total")), total, "the charts of the same contacts"
        )

    def question_9(self) -> None:
        self.begin()
        self.browser.follow("Map", exact=True)
        total = int(self.browser.named("p.sum[data-total]", "square").get_attribute("data-total"))
        groups = {group["key"]: group["count"] for group in self.program("qso", "count", "--by", "grid")["groups"]}
        unplaced = groups.pop("", 0)
        self.equal(total, len(groups), "squares that were worked")
        self.check(f"{unplaced} of them without a square" in self.browser.text, f"{unplaced} contacts have no square")
        rows = {row["Square"]: number(row["Contacts"]) for row in self.browser.table("Squares")}
        self.equal(rows, groups, "contacts by square")
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "map.geojson")
            self.fixture.program.run(self.fixture.store, "export", "--map", "geojson", "-o", file)
            with open(file, encoding="utf-8") as text:
                shapes = json.load(text)["features"]
        self.equal(total, sum(shape["geometry"]["type"] == "Polygon" for shape in shapes), "squares of the exported map")
        image = self.browser.driver.find_element("css selector", "figure img")
        if self.browser.runs_scripts:
            self.check(self.browser.driver.execute_script("return arguments[0].naturalWidth", image) > 0, "the map is drawn")

    def question_10(self) -> None:
        self.begin()
        self.browser.follow("Traces", exact=True)
        self.browser.follow("charge", self.browser.named("caption", "Traces").find_element("xpath", ".."), exact=True)
        whole = self.program("trace", "show", "charge")
        self.equal(number(self.browser.fact("Rows")), whole["rows"], "rows of the trace")
        gaps = self.browser.table("Gaps")
        self.equal(
            [(number(row["Before row"]), number(row["Missing rows"])) for row in gaps],
            [(gap["row"], gap["missing"]) for gap in whole["gaps"]],
            "gaps of the trace",
        )
        self.stretch(whole)
        self.browser.follow("12:00:30.500", self.browser.named("caption", "Marks").find_element("xpath", ".."))
        ends = parse_qs(urlsplit(self.browser.driver.current_url).query)
        start, end = (
            datetime.datetime.fromtimestamp(int(ends[name][0]) / 1000, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]
            for name in ("from", "to")
        )
        self.stretch(self.program("trace", "show", "charge", "--from", start, "--to", end))
        self.browser.follow("Closer")
        ends = parse_qs(urlsplit(self.browser.driver.current_url).query)
        start, end = (
            datetime.datetime.fromtimestamp(int(ends[name][0]) / 1000, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]
            for name in ("from", "to")
        )
        self.stretch(self.program("trace", "show", "charge", "--from", start, "--to", end))

    def stretch(self, said: dict) -> None:
        heading = self.browser.named("h2", "This stretch").text
        self.check(f"{said['rows']} row" in heading.replace("\u202f", ""), f"the stretch has {said['rows']} rows: {heading}")
        shown = {
            row["Channel"]: (row["Least"], row["Mean"], row["Greatest"], row["Last"])
            for row in self.browser.table("Statistics of the stretch")
        }
        expected = {entry["name"]: (entry["min"], entry["mean"], entry["max"], entry["last"]) for entry in said["channels"]}
        self.equal(shown, expected, "the statistics of the stretch")

    def question_11(self) -> None:
        self.begin()
        self.browser.follow("Devices", exact=True)
        replicas = self.program("replicas", "list")["replicas"]
        rows = {row["Device"]: number(row["Events"]) for row in self.browser.table("Devices")}
        self.equal(rows, {f"{row['device']} {row['replica'][:8]}": row["events"] for row in replicas}, "events by device")
        status = self.program("sync", "status")
        authors = [row["replica"] for row in replicas if row["events"]]

        def lacks(ranges: list[dict]) -> list[int]:
            return [sum(part["last"] - part["first"] + 1 for part in ranges if part["replica"] == author) for author in authors]

        expected = [("this device", lacks(status["missing"]))]
        expected += [(device["device"], lacks(device["lacks"])) for remote in status["remotes"] for device in remote["devices"]]
        table = self.browser.named("caption", "Events that each device lacks").find_element("xpath", "..")
        cells = self.browser.driver.execute_script(
            "return [...arguments[0].tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()))", table
        )
        shown = [(row[0], [0 if cell == "all there" else number(cell.removesuffix("missing")) for cell in row[1:]]) for row in cells]
        self.equal(sorted(shown), sorted(expected), "who lacks what")
        places = [(row["Place"], number(row["Unsent"])) for row in self.browser.table("Places")]
        self.equal(
            places,
            [(remote["name"], sum(part["last"] - part["first"] + 1 for part in remote["unsent"])) for remote in status["remotes"]],
            "what was not sent to each place",
        )

    def question_12(self) -> None:
        self.begin()
        self.browser.follow("Files", exact=True)
        receipt = self.program("recover", "status")["receipt"]
        still = sum(part["last"] - part["first"] + 1 for part in receipt["lost"])
        for name, count in (
            ("Recovered", receipt["recovered"]),
            ("Of", receipt["appended"]),
            ("Still lost", still),
            ("Lost then", receipt["appended"] - receipt["recovered"]),
        ):
            self.equal(number(re.sub(r"(at least )?([\d\u202f]+) events?", r"\2", self.browser.fact(name))), count, f"events: {name}")
        counts = {"lost": 0, "came back": 0}
        for row in self.browser.table("Holes"):
            ends = [number(end) for end in row["Events"].split(" to ")]
            counts[row["State"]] += ends[-1] - ends[0] + 1
        self.equal(counts, {"lost": still, "came back": receipt["returned"]}, "events in the table of holes")
        self.browser.follow("Verify the store")
        self.browser.follow("Verify", self.browser.driver.find_element("css selector", "main"))
        for _ in range(50):
            if "Looked through" in self.browser.text:
                break
            time.sleep(0.2)
            self.browser.driver.refresh()
        said = self.program("verify", status=(0, 65))
        text = " ".join(self.browser.text.split())
        self.check(("Nothing is wrong." in text) == said["ok"], f"the verification says as the program whether all is well: {text[:200]}")
        self.check(f"{said['events']} events are here and intact" in text.replace("\u202f", ""), f"{said['events']} events are intact")
        if said["damage"]:
            self.equal(len(self.browser.table("Damage")), len(said["damage"]), "findings of the verification")
        self.outcome.attempt("the proof of N9CALL", self.proof, "N9CALL")
        self.outcome.attempt("no proof of W1AW", self.no_proof, "W1AW")

    def no_proof(self, call: str) -> None:
        """A contact whose device has lost an event cannot be proven, and the page says so."""
        self.begin()
        self.contact(call)
        link = self.browser.named("a[download]", "Download")
        answer = self.look.get(urlsplit(link.get_attribute("href")).path)
        self.check(answer.status == 404 and "can be proven while its event" in answer.text, f"it says why: {answer.status}")

    def proof(self, call: str) -> None:
        """Downloads a proof by its link, and has it checked by the program."""
        self.begin()
        self.contact(call)
        link = self.browser.named("a[download]", "Download")
        with tempfile.TemporaryDirectory() as folder:
            self.browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
            self.browser.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", link)
            link.click()
            end = time.monotonic() + 10
            while time.monotonic() < end and not glob.glob(os.path.join(folder, "*.json")):
                time.sleep(0.05)
            files = glob.glob(os.path.join(folder, "*.json"))
            if not files:
                answer = self.look.get(urlsplit(link.get_attribute("href")).path)
                words = " ".join(re.sub(r"<[^>]*>", " ", answer.text.split("<main", 1)[-1]).split())
                raise AssertionError(f"no file came: {answer.status}, {words[:160]}")
            self.equal(checked(self.fixture, files[0]), call, "the contact that check-proof finds in the file")
            with open(files[0], encoding="utf-8") as place:
                content = place.read()
            # The bytes of the call, as hexadecimal digits, are another call's.
            changed = content.replace(call.encode().hex(), b"N0CALL".hex() if len(call) == 6 else b"W9AW".hex())
            self.check(changed != content, "the file has the call")
            with open(files[0], "w", encoding="utf-8") as place:
                place.write(changed)
            self.check(checked(self.fixture, files[0]).startswith("refused"), "check-proof refuses a proof that was changed")


def checked(fixture: Fixture, file: str) -> str:
    """The call that a proof proves; what the program says instead if it proves none."""
    result = subprocess.run(
        [fixture.program.path, "check-proof", file, "--json"],
        env=fixture.program.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    # 3: nobody has said that the head is theirs, so the proof holds and is not anchored.
    if result.returncode not in (0, 3):
        return f"refused with {result.returncode}"
    return json.loads(result.stdout)["fields"]["CALL"]


# Each question once with scripts and once without; over all questions, each width in both colours, with scripts and without.
WAYS = [
    ((1400, False, True), (380, True, False)),
    ((380, False, True), (1400, True, False)),
    ((1400, True, True), (380, False, False)),
    ((380, True, True), (1400, False, False)),
]


def run(outcome: Outcome, options, shared) -> None:
    fixture = shared.fixture
    look = Look(fixture.program, fixture.store)
    # A page takes its time to be drawn: two browsers side by side take little longer than one.
    second = Chromium(options.screenshots)
    threads = [
        threading.Thread(target=answer, args=(outcome, fixture, look, browser, number), daemon=True)
        for number, browser in enumerate((shared.browser, second))
    ]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(900)
    finally:
        second.quit()
        shared.browser.leave()
        look.stop()
    outcome.part = "questions"
    outcome.check(look.process.returncode == 0, f"groundwave look ends with 0, not {look.process.returncode}")


def answer(outcome: Outcome, fixture: Fixture, look: Look, browser: Chromium, number: int) -> None:
    """Answers all questions, each in one of its two ways."""
    browser.open(look.address)
    for index in range(1, 13):
        browser.show(*WAYS[index % 4][number])
        outcome.part = f"question {index}, {browser.look}"
        began = time.monotonic()
        outcome.attempt("it was not answered", getattr(Questions(fixture, browser, look, outcome), f"question_{index}"))
        for line in browser.complaints():
            outcome.fail(f"the console says {line[:300]}")
        if os.environ.get("LOOK_BROWSER_TIMES"):
            print(f"{outcome.part}: {time.monotonic() - began:.1f} s", flush=True)
