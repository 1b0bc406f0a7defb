"""Places: a new device joins a log, an edit goes from one device to another, and there is nothing to do, over a folder and over
an object store of this machine.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time
import urllib.request

from contacts import contact_count, log
from programs import GROUNDWAVE, TOP, Failed, Runs, environment, milliseconds, run
from rows import Bench

KEYS = {"AWS_ACCESS_KEY_ID": "TESTKEY", "AWS_SECRET_ACCESS_KEY": "TESTSECRET"}


SERVER = [sys.executable, TOP / "Tests/ObjectServers/seaweedfs.py"]


class ObjectStore:
    """A SeaweedFS with a bucket, which starts when its address is asked for."""

    def __init__(self):
        self.process = None
        self.address = ""

    def place(self, name: str) -> str:
        """The address of a folder in the bucket."""
        if self.process is None:
            self.process = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            said = json.loads(self.process.stdout.readline())
            if "port" not in said:
                raise Failed(said["failed"])
            # groundwave makes no bucket.
            folder = f"http://127.0.0.1:{said['filer']}/buckets/bench/"
            urllib.request.urlopen(urllib.request.Request(folder, method="POST"), timeout=30).close()
            self.address = f"http://127.0.0.1:{said['port']}"
        return f"s3://bench/{name}?endpoint={self.address}"

    def end(self) -> None:
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def measure(bench: Bench) -> None:
    with_folder(bench)
    missing = json.loads(run(*SERVER, "--look")).get("missing")
    if missing:
        return print(f"Rows over an object store are left out: {missing}", flush=True)
    store = ObjectStore()
    try:
        return with_object_store(bench, store)
    finally:
        store.end()


def with_folder(bench: Bench) -> None:
    row = bench.table("synchronising")

    def place() -> pathlib.Path:
        return bench.input("joining-place", lambda path: leave_contacts(bench, "folder", str(path)))

    joins = Runs(lambda: join(bench, str(place())))
    name = f"new device, {contact_count(bench):,} contacts in a folder"
    row(f"{name}: until they can be counted", "s", "1", joins.reading())
    row(f"{name}: until everything is here", "s", "2", joins.reading("whole"))

    devices = bench.scale(50, 5)

    def idle() -> float:
        path = bench.input("crowd", lambda path: gather(bench, path, devices))
        env = environment(path / "store1", path / "state1")
        return milliseconds(GROUNDWAVE, "sync", env=env)

    row(f"sync: nothing to do, at a place of {devices} devices, whole process", "ms", "100", idle)


def with_object_store(bench: Bench, store: ObjectStore) -> None:
    row = bench.table("synchronising")
    left: list[str] = []

    def place() -> str:
        if not left:
            left.append(store.place("log"))
            leave_contacts(bench, "bucket", left[0])
        return left[0]

    joins = Runs(lambda: join(bench, place()))
    name = f"new device, {contact_count(bench):,} contacts over SeaweedFS"
    row(f"{name}: until they can be counted", "s", "3", joins.reading())
    row(f"{name}: until everything is here", "s", "6", joins.reading("whole"))

    edits = bench.scale(12, 3)
    row("one edit over SeaweedFS, 95th percentile, both devices watching", "ms", "2,000",
        lambda: slow_edit(bench, store.place(f"edits-{random.getrandbits(64)}"), edits))


def device(bench: Bench, name: str) -> dict:
    """The environment of a device that has no store yet."""
    store, state = bench.folder / f"{name}-store", bench.folder / f"{name}-state"
    for folder in (store, state):
        shutil.rmtree(folder, ignore_errors=True)
    return {**environment(store, state), **KEYS}


def leave_contacts(bench: Bench, name: str, place: str) -> None:
    """Leaves all contacts and a snapshot of them at a place."""
    env = device(bench, f"origin-{name}")
    if "://" not in place:
        os.makedirs(place)
    run(GROUNDWAVE, "init", env=env)
    run(GROUNDWAVE, "import", log(bench), env=env)
    run(GROUNDWAVE, "settings", "set", "syncEngine", "journal", env=env)
    run(GROUNDWAVE, "remote", "add", "place", place, "--open", env=env)
    run(GROUNDWAVE, "sync", env=env)


def join(bench: Bench, place: str) -> str:
    """Joins, and counts the contacts from another process until that says all of them."""
    env = device(bench, "joined")
    start = time.perf_counter()
    joining = subprocess.Popen(
        [GROUNDWAVE, "join", place], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while count(env) < contact_count(bench):
        if joining.poll() not in (None, 0):
            raise Failed("a join failed")
    readable = time.perf_counter() - start
    if joining.wait() != 0:
        raise Failed("a join failed")
    return f"readable: {readable:.3f} whole {time.perf_counter() - start:.3f}"


def count(env: dict) -> int:
    """The contacts of a store, 0 if there is none that can be read yet."""
    said = subprocess.run([GROUNDWAVE, "qso", "count", "--json"], env=env, capture_output=True, text=True)
    return json.loads(said.stdout)["total"] if said.returncode == 0 else 0


def gather(bench: Bench, path: pathlib.Path, devices: int) -> None:
    """Lets so many devices join a log in a folder, and makes them agree."""
    place = path / "place"
    os.makedirs(place)
    environments = [environment(path / f"store{number}", path / f"state{number}") for number in range(devices)]
    run(GROUNDWAVE, "init", env=environments[0])
    run(GROUNDWAVE, "remote", "add", "place", place, "--open", env=environments[0])
    run(GROUNDWAVE, "sync", env=environments[0])
    for env in environments[1:]:
        run(GROUNDWAVE, "join", place, env=env)
    for number in range(bench.scale(20, 2) * devices):
        env = environments[number % devices]
        run(GROUNDWAVE, "qso", "add", f"N{number % 10}{number // 10 % 26 * 'A'}AA", "BAND=20m", "MODE=CW", env=env)
        subprocess.run([GROUNDWAVE, "sync"], env=env, capture_output=True, check=False)
    for _ in range(2):
        for env in environments:
            subprocess.run([GROUNDWAVE, "sync"], env=env, capture_output=True, check=False)


def slow_edit(bench: Bench, place: str, edits: int) -> float:
    """The milliseconds in which 95 of 100 contacts that one device adds are counted on the other one."""
    one, other = device(bench, "editing"), device(bench, "reading")
    run(GROUNDWAVE, "init", env=one)
    run(GROUNDWAVE, "remote", "add", "place", place, "--open", env=one)
    run(GROUNDWAVE, "sync", env=one)
    run(GROUNDWAVE, "join", place, env=other)
    watching = [
        subprocess.Popen(
            [GROUNDWAVE, "sync", "--watch"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for env in (one, other)
    ]
    try:
        took = []
        for number in range(edits):
            time.sleep(random.uniform(0, 3))
            start = time.perf_counter()
            run(GROUNDWAVE, "qso", "add", f"N{number % 10}AA", "BAND=20m", "MODE=CW", env=one)
            while count(other) <= number:
                if time.perf_counter() - start > 60:
                    raise Failed("an edit does not arrive within a minute")
                time.sleep(0.02)
            took.append(1000 * (time.perf_counter() - start))
        return sorted(took)[int(0.95 * (len(took) - 1))]
    finally:
        for process in watching:
            process.terminate()
            process.wait()
