"""Runs the programs that are measured, and reads the figures that they print.

A program prints one line for a measurement: its name, a colon, the figure, and perhaps words that are each followed by
another figure. Of several lines the last counts.
"""

import itertools
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
# Inputs that are not part of the repository: real logs and real captures.
SHARED = TOP.parent / "shared"
RELEASE = TOP / ".build/release"
BENCH = RELEASE / "Bench"
GROUNDWAVE = RELEASE / "groundwave"
HISTORIES = RELEASE / "histories"
YARDSTICKS = TOP / ".build/yardsticks"
# The program has this exit code if it did its work, and has something to say about a part of it.
PARTIAL_SUCCESS = 3


class Failed(Exception):
    """What ended the benchmarks, in one sentence."""


def build() -> None:
    """Builds the yardsticks and the release programs."""
    run("make", "-s", "-C", HERE / "yardsticks/c", f"B={YARDSTICKS}")
    run("gcc", "-O2", "-o", YARDSTICKS / "merkle", HERE / "yardsticks/merkle.c", "-llmdb", "-lcrypto")
    for product in ("groundwave", "groundwave-look", "Bench", "histories"):
        command = ["swift", "build", "-c", "release", "--product", product]
        built = subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if built.returncode != 0:
            raise Failed(f"{product} does not build:\n{built.stdout}")


def run(*command, env: dict | None = None) -> str:
    """Runs a program and returns its output."""
    words = [str(part) for part in command]
    result = subprocess.run(words, capture_output=True, text=True, env=env)
    if result.returncode not in (0, PARTIAL_SUCCESS):
        raise Failed(f"{' '.join(words)} ended with {result.returncode}:\n{result.stderr}")
    return result.stdout


def engine(measurement: str, *arguments) -> str:
    """Runs one measurement of the engine (Tools/Benchmarks/Sources) and returns its output."""
    return run(BENCH, measurement, *arguments)


def yardstick(name: str, *arguments) -> str:
    """Runs a yardstick in C and returns its output."""
    return run(YARDSTICKS / name, *arguments)


def python(name: str, *arguments) -> str:
    """Runs a yardstick in Python and returns its output."""
    return run(sys.executable, HERE / "yardsticks" / name, *arguments)


def environment(store: pathlib.Path, state: pathlib.Path) -> dict:
    """Returns the environment in which the program uses this store, and this state folder instead of the device's."""
    return {**os.environ, "GROUNDWAVE_STORE": str(store), "GROUNDWAVE_STATE": str(state)}


def seconds(*command, env: dict | None = None) -> float:
    """Returns the seconds that a whole process takes."""
    start = time.perf_counter()
    run(*command, env=env)
    return time.perf_counter() - start


def milliseconds(*command, env: dict | None = None) -> float:
    """Returns the milliseconds that a whole process takes."""
    return 1000 * seconds(*command, env=env)


def anonymous_memory(*command, env: dict | None = None) -> float:
    """Returns the peak of a program's anonymous memory in MiB, sampled every 10 ms. Mapped files do not count."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, env=env)
    peak = 0
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            break
        # A process that has ended and was not waited for has no such line.
        if match := re.search(r"RssAnon:\s+(\d+)", status):
            peak = max(peak, int(match[1]))
        time.sleep(0.01)
    if process.wait() != 0:
        raise Failed(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return peak / 1024


def last_line(output: str) -> str:
    return output.strip().splitlines()[-1]


def figure(output: str) -> float:
    """Returns the first number after the first colon. A measurement that went wrong has the figure 0, and says why."""
    line = last_line(output)
    if ": 0 # " in line:
        raise Failed(line)
    return float(re.search(r"[\d.]+", line.split(":", 1)[1])[0])


def least_figure(output: str) -> float:
    """Returns the least figure of a measurement that prints a line for each of several passes."""
    return min(figure(line) for line in output.strip().splitlines())


def figure_after(word: str, output: str) -> float:
    """Returns the number after a word."""
    return float(re.search(rf"{word} (-?[\d.]+)", last_line(output))[1])


class Runs:
    """Runs that print several figures. Each row reads its own figure; a round of all of them is one run."""

    def __init__(self, make):
        self.make = make
        self.outputs: list[str] = []

    def reading(self, word: str | None = None):
        """Returns a function that reads a figure round by round: the one after the word, or the first."""
        rounds = itertools.count()

        def read() -> float:
            number = next(rounds)
            if number == len(self.outputs):
                self.outputs.append(self.make())
            output = self.outputs[number]
            return figure(output) if word is None else figure_after(word, output)

        return read
