"""Time travel: points of the past of a store that grew over three years, with the snapshots that maintenance keeps."""

import pathlib

import contacts
from programs import SHARED, Runs, engine, figure
from rows import Bench


def store(bench: Bench, name: str, events: int) -> pathlib.Path:
    """Returns a store of so many events, on which maintenance ran 64 times."""
    return bench.input(name, lambda path: print(engine("past-build", path, events, 304, 64).strip(), flush=True))


def measure(bench: Bench) -> None:
    row = bench.table("time travel")
    snapshot = Runs(lambda: engine("past-snapshot", bench.folder / "snapshot", contacts.log(bench)))
    count = f"{contacts.contact_count(bench):,}"
    row(f"snapshot of {count} contacts, writing", "s", "under 0.5", snapshot.reading("write"))
    row(f"snapshot of {count} contacts, loading", "s", "under 0.5", snapshot.reading("load"))
    real_logs = SHARED / "adif"
    if real_logs.exists():
        row(
            "snapshot, real logs", "bytes/contact", "at most 60",
            lambda: figure(engine("past-bytes", bench.folder / "real", real_logs)),
        )

    def hundred_thousand() -> pathlib.Path:
        return store(bench, "past-small", bench.scale(166_667, 10_000))

    def million() -> pathlib.Path:
        return store(bench, "past-large", bench.scale(1_000_000, 20_000))

    row(
        "past steps: 50 points of 100,000 contacts in order", "s", "under 2",
        lambda: figure(engine("past-steps", hundred_thousand(), 50)),
    )
    whole = Runs(lambda: engine("past-whole", million(), bench.scale(16, 3)))
    row("a past point of 1 M events, readable", "s", "under 1", whole.reading())
    row("a past point of 1 M events, against a replay", "times", "5", whole.reading("faster"))
    row(
        "past record, its history, its blame, 99th percentile", "ms", "under 5",
        lambda: figure(engine("past-record", million(), bench.scale(2_000, 100))),
    )
    row(
        "past diff of two points a day apart", "ms", "under 500",
        lambda: figure(engine("past-difference", million(), bench.scale(50, 10))),
    )
