"""Sync: two stores of a million events, and a remote that five devices push to. The other side is the program."""

import pathlib

from programs import GROUNDWAVE, HISTORIES, Runs, engine, environment, figure, milliseconds, run, seconds
from rows import Bench


def measure(bench: Bench) -> None:
    row = bench.table("synchronising")

    def make(path: pathlib.Path) -> None:
        print(engine("sync-build", path, bench.scale(1_000_000, 10_000)).strip(), flush=True)

    def stores() -> pathlib.Path:
        return bench.input("sync", make)

    edit = Runs(lambda: engine("sync-edit", stores(), GROUNDWAVE, bench.scale(200, 20)))
    row("sync: one edit over TCP, from the commit to where it shows", "ms", "under 10", edit.reading())
    row("sync: bytes of one edit over TCP, both ways", "bytes", "under 1,024", edit.reading("bytes"))
    row("sync: turns of one edit over TCP", "turns", "at most 4: two round trips", edit.reading("turns"))
    row(
        "sync: one edit through a folder, 95th percentile", "ms", "under 1,000",
        lambda: figure(engine("sync-watch", stores(), GROUNDWAVE, bench.scale(60, 5))),
    )
    many = Runs(lambda: engine("sync-many", stores(), GROUNDWAVE, bench.scale(10_000, 1_000)))
    row("sync: 10,000 new events over TCP", "s", "under 1", many.reading())
    row("sync: bytes of these, against their events", "of the events", "at most 0.5", many.reading("share"))

    is_synchronised = False

    def idle() -> float:
        nonlocal is_synchronised
        env = environment(stores() / "one", stores() / "state")
        if not is_synchronised:
            # After this one there is nothing to do.
            run(GROUNDWAVE, "sync", "place", env=env)
            is_synchronised = True
        return milliseconds(GROUNDWAVE, "sync", "place", env=env)

    row("sync: nothing to do, at a place of five, whole process", "ms", "under 50", idle)

    histories = bench.scale(2_000, 400)
    row(
        "random histories of devices, with all their checks", "a second", "200",
        lambda: histories / seconds(HISTORIES, f"1...{histories}"),
    )
