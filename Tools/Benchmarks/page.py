"""The marked tables of Docs/Performance.md, which the benchmarks write.

A table stands between `<!-- NAME -->` and `<!-- end of NAME -->`. Every row says when and where it was measured, so one
table can have rows of several runs.
"""

import os
import pathlib
import time
from collections.abc import Iterable

from programs import TOP, Failed, run
from ratios import Expected
from rows import Row, number, span

PAGE = TOP / "Docs/Performance.md"
HEAD = ["what", "ours: median (least … most)", "yardstick", "ratio", "goal", "measured"]
SMALL_TABLE = "small"
TABLES = ("appending", "time travel", "synchronising", "meters", "looking", "engine", "growth", SMALL_TABLE)
SMALL_HEAD = ["what", "ratio", "better", "limit", "measured"]


def read() -> str:
    return PAGE.read_text(encoding="utf-8")


def origin(rounds: int) -> str:
    """Returns when and where rows are measured: the date, the commit, the rounds and the processors."""
    commit = run("git", "-C", TOP, "rev-parse", "--short", "HEAD").strip()
    if run("git", "-C", TOP, "status", "--porcelain", "--", "Package.swift", "Sources", "Tools").strip():
        commit += " with changes"
    return f"{time.strftime('%Y-%m-%d')}, {commit}: {rounds} rounds on {os.cpu_count()} x {processor()}"


def processor() -> str:
    information = pathlib.Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else os.uname().machine


def cells(row: Row, measured: str) -> list[str]:
    """Returns the cells of a measured row."""
    has_yardstick = bool(row.yardstick_figures)
    return [
        row.name,
        f"{number(row.median)} {row.unit} ({span(row.figures)})",
        f"{row.label}: {number(row.yardstick_median)}" if has_yardstick else "–",
        f"{row.ratio:.2f}" if has_yardstick else "–",
        row.goal,
        measured,
    ]


def small_cells(row: Row, measured: str) -> list[str]:
    """Returns the cells of a ratio at small size."""
    return [row.name, f"{row.ratio:.3g}", row.better, f"{row.limit:g}", measured]


def with_rows(text: str, rows: Iterable[Row], measured: str, keeps_others: bool) -> str:
    """Returns the page with these rows in their tables. Tables of which no row was measured stay as they are."""
    rows = list(rows)
    for table in dict.fromkeys(row.table for row in rows):
        lines = [cells(row, measured) for row in rows if row.table == table]
        text = with_table(text, table, HEAD, merged(body(text, table), lines) if keeps_others else lines)
    return text


def with_small_ratios(text: str, rows: Iterable[Row], measured: str, keeps_others: bool) -> str:
    """Returns the page with these ratios at small size."""
    lines = [small_cells(row, measured) for row in rows]
    if keeps_others:
        lines = merged(body(text, SMALL_TABLE), lines)
    return with_table(text, SMALL_TABLE, SMALL_HEAD, lines)


def expected(text: str) -> dict[str, Expected]:
    """Returns the ratios at small size that the page says, by the names of their rows."""
    found = {}
    for line in body(text, SMALL_TABLE):
        try:
            name, ratio, better, limit, _ = line
            found[name] = Expected(float(ratio), better, float(limit))
        except ValueError:
            words = " | ".join(line)
            raise Failed(f"{PAGE.name}: a row of the table {SMALL_TABLE} cannot be read: {words}") from None
    return found


def names(text: str) -> list[str]:
    """Returns the names of all rows of the marked tables, each of which must be there."""
    return [line[0] for table in TABLES for line in body(text, table)]


def merged(old: list[list[str]], new: list[list[str]]) -> list[list[str]]:
    """Returns the old rows with the new ones in their places.

    A row that was not there comes after the row that was measured before it.
    """
    lines = list(old)
    after = len(lines)
    for line in new:
        present = [other[0] for other in lines]
        if line[0] in present:
            place = present.index(line[0])
            lines[place] = line
        else:
            place = after
            lines.insert(place, line)
        after = place + 1
    return lines


def body(text: str, name: str) -> list[list[str]]:
    """Returns the cells of a marked table, row by row, without its head."""
    start, end = marks(text, name)
    rows = [line for line in text[start:end].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def with_table(text: str, name: str, head: list[str], lines: list[list[str]]) -> str:
    """Returns the page with this table between its marks."""
    start, end = marks(text, name)
    rows = ["| " + " | ".join(line) + " |" for line in [head, *lines]]
    rows.insert(1, "|" + "---|" * len(head))
    return text[:start] + "\n\n" + "\n".join(rows) + "\n\n" + text[end:]


def marks(text: str, name: str) -> tuple[int, int]:
    """Returns where the first mark of a table ends, and where the second begins."""
    first, second = f"<!-- {name} -->", f"<!-- end of {name} -->"
    if text.count(first) != 1 or text.count(second) != 1 or text.index(first) > text.index(second):
        raise Failed(f"{PAGE.name} needs the marks {first} and {second}, once each and in this order")
    return text.index(first) + len(first), text.index(second)
