"""Compares ratios that were measured at small size with those that Docs/Performance.md says."""

import dataclasses
from collections.abc import Iterable

from rows import Row


@dataclasses.dataclass(frozen=True)
class Expected:
    """A row of the table of ratios at small size."""

    ratio: float
    better: str
    limit: float


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Whether one row agrees with the table, and the sentence that says so."""

    name: str
    has_passed: bool
    sentence: str

    def __str__(self) -> str:
        return f"{self.name}: {self.sentence}"


def compare(table: dict[str, Expected], measured: Iterable[Row], only: str = "") -> list[Verdict]:
    """Compares the measured rows with the table, and finds rows of which one has none in the other.

    Only rows whose names contain `only` are expected.
    """
    rows = list(measured)
    verdicts = [judge(row, table.get(row.name)) for row in rows]
    names = {row.name for row in rows}
    for name in table:
        if name not in names and only in name:
            verdicts.append(Verdict(name, False, "FAILED, no benchmark measures this row of the table"))
    return verdicts


def judge(row: Row, expected: Expected | None) -> Verdict:
    if expected is None:
        return Verdict(row.name, False, f"ratio {row.ratio:.3g}: FAILED, the table lacks this row")
    if (row.better, row.limit) != (expected.better, expected.limit):
        return Verdict(
            row.name, False,
            f"FAILED, the table says {expected.better} is better, with a limit of {expected.limit:g}; "
            f"the benchmark says {row.better}, {row.limit:g}",
        )
    # How many times worse the ratio is: less than one if it is better.
    worse = row.ratio / expected.ratio if row.better == "lower" else expected.ratio / row.ratio
    figures = f"ratio {row.ratio:.3g}, table {expected.ratio:.3g}"
    if worse > row.limit:
        return Verdict(row.name, False, f"{figures}: FAILED, {worse:.2f} times worse; at most {row.limit:g} is allowed")
    if worse * row.limit < 1:
        return Verdict(row.name, True, f"{figures}: passed, and {1 / worse:.2f} times better: write the table again")
    return Verdict(row.name, True, f"{figures}: passed")
