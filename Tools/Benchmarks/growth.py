"""Growth: what is asked often must cost the same in a log of ten million events as in one of ten thousand."""

import math
import os
import pathlib
import shutil
from xml.sax.saxutils import escape

from programs import GROUNDWAVE, engine, environment, figure, milliseconds, run
from rows import Bench

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
ADD = ("qso", "add", "N0CALL", "BAND=20m", "MODE=CW")
# The name of what is measured, and whether its figure is a rate.
SERIES = {
    "rebuild": True,
    "1,000 events into existing views": False,
    "qso add, whole process": False,
    "qso list, whole process": False,
    "qso list, nothing of it in memory": False,
}


def name(series: str, events: int) -> str:
    return f"growth: {series}: {events:,} events"


def measure(bench: Bench) -> None:
    for full in SIZES:
        measure_size(bench, full, bench.scale(full, full // 100))


def measure_size(bench: Bench, full: int, events: int) -> None:
    state = bench.folder / f"grown-state-{events}"
    row = bench.table("growth")

    def log() -> pathlib.Path:
        return bench.input(f"grown-log-{events}", lambda path: engine("generate", path, events, events // 10))

    def store() -> pathlib.Path:
        def make(path: pathlib.Path) -> None:
            run(GROUNDWAVE, "salvage", log(), "--to", path, env=environment(path, state))
            # The first program that writes to a recovered store also saves a snapshot.
            run(GROUNDWAVE, *ADD, env=environment(path, state))

        return bench.input(f"grown-{events}", make)

    def whole_process(*command) -> float:
        return milliseconds(GROUNDWAVE, *command, env=environment(store(), state))

    def list_cold() -> float:
        forget(store())
        return whole_process("qso", "list", "--limit", "20")

    names = {series: name(series, full) for series in SERIES}
    row(names["rebuild"], "events/s", "–", lambda: figure(engine("rebuild", log())))
    row(
        names["1,000 events into existing views"], "us/event", "–",
        lambda: figure(engine("catchup", log(), 1000, events // 10)),
    )
    row(names["qso add, whole process"], "ms", "–", lambda: whole_process(*ADD))
    row(names["qso list, whole process"], "ms", "–", lambda: whole_process("qso", "list", "--limit", "20"))
    row(names["qso list, nothing of it in memory"], "ms", "–", list_cold)
    # A log of ten million events takes several gigabytes.
    for path in bench.folder.glob(f"grown-*{events}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def forget(store: pathlib.Path) -> None:
    """Asks the system to drop the pages of a store's files from memory; where it cannot be asked, they stay."""
    if not hasattr(os, "posix_fadvise"):
        return
    for path in store.rglob("*"):
        if path.is_file():
            with open(path, "rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def costs(figures: dict[str, float]) -> dict[str, list[tuple[int, float]]]:
    """Returns for each series the sizes with the cost there, relative to that of the least size."""
    lines = {}
    for series, is_rate in SERIES.items():
        points = [(size, figures[name(series, size)]) for size in SIZES if name(series, size) in figures]
        if points:
            first = points[0][1]
            lines[series] = [(size, first / value if is_rate else value / first) for size, value in points]
    return lines


# The place of the plot in its picture, and the colours of the lines: those of Okabe and Ito (2008), which colour-blind
# people can tell apart.
LEFT, TOP, WIDTH, HEIGHT = 70, 50, 430, 300
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9")


def picture(figures: dict[str, float], measured: str) -> str:
    """Draws how costs grow: both axes logarithmic, each cost relative to that in the least log."""
    lines = costs(figures)
    greatest = max((value for points in lines.values() for _, value in points), default=1)
    top = max(2.0, 2 ** math.ceil(math.log2(greatest)))

    def x(size: int) -> float:
        return LEFT + WIDTH * math.log10(size / SIZES[0]) / math.log10(SIZES[-1] / SIZES[0])

    def y(value: float) -> float:
        return TOP + HEIGHT * (1 - math.log2(max(value, 0.5) / 0.5) / math.log2(top / 0.5))

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="780" height="{TOP + HEIGHT + 70}" font-family="sans-serif" '
        'font-size="13" fill="#222">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{LEFT}" y="24" font-size="15">Cost in a growing log, relative to one of 10,000 events</text>',
        f'<text x="{LEFT}" y="{TOP + HEIGHT + 58}" font-size="11" fill="#666">{escape(measured)}</text>',
        f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 38}" text-anchor="middle">events in the log</text>',
    ]
    for size in SIZES:
        parts.append(f'<line x1="{x(size):.0f}" x2="{x(size):.0f}" y1="{TOP}" y2="{TOP + HEIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{x(size):.0f}" y="{TOP + HEIGHT + 20}" text-anchor="middle">{size:,}</text>')
    value = 0.5
    while value <= top:
        parts.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y(value):.0f}" y2="{y(value):.0f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(value) + 4:.0f}" text-anchor="end">{value:g} ×</text>')
        value *= 2
    for place, (series, points) in enumerate(lines.items()):
        colour = COLOURS[place]
        path = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(size):.1f}" cy="{y(value):.1f}" r="3" fill="{colour}"/>' for size, value in points]
        line = TOP + 12 + 22 * place
        parts.append(f'<rect x="{LEFT + WIDTH + 20}" y="{line - 9}" width="14" height="4" fill="{colour}"/>')
        parts.append(f'<text x="{LEFT + WIDTH + 40}" y="{line - 2}">{series}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
