"""Tests of the page of `groundwave look`, in Chromium and by plain HTTP.

    python Tests/LookBrowser [questions|hostile|access|beside|clicking …] [--seconds N] [--seed N] [--values N]
                             [--program PATH] [--screenshots DIR]

Without a name, all of them run. Prints one line for each failure, and "N passed, N failed". Needs selenium, axe_core_python,
Chromium and its driver. The program is .build/release/groundwave, or that of --program or GROUNDWAVE_PROGRAM.
"""

import argparse
import os
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import access  # noqa: E402
import beside  # noqa: E402
import clicking  # noqa: E402
import hostile  # noqa: E402
import questions  # noqa: E402
from chromium import Chromium  # noqa: E402
from fixture import Fixture  # noqa: E402
from outcome import Outcome, die  # noqa: E402
from program import Program  # noqa: E402

PARTS = {"questions": questions, "hostile": hostile, "access": access, "beside": beside, "clicking": clicking}


class Shared:
    """What several parts use, made when it is first asked for."""

    def __init__(self, program: Program, folder: str, screenshots: str | None) -> None:
        self.program, self.folder, self.screenshots = program, folder, screenshots
        self._fixture: Fixture | None = None
        self._browser: Chromium | None = None

    @property
    def fixture(self) -> Fixture:
        if self._fixture is None:
            folder = os.path.join(self.folder, "fixture")
            os.mkdir(folder)
            self._fixture = Fixture(self.program, folder)
        return self._fixture

    @property
    def browser(self) -> Chromium:
        if self._browser is None:
            self._browser = Chromium(self.screenshots)
        return self._browser

    def close(self) -> None:
        if self._browser is not None:
            self._browser.quit()


def main() -> int:
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser = argparse.ArgumentParser(prog="Tests/LookBrowser", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seconds", type=float, default=20, help="how long to click")
    parser.add_argument("--seed", type=int, default=20260501, help="where the hostile values and the clicks begin")
    parser.add_argument("--values", type=int, default=10_000, help="the number of hostile values")
    parser.add_argument("--program", default=os.environ.get("GROUNDWAVE_PROGRAM") or os.path.join(root, ".build/release/groundwave"))
    parser.add_argument("--screenshots", help="a folder for a picture of each page visited")
    options = parser.parse_args()
    for name in options.parts:
        if name not in PARTS:
            parser.error(f"there is no part {name}: {', '.join(PARTS)}")
    if not os.access(options.program, os.X_OK):
        die(f"{options.program} is not there: swift build -c release, or --program PATH")
    # What a part starts ends with it, by whatever it is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    outcome = Outcome()
    with tempfile.TemporaryDirectory(prefix="look-browser.", ignore_cleanup_errors=True) as folder:
        shared = Shared(Program(os.path.abspath(options.program), folder), folder, options.screenshots)
        try:
            for name in options.parts or PARTS:
                began = time.monotonic()
                before = outcome.passed, outcome.failed
                outcome.part = name
                outcome.attempt("it ended early", PARTS[name].run, outcome, options, shared)
                print(
                    f"--- {name}: {outcome.passed - before[0]} passed, {outcome.failed - before[1]} failed, "
                    f"{time.monotonic() - began:.0f} s",
                    flush=True,
                )
        finally:
            shared.close()
    return outcome.finish()


if __name__ == "__main__":
    sys.exit(main())
