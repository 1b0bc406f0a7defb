"""Contacts: a log in ADIF is parsed and imported, and the program lists and shows what it has."""

import pathlib
import re
import shutil

from programs import GROUNDWAVE, engine, environment, figure, milliseconds, python, run, seconds
from rows import LIMIT, Bench


def contact_count(bench: Bench) -> int:
    return bench.scale(100_000, 20_000)


def log(bench: Bench) -> pathlib.Path:
    """Returns a generated log in ADIF."""
    return bench.input("log.adi", lambda path: engine("log", path, contact_count(bench)))


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

    def call() -> str:
        """The callsign of the first contact."""
        with open(log(bench), encoding="utf-8") as file:
            return re.search(r"<CALL:\d+>(\S+)", file.read(2000))[1]

    def whole_process(*command) -> float:
        store = bench.input("contacts", import_into)
        return milliseconds(GROUNDWAVE, *command, env=environment(store, state))

    row = bench.table("engine")
    row("ADIF parse", "MB/s", "150", lambda: figure(engine("parse", log(bench))))
    row(
        f"import of {contact_count(bench):,} contacts", "s", "under 1.5, and 10 x faster than adif-io",
        import_anew, lambda: figure(python("parse_adif.py", log(bench))), "adif-io only parses", LIMIT,
    )
    row(
        "qso list --call, whole process", "ms", "20 + 5 on a store of 1 M events",
        lambda: whole_process("qso", "list", "--call", call()),
    )
    row("qso show, whole process", "ms", "40", lambda: whole_process("qso", "show", call()))
