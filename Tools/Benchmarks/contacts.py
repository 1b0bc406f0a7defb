"""Contacts: a log in ADIF is parsed and imported; the program lists, counts, exports and checks what it has."""

import pathlib
import re
import shutil

from programs import GROUNDWAVE, anonymous_memory, engine, environment, figure, milliseconds, python, run, seconds
from rows import LIMIT, Bench


def contact_count(bench: Bench) -> int:
    return bench.scale(100_000, 20_000)


def log(bench: Bench) -> pathlib.Path:
    """Returns a generated log in ADIF."""
    return bench.input("log.adi", lambda path: engine("log", path, contact_count(bench)))


def first_call(log: pathlib.Path) -> str:
    """The call of the first contact of a log."""
    with open(log, encoding="utf-8") as file:
        return re.search(r"<CALL:\d+>(\S+)", file.read(2000))[1]


def measure(bench: Bench) -> None:
    state = bench.folder / "contacts-state"

    def import_into(store: pathlib.Path) -> float:
        env = environment(store, state)
        run(GROUNDWAVE, "init", env=env)
        return seconds(GROUNDWAVE, "import", log(bench), env=env)

    def import_anew() -> float:
        store = bench.folder / "imported"
        shutil.rmtree(store, ignore_errors=True)
        return import_into(store)

    def whole_process(*command) -> float:
        store = bench.input("contacts", import_into)
        return milliseconds(GROUNDWAVE, *command, env=environment(store, state))

    def export(format_name: str) -> float:
        return whole_process("export", "--format", format_name, "--force", "-o", bench.folder / f"export.{format_name}") / 1000

    def in_python(task: str) -> float:
        return figure(python("contacts_in_sqlite.py", log(bench), bench.folder / "python.db", task, bench.folder / "python.out"))

    row = bench.table("engine")
    row("ADIF parse", "MB/s", "150", lambda: figure(engine("parse", log(bench))))
    row(
        f"import of {contact_count(bench):,} contacts", "s", "under 1.5, and 10 x faster than adif-io",
        import_anew, lambda: figure(python("parse_adif.py", log(bench))), "adif-io only parses", LIMIT,
    )

    def import_memory() -> float:
        store = bench.folder / "imported"
        shutil.rmtree(store, ignore_errors=True)
        env = environment(store, state)
        run(GROUNDWAVE, "init", env=env)
        return anonymous_memory(GROUNDWAVE, "import", log(bench), env=env)

    row(f"import of {contact_count(bench):,} contacts, anonymous memory", "MiB", "128 for any file", import_memory)
    row(
        "qso list --call, whole process", "ms", "20 + 5 on a store of 1 M events",
        lambda: whole_process("qso", "list", "--call", first_call(log(bench))),
    )
    row("qso show, whole process", "ms", "40", lambda: whole_process("qso", "show", first_call(log(bench))))
    row(
        "qso count, whole process", "ms", "5 in the process",
        lambda: whole_process("qso", "count"), lambda: 1000 * in_python("count"), "SQLite in the process",
    )
    for name, words in (
        ("qso find, a word that nobody has", ("find", "zzzz")),
        ("qso list --where, one field", ("list", "--where", "GRIDSQUARE=FN3*")),
        ("qso count --by, one field", ("count", "--by", "GRIDSQUARE")),
        ("qso list --call, a pattern", ("list", "--call", "W1*", "--limit", "20")),
    ):
        row(f"{name}, whole process", "ms", "100", lambda words=words: whole_process("qso", *words))
    row("qso list, all contacts", "s", "0.5", lambda: whole_process("qso", "list", "--limit", "0") / 1000)
    row("export as ADI", "s", "–", lambda: export("adi"), lambda: in_python("adi"), "Python and SQLite", LIMIT)
    row("export as CSV", "s", "0.7 of Python", lambda: export("csv"), lambda: in_python("csv"), "Python and SQLite", LIMIT)
    row("export as NDJSON", "s", "–", lambda: export("ndjson"))
    row("export as ADX", "s", "–", lambda: export("adx"))
    row("export --map svg", "s", "1", lambda: whole_process("export", "--map", "svg") / 1000)
    row(
        "export as SQLite", "s", "1.3 of Python", lambda: export("sqlite"),
        lambda: in_python("insert"), "Python, rows already read", LIMIT,
    )
    for words, goal in (
        ("digest", "0.4"), ("replay", "0.7"), ("verify --deep", "1.0"), ("stats", "0.2"), ("duplicates", "0.3")
    ):
        row(words, "s", goal, lambda words=words: whole_process(*words.split()) / 1000)
    row("import again, nothing new", "s", "0.5", lambda: whole_process("import", log(bench)) / 1000)
    measure_observing(bench)
    measure_many(bench)


def measure_observing(bench: Bench) -> None:
    """A list of contacts on the screen of an application, while one of them and a friend are written."""
    count = contact_count(bench)
    row = bench.table("engine")

    def observed(measurement: str, rounds: int) -> float:
        store = bench.input("observed", lambda path: engine("observe-build", path, count))
        return figure(engine(measurement, store, rounds))

    name = f"observed list of {count:,} contacts"
    row(f"{name}: its actor, for each commit", "ms", "under 1", lambda: observed("observe-actor", 25))
    row(f"{name}: from a commit to the new value", "ms", "10", lambda: observed("observe-value", 25))
    row(f"opening a store of {count:,} contacts, with unchanged kinds", "ms", "10", lambda: observed("open", 15))
    row(f"count of {count:,} contacts, in the process", "ms", "10", lambda: observed("count", 15))


def measure_many(bench: Bench) -> None:
    """A log of ten times as many contacts: what is asked often must not take longer for it."""
    count = 10 * contact_count(bench)
    state = bench.folder / "many-state"
    row = bench.table("engine")

    def many_log() -> pathlib.Path:
        return bench.input("many.adi", lambda path: engine("log", path, count))

    def import_many(store: pathlib.Path) -> None:
        run(GROUNDWAVE, "init", env=environment(store, state))
        run(GROUNDWAVE, "import", many_log(), env=environment(store, state))

    def whole_process(*command) -> float:
        return milliseconds(GROUNDWAVE, *command, env=environment(bench.input("many", import_many), state))

    name = f"{count:,} contacts"
    row(f"{name}: qso show of the last one, whole process", "ms", "20 to open", lambda: whole_process("qso", "show", "last"))
    row(f"{name}: qso list, a page of 20", "ms", "25", lambda: whole_process("qso", "list", "--limit", "20"))
    row(
        f"{name}: qso list --call", "ms", "60",
        lambda: whole_process("qso", "list", "--call", first_call(many_log())),
    )
    row(
        f"{name}: qso worked", "ms", "5 in the process", lambda: whole_process("qso", "worked", first_call(many_log())),
    )
    row(f"{name}: qso count", "ms", "–", lambda: whole_process("qso", "count"))
