"""Rows of the benchmarks: what is measured, against which yardstick, with which goal, and the figures."""

import dataclasses
import pathlib
import statistics
from collections.abc import Callable

# How many times worse than the table a ratio at small size may be.
LIMIT = 1.5
# How often a ratio at small size is measured.
SMALL_ROUNDS = 5


@dataclasses.dataclass
class Row:
    """One row of a table in Docs/Performance.md."""

    table: str
    name: str
    unit: str
    goal: str
    ours: Callable[[], float]
    yardstick: Callable[[], float] | None = None
    label: str = ""
    limit: float | None = None
    figures: list[float] = dataclasses.field(default_factory=list)
    yardstick_figures: list[float] = dataclasses.field(default_factory=list)

    def measure(self, rounds: int) -> None:
        """Runs ours and the yardstick in turn, and adds the figures."""
        for _ in range(rounds):
            self.figures.append(self.ours())
            if self.yardstick:
                self.yardstick_figures.append(self.yardstick())

    @property
    def median(self) -> float:
        return statistics.median(self.figures)

    @property
    def yardstick_median(self) -> float | None:
        return statistics.median(self.yardstick_figures) if self.yardstick_figures else None

    @property
    def ratio(self) -> float | None:
        """The median of the ratios of all rounds.

        The two programs of a round run one after the other, so the machine is about as busy for both. The ratio of the
        medians would compare runs at different times: if other work slows half of the rounds down, one median may be of
        a slow round and the other of a fast one.
        """
        if not self.yardstick_figures:
            return None
        return statistics.median(ours / theirs for ours, theirs in zip(self.figures, self.yardstick_figures))

    @property
    def better(self) -> str:
        """Whether a ratio is better if it is `higher`, as a rate is, or `lower`, as a time or a size is."""
        return "higher" if self.unit.endswith("/s") else "lower"

    def __str__(self) -> str:
        text = f"{self.name}: {number(self.median)} {self.unit} ({span(self.figures)})"
        if self.yardstick_figures:
            text += f"  {self.label}: {number(self.yardstick_median)}  ratio {self.ratio:.3g}"
        return f"{text}  goal {self.goal}"


def number(value: float) -> str:
    """Returns a figure as text, with two decimals if it is below a thousand."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.2f}"


def span(values: list[float]) -> str:
    """Returns the least and the greatest figure as text."""
    return f"{number(min(values))} … {number(max(values))}"


class Bench:
    """Measures rows, and keeps their inputs in `folder`, or in `memory`, whose files are in memory if the system has such
    files.

    At small size each row is measured once, but `SMALL_ROUNDS` times if its ratio is compared with the table. With
    `only_compared` the other rows are left out.
    """

    def __init__(
        self,
        folder: pathlib.Path,
        memory: pathlib.Path,
        rounds: int,
        only: str = "",
        is_small: bool = False,
        only_compared: bool = False,
    ):
        self.folder = folder
        self.memory = memory
        self.rounds = rounds
        self.only = only
        self.is_small = is_small
        self.only_compared = only_compared
        self.measured: list[Row] = []

    def scale(self, full: int, small: int) -> int:
        return small if self.is_small else full

    def input(self, name: str, make: Callable[[pathlib.Path], object]) -> pathlib.Path:
        """Returns the path of an input.

        The first row that needs it makes it, so a run of a few rows makes only their inputs.
        """
        path = self.folder / name
        if not path.exists():
            make(path)
        return path

    def table(self, table: str) -> Callable[..., None]:
        """Returns a function that measures a row of this table: `row(name, unit, goal, ours, yardstick, label)`.

        `ours` and `yardstick` return one figure. With a `limit`, the ratio at small size is compared with the table of
        small ratios, and may be that many times worse.
        """

        def row(name, unit, goal, ours, yardstick=None, label="", limit=None):
            if self.only not in name or (self.only_compared and limit is None):
                return
            measured = Row(table, name, unit, goal, ours, yardstick, label, limit)
            if not self.is_small:
                measured.measure(self.rounds)
            else:
                measured.measure(SMALL_ROUNDS if limit else 1)
            self.measured.append(measured)
            print(measured, flush=True)

        return row
