"""Meters: what traces take, and how fast they are written, read, exported and plotted."""

import pathlib

import traces
from programs import (
    GROUNDWAVE, SHARED, Runs, anonymous_memory, engine, environment, figure, python, run, seconds, yardstick,
)
from rows import LIMIT, Bench

# The limit for coding: some processors run the loop of the yardstick two or three times as fast as others of that age.
CODER_LIMIT = 2.5

# The most bytes that a value may take, by the trace.
BYTES = {"A": 0.33, "D": 0.42, "E": 0.38, "S1": 0.33, "S2": 0.20, "S3": 0.45}

# Those of real meters.
CAPTURES = ("A", "D", "E")


def measure(bench: Bench) -> None:
    names = traces.available(SHARED / "meter")
    for name in names:
        measure_size(bench, name)
        if name in CAPTURES:
            measure_size_once(bench, name)
    for name in (*CAPTURES, "S1", "S3"):
        if name in names:
            measure_coder(bench, name, bench.scale(200_000, 10_000))
    # The walk is there on every machine, so its ratios are the ones that are compared at small size.
    measure_coder(bench, "W", bench.scale(200_000, 50_000), CODER_LIMIT)
    row = bench.table("meters")
    row(
        "meter: recording 1 kHz x 7 channels, of a core", "%", "under 2",
        lambda: figure(engine("meter-record", bench.folder / "recorded", bench.scale(120, 5))),
    )
    measure_export(bench)
    measure_day(bench)
    measure_lists(bench)


def walk_rows(bench: Bench) -> int:
    return bench.scale(1_000_000, 100_000)


def trace(bench: Bench, name: str) -> pathlib.Path:
    """Returns the path of a trace, without the ending: `.csv` is the trace, `.int64` its integers."""
    folder = bench.input("traces", pathlib.Path.mkdir)
    if not (folder / f"{name}.csv").exists():
        rows = walk_rows(bench) if name == "W" else bench.scale(1_000_000, 20_000)
        traces.make(name, SHARED / "meter", folder, rows)
    return folder / name


def measure_size(bench: Bench, name: str) -> None:
    row = bench.table("meters")
    size = Runs(lambda: engine("meter-size", bench.folder / f"stored-{name}", f"{trace(bench, name)}.csv"))
    row(
        f"meter: bytes a value of {name}, with what is said of blocks", "bytes/value", f"at most {BYTES[name]:g}",
        size.reading(),
    )
    row(f"meter: pages of the log for {name}, against these bytes", "times", "at most 1.15", size.reading("pages"))
    row(f"meter: pages of the pyramid for {name}", "bytes/value", "at most 0.05", size.reading("pyramid"))


def measure_size_once(bench: Bench, name: str) -> None:
    """Measures a capture as it is: its last block is short, and its pages are not full."""
    row = bench.table("meters")

    def once() -> float:
        return figure(engine("meter-size", bench.folder / f"once-{name}", f"{trace(bench, name)}.csv", "once"))

    row(f"meter: bytes a value of {name}, played once", "bytes/value", "at most 0.42", once)


def measure_coder(bench: Bench, name: str, rows: int, limit: float | None = None) -> None:
    row = bench.table("meters")
    ours = Runs(lambda: engine("meter-codec", f"{trace(bench, name)}.csv", rows))
    theirs = Runs(lambda: yardstick("bitpack", f"{trace(bench, name)}.int64"))
    for direction, goal in (("encode", "1/20 of C"), ("decode", "1/5 of C")):
        row(
            f"meter: {direction} {name}", "M values/s", goal,
            ours.reading(direction), theirs.reading(direction), "C, scalar bit packing", limit,
        )


def measure_export(bench: Bench) -> None:
    """Exports a trace as CSV. Python's csv writes the same rows, which it has read before."""
    state = bench.folder / "exported-state"

    def import_trace(store: pathlib.Path) -> None:
        env = environment(store, state)
        run(GROUNDWAVE, "init", env=env)
        file = f"{trace(bench, 'W')}.csv"
        run(GROUNDWAVE, "trace", "import", file, "--meter", "02:00:00:00:00:01", "--model", "km003c", env=env)

    def export() -> float:
        env = environment(bench.input("exported", import_trace), state)
        return seconds(GROUNDWAVE, "trace", "export", "last", "--force", "-o", bench.folder / "export.csv", env=env)

    def write_in_python() -> float:
        return figure(python("write_csv.py", f"{trace(bench, 'W')}.csv", bench.folder / "python.csv"))

    row = bench.table("meters")
    row(
        f"meter: export of {walk_rows(bench):,} rows as CSV, whole process", "s",
        "1/5 of Python's csv, which only writes",
        export, write_in_python, "Python", LIMIT,
    )


def rows_of_day(bench: Bench) -> int:
    return bench.scale(86_400_000, 1_000_000)


def day(bench: Bench) -> pathlib.Path:
    """Returns a store, with its state folder, of a trace of a day at 1 kHz."""
    return bench.input("day", lambda path: print(engine("meter-build", path, rows_of_day(bench)).strip(), flush=True))


def measure_day(bench: Bench) -> None:
    """Plots, lists and exports a trace of a day at 1 kHz."""
    row = bench.table("meters")

    def export(kind: str, *range_) -> float:
        env = environment(day(bench) / "store", day(bench) / "state")
        return anonymous_memory(GROUNDWAVE, "trace", "export", "last", "--format", kind, *range_, env=env)

    title = "meter: plot of a day at 1 kHz, one channel, 2,000 columns"
    cells = Runs(lambda: engine("meter-plot", day(bench), 2000, "cells"))
    whole = Runs(lambda: engine("meter-plot", day(bench), 2000, "whole"))
    row(f"{title}, each a cell", "ms", "under 50", cells.reading())
    row(f"{title}, of that day exactly", "ms", "under 50", whole.reading())
    row(
        "meter: plot, its columns from all rows of all seven channels", "s", "under 7: 1 a channel",
        whole.reading("rows"),
    )
    row("meter: list, what is said of that day", "ms", "–", whole.reading("summary"))
    row(
        "meter: sums of that day but its first and last row", "ms", "under 20",
        lambda: figure(engine("meter-stretch", day(bench), 9)),
    )

    def measure_memory(kind: str) -> None:
        row(
            f"meter: export of that day as {kind}, its memory", "MiB", "under 64",
            lambda: export(kind), lambda: export(kind, "--to", "2023-11-14T22:14"), "its first 40 s",
        )

    measure_memory("csv")
    measure_memory("parquet")


def measure_lists(bench: Bench) -> None:
    """Connects and lists meters, in memory: without flushes, the time that is left is ours."""
    row = bench.table("meters")
    connect = Runs(lambda: engine("meter-connect", bench.memory / "meters", 100))
    row("meter: connect, in memory", "ms", "under 5", connect.reading())
    row("meter: list of 10 meters", "ms", "under 5", connect.reading("list"))
