"""Runs the program as a user's shell would, each device with folders of its own, and keeps what came of every command.

Nothing here knows how the program works: only its arguments, its exit code, its signal and what it printed.
"""
import json
import os
import shutil
import signal
import subprocess
import threading
import time

# A command that takes longer than this hangs: everything here is small.
TIME_OUT = 60

# What a command says on standard error, or in an error object, when it has met damage or works on a temporary store.
WORDS_OF_DAMAGE = ("damage", "recover", "rebuil", "temporary store", "lost", "made again")


class Ended:
    """How a command ended."""

    def __init__(self, arguments, code, out, err, seconds, began):
        self.arguments, self.out, self.err, self.seconds, self.began = arguments, out, err, seconds, began
        self.code = code if code is not None and code >= 0 else None
        self.signal = -code if code is not None and code < 0 else None
        self.hung = code is None

    @property
    def done(self):
        return self.code == 0

    @property
    def crashed(self):
        """Whether it ended in a way that no command may: by a signal, by a bug of its own, or not at all."""
        return self.hung or self.signal is not None or self.code == 70

    @property
    def warned(self):
        """Whether it said a word of damage or recovery."""
        said = self.err.lower()
        return any(word in said for word in WORDS_OF_DAMAGE)

    @property
    def is_temporary(self):
        """Whether it said that it worked on the temporary store of a recovery that waits."""
        return "temporary store" in self.err.lower()

    @property
    def json(self):
        try:
            answer = json.loads(self.out)
        except ValueError:
            return {}
        return answer if isinstance(answer, dict) else {}

    @property
    def how(self):
        if self.hung:
            return f"hung for {TIME_OUT} s"
        return f"ended by signal {self.signal}" if self.signal else f"ended with {self.code}"

    def __str__(self):
        said = " ".join((self.err.strip() or (self.out.strip() if not self.done or len(self.out) < 400 else "")).split())
        return f"`{' '.join(self.arguments)}` {self.how}" + (f": {said[:300]}" if said else "")


class Device:
    """One device: a store, the state folder beside it, a home."""

    def __init__(self, program, folder, name, journal):
        self.program, self.folder, self.name, self.journal = program, folder, name, journal
        self.store, self.state = os.path.join(folder, name), os.path.join(folder, name + ".state")
        self.home = os.path.join(folder, name + ".home")
        os.makedirs(self.home, exist_ok=True)
        os.makedirs(self.state, exist_ok=True)

    @property
    def environment(self):
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH") if key in os.environ}
        return kept | {"GROUNDWAVE_STORE": self.store, "GROUNDWAVE_STATE": self.state, "HOME": self.home, "TZ": "UTC",
                       "NO_COLOR": "1", "TMPDIR": self.folder, "SWIFT_BACKTRACE": "enable=no"}

    def run(self, *arguments, stdin=None, json=True, timeout=TIME_OUT):
        """The command's end; a command that hangs is killed."""
        arguments = [str(argument) for argument in arguments] + (["--json"] if json else [])
        began = time.monotonic()
        process = subprocess.Popen([self.program, *arguments], env=self.environment, cwd=self.folder,
                                   stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(stdin, timeout=timeout)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            code = None
        ended = Ended(arguments, code, text(out), text(err), time.monotonic() - began, began)
        self.journal.note(self, ended)
        return ended

    def start(self, *arguments, feeds=False, json=True):
        """A command that goes on."""
        return Running(self, [str(argument) for argument in arguments] + (["--json"] if json else []), feeds)

    def path(self, file):
        return os.path.join(self.store, file)

    def twin(self, name):
        """A store that nothing tells from this one: as when the image of a whole machine is restored."""
        twin = Device(self.program, self.folder, name, self.journal)
        shutil.copytree(self.store, twin.store)
        shutil.copytree(self.state, twin.state, dirs_exist_ok=True)
        names = [os.stat(device.path("identity")) for device in (self, twin)]
        old, new = (f"{name.st_dev}-{name.st_ino}" for name in names)
        for folder, _, files in os.walk(twin.state):
            for file in files:
                if file.startswith(old):
                    os.rename(os.path.join(folder, file), os.path.join(folder, new + file[len(old):]))
        return twin


class Running:
    """A process beside the others, with what it prints kept."""

    def __init__(self, device, arguments, feeds):
        self.device, self.arguments, self.began = device, arguments, time.monotonic()
        self.process = subprocess.Popen([device.program, *arguments], env=device.environment, cwd=device.folder,
                                        stdin=subprocess.PIPE if feeds else subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.out, self.err = [], []
        self.readers = [threading.Thread(target=self._read, args=pair, daemon=True)
                        for pair in ((self.process.stdout, self.out), (self.process.stderr, self.err))]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def _read(pipe, kept):
        for line in pipe:
            kept.append(line)

    def printed(self):
        return text(b"".join(list(self.out)))

    def feed(self, data):
        """Whether it still takes what it is given."""
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except (BrokenPipeError, OSError, ValueError):
            return False
        return True

    def opened(self):
        """Waits until it has the store open, which it tells nobody: Linux says which files a process has mapped."""
        maps = f"/proc/{self.process.pid}/maps"

        def has_views():
            try:
                with open(maps, encoding="utf-8", errors="replace") as file:
                    # Its own, or those of the store that is used while recovery waits.
                    return "/views.mdb" in file.read()
            except OSError:
                return False

        if os.path.exists("/proc/self/maps"):
            self.waits_for(has_views, 20)
            time.sleep(0.03)
        else:
            time.sleep(0.3)

    @property
    def runs(self):
        return self.process.poll() is None

    def waits_for(self, condition, seconds=10):
        """Waits until the condition holds, or the process ended, or the seconds are over."""
        end = time.monotonic() + seconds
        while not condition() and self.runs and time.monotonic() < end:
            time.sleep(0.01)
        return condition()

    def end(self, interrupt=False, timeout=TIME_OUT):
        """Ends its input, or interrupts it as Ctrl-C does; its end."""
        if self.process.stdin and not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except OSError:
                pass
        asked = interrupt and self.runs
        if asked:
            self.process.send_signal(signal.SIGINT)
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = None
        for reader in self.readers:
            reader.join(5)
        # Who is interrupted may end by that very signal.
        if asked and code in (-signal.SIGINT, 130):
            code = 0
        ended = Ended(self.arguments, code, self.printed(), text(b"".join(self.err)),
                      time.monotonic() - self.began, self.began)
        self.device.journal.note(self.device, ended)
        return ended


class Journal:
    """All commands of one unit in the order in which they ended, to be read when it failed."""

    def __init__(self, path):
        self.path, self.lock = path, threading.Lock()

    def note(self, device, ended):
        with self.lock, open(self.path, "a", encoding="utf-8") as file:
            print(f"[{ended.began:.3f} +{ended.seconds:.3f}] {device.name}: {ended}", file=file)

    def say(self, sentence):
        with self.lock, open(self.path, "a", encoding="utf-8") as file:
            print(f"[{time.monotonic():.3f}] -- {sentence}", file=file)


def text(data):
    return data.decode("utf-8", "replace")
