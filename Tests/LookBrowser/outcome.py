"""What passed and what failed: one line for each failure, and the sum at the end."""

import sys
import threading
import traceback


class Outcome:
    """Counts checks. A check that fails is printed at once, with what it was about."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0
        self.failures: dict[str, int] = {}
        self.lock = threading.Lock()
        self.parts = threading.local()
        self.latest = ""

    @property
    def part(self) -> str:
        """What is being tested: in this thread, if it has said so, else in whichever has said so last."""
        return getattr(self.parts, "name", self.latest)

    @part.setter
    def part(self, name: str) -> None:
        self.parts.name = self.latest = name

    def check(self, holds: bool, words: str, kind: str | None = None) -> bool:
        """Counts a check; `words` say what was expected and what was seen."""
        if holds:
            self.passed += 1
        else:
            self.fail(words, kind)
        return bool(holds)

    def equal(self, seen: object, expected: object, words: str) -> bool:
        """Checks that the page says what the program says."""
        return self.check(seen == expected, f"{words}: expected {short(expected)}, seen {short(seen)}")

    def fail(self, words: str, kind: str | None = None) -> None:
        """Counts a failure. Of failures of one kind, else of the same words, the first is printed."""
        with self.lock:
            self.failed += 1
            key = f"{self.part}: {kind or words}"
            if key not in self.failures:
                print(f"FAILED {self.part}: {visible(words)}", flush=True)
            self.failures[key] = self.failures.get(key, 0) + 1

    def attempt(self, words: str, body, *arguments) -> None:
        """Runs a part; an exception is a failure, and the next part goes on."""
        try:
            body(*arguments)
        except Exception as error:  # Whatever it is: the other parts must still run.
            where = traceback.extract_tb(error.__traceback__)
            own = [frame for frame in where if "LookBrowser" in frame.filename] or where
            places = ", ".join(f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in own[-3:])
            first = str(error).split("\n", 1)[0]
            self.fail(f"{words}: {type(error).__name__}: {short(first)} ({places})")

    def note(self, words: str) -> None:
        """Prints what is worth knowing and fails nothing."""
        print(f"note {self.part}: {visible(words)}", flush=True)

    def finish(self) -> int:
        """Prints the sum, and returns the status of the program."""
        for words, count in self.failures.items():
            if count > 1:
                print(f"failed {count} times: {short(visible(words), 160)}")
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0


def short(value: object, limit: int = 300) -> str:
    """A value on one line."""
    text = value if isinstance(value, str) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def visible(text: str) -> str:
    """A text that a terminal shows as it is: hostile values are printed, too."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def die(words: str) -> None:
    """Ends the program: the tests could not be run."""
    sys.exit(f"error: {words}")
