"""The pages of groundwave look: how long the server takes for each, and Chromium to show it; their size, and the memory of the server.

A log of ten imports of one file, each with another value for every contact: one event in ten adds a contact.
"""

import random
import re
import statistics
import sys

from contacts import contact_count, log
from meters import day, rows_of_day
from programs import GROUNDWAVE, TOP, Failed, environment, run
from rows import Bench

sys.path.append(str(TOP / "Tests/LookBrowser"))

from program import Look, Program  # noqa: E402

IMPORTS = 10
# All that a page asks for counts with it.
PARTS = re.compile(r'(?:src|href)="(/(?:[a-z-]+\.(?:svg|css|js))[^"]*)"')


class Site:
    """A running server for a store, asked for one page after the other."""

    def __init__(self, bench: Bench, name: str, store):
        self.look = Look(Program(str(GROUNDWAVE), str(bench.folder / name)), str(store))
        self.random = random.Random(1)

    def milliseconds(self, path: str) -> float:
        answer = self.look.get(path, timeout=120)
        if answer.status != 200:
            raise Failed(f"{path} is answered with {answer.status}")
        return 1000 * answer.seconds

    def kilobytes(self, path: str) -> float:
        """The bytes of a page with its pictures, without the style and the script, which the browser keeps."""
        page = self.look.get(path, timeout=120)
        pictures = {part for part in PARTS.findall(page.text) if ".svg" in part}
        return (len(page.body) + sum(len(self.look.get(part.replace("&amp;", "&")).body) for part in pictures)) / 1000


def make_store(bench: Bench, folder) -> None:
    """Imports the log ten times, each time with another name for every contact."""
    env = environment(folder / "store", folder / "state")
    folder.mkdir()
    run(GROUNDWAVE, "init", env=env)
    text = log(bench).read_text(encoding="utf-8")
    end = re.search(r"<eor>", text, re.IGNORECASE)[0]
    for number in range(IMPORTS):
        (folder / "log.adi").write_text(text.replace(end, f"<RIG:7>round {number}{end}"), encoding="utf-8")
        run(GROUNDWAVE, "import", folder / "log.adi", env=env)


def measure(bench: Bench) -> None:
    row = bench.table("looking")
    folder = bench.folder / "looked-at"
    sites: dict[str, Site] = {}

    def site() -> Site:
        if "log" not in sites:
            sites["log"] = Site(bench, "looked-at", bench.input("looked-at", lambda path: make_store(bench, path)) / "store")
        return sites["log"]

    def traces() -> Site:
        if "traces" not in sites:
            sites["traces"] = Site(bench, "day", day(bench) / "store")
        return sites["traces"]

    events = contact_count(bench) * IMPORTS
    point = ""

    def first_visit() -> float:
        nonlocal point
        point = f"@{site().random.randrange(events // 10, events)}"
        return site().milliseconds(f"/?at={point}") / 1000

    def tile() -> float:
        """The median of twenty stretches of any length, from a second to the day."""
        address = re.search(r'href="(/trace/[^"?]+)', traces().look.get("/traces").text)[1]
        whole = re.search(r"from=(-?\d+)&amp;to=(-?\d+)", traces().look.get(address).text)
        start = int(whole[1])
        figures = []
        for _ in range(20):
            length = int(1000 * 86_400 ** site().random.random())
            first = start + site().random.randrange(rows_of_day(bench))
            figures.append(traces().milliseconds(f"{address}/chart?from={first}&to={first + length}"))
        return statistics.median(figures)

    try:
        name = f"page: of {events:,} events"
        row(f"{name}, the first", "ms", "under 30", lambda: site().milliseconds("/"))
        row(f"{name}, a point at the first visit", "s", "under 1", first_visit)
        row(f"{name}, that point again", "ms", "under 100", lambda: site().milliseconds(f"/?at={point}"))
        row(f"{name}, contacts at that point", "ms", "under 50", lambda: site().milliseconds(f"/contacts?at={point}"))
        row(f"{name}, activity", "s", "–", lambda: site().milliseconds("/activity") / 1000)
        row(f"{name}, map", "s", "–", lambda: site().milliseconds("/map") / 1000)
        row(f"{name}, bytes of the contacts", "kB", "under 150", lambda: site().kilobytes("/contacts"))
        row(f"{name}, bytes of the map", "kB", "under 150", lambda: site().kilobytes("/map"))
        row("page: curves of a day at 1 kHz, twenty stretches", "ms", "under 10", tile)
        row(f"{name}, memory of the server after these", "MiB", "under 150", lambda: site().look.private_kibibytes() / 1024)
    finally:
        for started in sites.values():
            started.look.stop()
