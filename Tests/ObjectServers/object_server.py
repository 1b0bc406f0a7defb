"""An object store of its own for one process of tests, on this machine only.

The first line on standard output is a JSON object: the port, or why there is none. The store ends with standard input, also
if the process that reads it was killed: then its processes are killed, and its folder goes.
"""
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

KEY, SECRET = "TESTKEY", "TESTSECRET"


class Failed(Exception):
    """Why a store does not start."""


def free_ports(count, also=0):
    """Ports that are free, and with each that one which lies `also` above it."""
    ports, held = [], []
    while len(ports) < count:
        first = socket.socket()
        first.bind(("127.0.0.1", 0))
        # Ports that the system gives to others meanwhile lie above 32768.
        number = 12000 + first.getsockname()[1] % 10000
        held.append(first)
        try:
            for each in {number, number + also}:
                held.append(socket.socket())
                held[-1].bind(("127.0.0.1", each))
            ports.append(number)
        except OSError:
            pass
    for each in held:
        each.close()
    return ports


def dies_with_parent():
    """On Linux a process of the store is killed if this one is."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (AttributeError, OSError):
        pass


class Store:
    """The processes of a store, the folder that they write to, and what they leave elsewhere."""

    def __init__(self, name):
        self.name = name
        self.folder = tempfile.mkdtemp(prefix=f"{name}.")
        self.processes = []
        self.leftovers = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def start(self, *command):
        """Starts a process that goes on until the store ends."""
        with open(self.path("log"), "ab") as log:
            self.processes.append(
                subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                    preexec_fn=dies_with_parent))

    def run(self, *command, seconds=0):
        """Runs a program to its end. One that fails is run again for so many seconds, if all processes still run."""
        end = time.monotonic() + seconds
        while True:
            with open(self.path("log"), "ab") as log:
                try:
                    ended = subprocess.run(
                        command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, timeout=300)
                except subprocess.TimeoutExpired as error:
                    raise Failed(f"{command[0]} does not end: {self.last_words()}") from error
            if ended.returncode == 0:
                return
            if any(process.poll() is not None for process in self.processes) or time.monotonic() > end:
                raise Failed(f"{command[0]} fails: {self.last_words()}")
            time.sleep(0.5)

    def wait_for(self, address):
        """Waits until the store answers."""
        end = time.monotonic() + 120
        while True:
            try:
                return urllib.request.urlopen(address, timeout=5).close()
            except (OSError, urllib.error.URLError):
                if any(process.poll() is not None for process in self.processes) or time.monotonic() > end:
                    raise Failed(f"It does not answer: {self.last_words()}") from None
                time.sleep(0.05)

    def last_words(self):
        with open(self.path("log"), encoding="utf-8", errors="replace") as log:
            return log.read()[-2000:]

    def end(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        for path in self.leftovers:
            if os.path.exists(path):
                os.remove(path)


def find(program):
    """A program, from PATH or from the tools of the checkout that this file lies in."""
    found = shutil.which(program)
    folder = os.path.dirname(os.path.abspath(__file__))
    while not found and folder != "/":
        found = shutil.which(program, path=os.path.join(folder, ".build-tools/bin"))
        folder = os.path.dirname(folder)
    return found


def serve(name, programs, start):
    """Starts a store with `start`, which returns its ports by name, and keeps it until standard input ends."""
    paths = {program: find(program) for program in programs}
    missing = [program for program, path in paths.items() if not path]
    if missing:
        return print(json.dumps({"missing": f"{', '.join(missing)} not installed"}), flush=True)
    if "--look" in sys.argv:
        return print(json.dumps({"programs": paths}), flush=True)
    store = Store(name)
    try:
        print(json.dumps(start(store, paths)), flush=True)
        sys.stdin.read()
    except Failed as failure:
        print(json.dumps({"failed": f"{name} does not start. {failure}"}), flush=True)
    finally:
        store.end()
    return None
