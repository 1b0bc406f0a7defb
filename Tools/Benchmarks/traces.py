"""Traces of meters as Bench and the yardsticks read them.

NAME.csv is as `groundwave trace export` writes it; NAME.int64 has its integers with 64 bits each, column by column.
A, D and E are real captures, from a folder `shared/meter` beside the package. That folder also has the generator of S1
to S3, which needs numpy, and SOURCES.md, which names the origins. W is a random walk that this file generates on every
machine.
"""

import array
import csv
import datetime
import pathlib
import random
import subprocess
import sys

from programs import Failed

START = datetime.datetime(2026, 5, 1, tzinfo=datetime.timezone.utc)
# The yardstick packs so many values of each column.
MOST_INTEGERS = 200_000
CAPTURES = {
    "A": "km003c-1000sps-idle.csv",
    "D": "km003c-adc-poll-pd-session.csv",
    "E": "tc66c-10hz-phone-2h.csv",
}
# Milliseconds between rows, and the decimals of the voltage and the current.
GENERATED = {"S1": (1, 4, 5), "S2": (1, 2, 3), "S3": (10, 5, 5)}


def available(source: pathlib.Path) -> list[str]:
    """Returns the names of the traces that can be made from this folder; W needs none."""
    names = [name for name, file in CAPTURES.items() if (source / file).exists()]
    return names + (list(GENERATED) if (source / "generate.py").exists() else [])


def make(name: str, source: pathlib.Path, folder: pathlib.Path, rows: int) -> None:
    """Writes the two files of a trace; a generated one has so many rows."""
    makers = {"A": make_idle, "D": make_session, "E": make_phone}
    if name in makers:
        makers[name](source, folder)
    elif name in GENERATED:
        make_generated(name, source, folder, rows)
    elif name == "W":
        make_walk(folder, rows)
    else:
        raise Failed(f"there is no trace called {name}")


def make_idle(source: pathlib.Path, folder: pathlib.Path) -> None:
    lines = table(source / CAPTURES["A"], ",")
    ticks: list[int] = []
    wraps = 0
    for line in lines:
        if ticks and int(line[1]) + wraps < ticks[-1]:
            wraps += 65536
        ticks.append(int(line[1]) + wraps)
    channels = [("voltage_V", 6), ("current_A", 6), ("cc1_V", 3), ("cc2_V", 3), ("d+_V", 3), ("d-_V", 3)]
    rows = [[int(value) for value in line[3:9]] for line in lines]
    write(folder, "A", [milliseconds(line[0]) for line in lines], channels, rows, ticks)


def make_session(source: pathlib.Path, folder: pathlib.Path) -> None:
    lines = table(source / CAPTURES["D"], ",")
    channels = [
        ("voltage_V", 6), ("current_A", 6), ("temperature_C", 0), ("cc1_V", 4), ("cc2_V", 4), ("d+_V", 4), ("d-_V", 4),
    ]
    rows = [[int(line[place]) for place in (1, 2, 7, 8, 9, 10, 11)] for line in lines]
    write(folder, "D", [milliseconds(line[0]) for line in lines], channels, rows)


def make_phone(source: pathlib.Path, folder: pathlib.Path) -> None:
    lines = table(source / CAPTURES["E"], ";")
    rows = [[round(float(line[1]) * 1e4), round(float(line[2]) * 1e5)] for line in lines]
    write(folder, "E", [milliseconds(line[0]) for line in lines], [("voltage_V", 4), ("current_A", 5)], rows)


def make_generated(name: str, source: pathlib.Path, folder: pathlib.Path, rows: int) -> None:
    generated = folder / "generated"
    if not generated.exists():
        generated.mkdir()
        subprocess.run([sys.executable, source / "generate.py", generated, str(rows)], check=True)
    step, volts, amperes = GENERATED[name]
    with open(generated / f"{name}.csv", encoding="utf-8") as file:
        lines = csv.reader(file)
        next(lines)
        values = [[int(value) for value in line] for line in lines]
    write(folder, name, [step * place for place in range(len(values))], seven_channels(volts, amperes), values)


def make_walk(folder: pathlib.Path, rows: int) -> None:
    """A charge at 1 kHz: noise of a few steps on the voltages, a current that drifts, sums of it; always the same."""
    chance = random.Random(1)
    current, charge, energy = 200_000, 0, 0
    values = []
    for row in range(rows):
        current += chance.randint(-6, 6)
        voltage = 90_600 - current // 250 + chance.randint(-4, 4)
        charge += current
        energy += voltage * current // 10_000
        values.append([
            voltage, current, 3_250 + chance.randint(-1, 2), 600 + chance.randint(-1, 1), 240 + row // 8_000,
            charge // 360_000, energy // 360_000,
        ])
    write(folder, "W", list(range(rows)), seven_channels(4, 5), values)


def seven_channels(volts: int, amperes: int) -> list[tuple[str, int]]:
    return [
        ("voltage_V", volts), ("current_A", amperes), ("d+_V", 3), ("d-_V", 3), ("temperature_C", 1), ("charge_Ah", 6),
        ("energy_Wh", 6),
    ]


def table(path: pathlib.Path, separator: str) -> list[list[str]]:
    """Returns the rows of a capture without its heads and remarks, which have fewer columns, or come first."""
    lines = [line.split(separator) for line in path.read_text().split("\n") if line.count(separator) > 1]
    return lines if separator == ";" else lines[1:]


def milliseconds(text: str) -> int:
    return round(float(text) * 1000)


def write(
    folder: pathlib.Path,
    name: str,
    times: list[int],
    channels: list[tuple[str, int]],
    rows: list[list[int]],
    ticks: list[int] | None = None,
) -> None:
    """Writes both files. Channels are names with units, and decimals; rows are their integers."""
    head = ["time", *(["tick_1000Hz_mod65536"] if ticks else []), "missing", "repeats"]
    decimals = [places for _, places in channels]
    with open(folder / f"{name}.csv", "w", encoding="utf-8") as file:
        file.write(",".join(head + [channel for channel, _ in channels]) + "\n")
        for place, values in enumerate(rows):
            tick = [str(ticks[place])] if ticks else []
            cells = [decimal(value, places) for value, places in zip(values, decimals)]
            file.write(",".join([moment(times[place]), *tick, "0", "0", *cells]) + "\n")
    columns = [times, *([ticks] if ticks else []), *map(list, zip(*rows))]
    with open(folder / f"{name}.int64", "wb") as file:
        for column in columns:
            array.array("q", column[:MOST_INTEGERS]).tofile(file)


def moment(time: int) -> str:
    return (START + datetime.timedelta(milliseconds=time)).strftime("%Y-%m-%dT%H:%M:%S.") + f"{time % 1000:03d}Z"


def decimal(value: int, places: int) -> str:
    if places == 0:
        return str(value)
    digits = str(abs(value)).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
