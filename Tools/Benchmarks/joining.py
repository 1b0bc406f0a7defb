"""A new device joins a log that lies in a folder, with a snapshot: how long until it can be read, and until it is whole."""

import pathlib
import shutil
import subprocess
import time

from contacts import contact_count, log
from programs import GROUNDWAVE, Failed, Runs, environment, run
from rows import Bench


def measure(bench: Bench) -> None:
    state = bench.folder / "joining-state"

    def make(path: pathlib.Path) -> None:
        """Leaves all contacts and a snapshot of them in the folder."""
        env = environment(bench.folder / "joining-origin", state)
        run(GROUNDWAVE, "init", env=env)
        run(GROUNDWAVE, "import", log(bench), env=env)
        run(GROUNDWAVE, "settings", "set", "syncEngine", "journal", env=env)
        run(GROUNDWAVE, "remote", "add", "place", path, env=env)
        run(GROUNDWAVE, "sync", env=env)

    def join() -> str:
        """Joins, and counts the contacts from another process until that says all of them."""
        place = bench.input("joining-place", make)
        store = bench.folder / "joined"
        shutil.rmtree(store, ignore_errors=True)
        env = environment(store, state)
        start = time.perf_counter()
        joining = subprocess.Popen(
            [GROUNDWAVE, "join", place], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while subprocess.run([GROUNDWAVE, "qso", "count"], env=env, capture_output=True).returncode != 0:
            if joining.poll() not in (None, 0):
                raise Failed("a join failed")
        readable = time.perf_counter() - start
        joining.wait()
        return f"readable: {readable:.3f} whole {time.perf_counter() - start:.3f}"

    row = bench.table("synchronising")
    joins = Runs(join)
    name = f"new device, {contact_count(bench):,} contacts in a folder"
    row(f"{name}: until they can be counted", "s", "1", joins.reading())
    row(f"{name}: until everything is here", "s", "2", joins.reading("whole"))
