"""The log and its views: appending, reading, hashing, checking, recovering, rebuilding."""

import pathlib
import shutil

from programs import GROUNDWAVE, Runs, engine, environment, figure, least_figure, seconds, yardstick
from rows import LIMIT, Bench

# `verify` runs on all cores and its yardstick on one, so other work on the machine slows them down differently.
ALL_CORES_LIMIT = 2.5


def measure(bench: Bench) -> None:
    append(bench)
    read(bench)
    recover(bench)
    rebuild(bench)


def append(bench: Bench) -> None:
    """Appends events of 200 bytes, each batch durable before the next."""
    append_batches(bench, "one by one", 1, events=bench.scale(2_000, 200), sqlite="1.3", flat="0.85")
    append_batches(bench, "batches of 100", 100, events=bench.scale(100_000, 5_000), sqlite="1.2", flat="0.80")
    append_batches(bench, "batches of 1,000", 1000, events=bench.scale(400_000, 20_000), sqlite="2.0", flat="0.60")
    append_in_memory(bench)


def append_batches(bench: Bench, name: str, batch: int, events: int, sqlite: str, flat: str) -> None:
    row = bench.table("appending")

    def ours() -> float:
        return figure(engine("append", bench.folder / "appended", events, batch))

    def theirs(program: str, durability: str):
        path = bench.folder / f"appended-{program}"
        return lambda: figure(yardstick(program, "append", path, events, batch, durability))

    row(
        f"append, {name}", "events/s", "0.85 of C on LMDB, flushed twice",
        ours, theirs("lmdbb", "sync"), "C on LMDB",
    )
    row(
        f"append, {name} (SQLite)", "events/s", f"{sqlite} x SQLite WAL FULL",
        ours, theirs("sqlb", "full"), "SQLite WAL FULL",
    )
    row(
        f"append, {name} (flat file)", "events/s", f"{flat} of a flat file with fdatasync",
        ours, theirs("flat", "sync"), "flat file",
    )


def append_in_memory(bench: Bench) -> None:
    """Appends to files in memory, where a flush costs nothing.

    Of the rows of appending this is the one that is compared at small size: on a busy machine a flush waits for the
    scheduler, and C on LMDB flushes twice and we once, so the ratio on a disk is 0.98 on an idle machine and 1.76 on a
    busy one.
    """
    # Containers often have 64 MiB of files in memory; an event takes 230 bytes, in ours and in the yardstick.
    events = 100_000
    row = bench.table("appending")
    row(
        "append in memory, batches of 1,000", "events/s", "–",
        lambda: figure(engine("append", bench.memory / "appended", events, 1000)),
        lambda: figure(yardstick("lmdbb", "append", bench.memory / "appended-lmdbb", events, 1000, "sync")),
        "C on LMDB", LIMIT,
    )


def read(bench: Bench) -> None:
    """Scans, hashes and checks a log of events of 200 bytes."""
    events = bench.scale(1_000_000, 200_000)

    def log(count: int = events) -> pathlib.Path:
        return bench.input(f"log-{count}", lambda path: engine("append", path, count, 1000))

    # A scan of a log that lies in the cache that all cores share is as fast as the neighbours of this machine let it be,
    # and C has less to compute meanwhile. The small log lies in the cache of one core. A pass over it takes a fraction of
    # a millisecond: one that the scheduler interrupts says nothing, and the least of many is taken.
    scanned = bench.scale(events, 5_000)
    passes = bench.scale(9, 200)

    def log_in_c() -> pathlib.Path:
        return bench.input("log-in-c", lambda path: yardstick("lmdbb", "append", path, scanned, 1000, "nosync"))

    row = bench.table("engine")
    row(
        "scan with lazy fields", "ns/event", "at most 1.3 x C",
        lambda: least_figure(engine("scan", log(scanned), passes)),
        lambda: least_figure(yardstick("lmdbb", "scan", log_in_c(), passes)), "C cursor", LIMIT,
    )
    row(
        "Merkle hashing", "ns/event", "at most 1.6 x EVP",
        lambda: figure(engine("hash", log())),
        lambda: figure(yardstick("merkle", log())), "C, OpenSSL EVP", LIMIT,
    )
    row(
        "verify, each of the cores", "events/s", "500,000",
        lambda: figure(engine("verify", log())),
        lambda: 1e9 / figure(yardstick("merkle", log())), "C, OpenSSL EVP, hashes alone, one core",
        ALL_CORES_LIMIT,
    )
    row = bench.table("appending")
    row(
        f"full preflight of a log of {events:,} events", "s", "under 1",
        lambda: figure(engine("preflight", log())),
    )
    row("salvage, reading", "MB/s", "150", lambda: figure(engine("salvage", log())))


def change_count(bench: Bench) -> int:
    return bench.scale(1_000_000, 100_000)


def changes(bench: Bench) -> pathlib.Path:
    """Returns a log of changes: one event in ten is a full record, the others change 1 to 4 of its fields."""
    count = change_count(bench)
    return bench.input("changes", lambda path: engine("generate", path, count, count // 10))


def recover(bench: Bench) -> None:
    """Measures `groundwave salvage FILE --to PATH` as a whole."""

    def salvage() -> float:
        log, recovered, state = changes(bench), bench.folder / "recovered", bench.folder / "recovered-state"
        for folder in (recovered, state):
            shutil.rmtree(folder, ignore_errors=True)
        return seconds(GROUNDWAVE, "salvage", log, "--to", recovered, env=environment(recovered, state))

    row = bench.table("appending")
    row(
        f"recovery of {change_count(bench):,} events: salvaged, written, verified, opened", "s", "under 5",
        salvage,
    )


def rebuild(bench: Bench) -> None:
    """Rebuilds the views of a log, and catches them up."""
    count = change_count(bench)

    def ours() -> str:
        return engine("rebuild", changes(bench))

    def theirs(kind: str) -> float:
        events = bench.input("changes-in-c", lambda path: yardstick("replay", "build", path, count, count // 10))
        return figure(yardstick("replay", kind, events, bench.folder / "views-in-c"))

    # The C program mostly waits for memory that it has not touched before: on one machine it does 1.3 M events/s, on
    # another 2.4 M, while ours and SQLite do as many on both. So the ratio to SQLite is the one that is compared.
    row = bench.table("engine")
    row(
        "rebuild, per-field merge", "events/s", "0.8 of C",
        lambda: figure(ours()), lambda: theirs("lmdb"), "C replay",
    )
    row(
        "rebuild (SQLite upserts)", "events/s", "10 x SQLite",
        lambda: figure(ours()), lambda: theirs("sqlite"), "SQLite upserts", LIMIT,
    )
    # The program fails unless the projection is what a fold by hand says.
    row(
        f"a projection's part of a rebuild of {count:,} events", "us/event", "under 1",
        lambda: figure(engine("projection", changes(bench), count, count // 10, 1)),
    )
    row("rebuild, anonymous memory", "MiB", "under 150", Runs(ours).reading("memory"))
    row(
        "1,000 events into existing views", "us/event", "under 5",
        lambda: figure(engine("catchup", changes(bench), 1000, count // 10)),
    )
