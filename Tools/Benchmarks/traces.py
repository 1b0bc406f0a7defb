"""Traces of meters as Bench and the yardstick read them: CSV as `groundwave trace export` writes it, and its integers as 64-bit ones.

Real captures lie in a folder `shared/meter` beside the package, and so does what generates S1 to S3 (Reference: SOURCES.md there).
"""
import array, csv, datetime, pathlib, subprocess, sys

START = datetime.datetime(2026, 5, 1, tzinfo=datetime.timezone.utc)

def moment(milliseconds):
    return (START + datetime.timedelta(milliseconds=milliseconds)).strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z"

def decimal(value, decimals):
    if decimals == 0: return str(value)
    digits = str(abs(value)).rjust(decimals + 1, "0")
    return ("-" if value < 0 else "") + digits[:-decimals] + "." + digits[-decimals:]

def write(folder, name, times, ticks, channels, rows):
    """`channels` are names with their units, and decimals; `rows` are their integers. Of these 200,000 rows are for the yardstick."""
    with open(folder / f"{name}.csv", "w") as file:
        head = ["time"] + (["tick_1000Hz_mod65536"] if ticks else []) + ["missing", "repeats"] + [channel for channel, _ in channels]
        file.write(",".join(head) + "\n")
        for place, values in enumerate(rows):
            tick = [str(ticks[place])] if ticks else []
            file.write(",".join([moment(times[place])] + tick + ["0", "0"] + [decimal(value, decimals) for value, (_, decimals) in zip(values, channels)]) + "\n")
    with open(folder / f"{name}.int64", "wb") as file:
        for column in [times] + ([ticks] if ticks else []) + [[row[place] for row in rows] for place in range(len(channels))]:
            array.array("q", column[:200_000]).tofile(file)

def make(source, folder, rows):
    """Writes the traces whose files are in `source`, S1 to S3 of so many rows; gives their names."""
    names = []
    def table(name, separator=","):
        path = source / name
        return [line.split(separator) for line in path.read_text().split("\n") if line.count(separator) > 1] if path.exists() else []
    milliseconds = lambda text: round(float(text) * 1000)
    if lines := table("km003c-1000sps-idle.csv")[1:]:
        ticks, turns = [], 0
        for line in lines:
            if ticks and int(line[1]) + turns < ticks[-1]: turns += 65536
            ticks.append(int(line[1]) + turns)
        channels = [("voltage_V", 6), ("current_A", 6), ("cc1_V", 3), ("cc2_V", 3), ("d+_V", 3), ("d-_V", 3)]
        write(folder, "A", [milliseconds(line[0]) for line in lines], ticks, channels, [[int(value) for value in line[3:9]] for line in lines])
        names.append("A")
    if lines := table("km003c-adc-poll-pd-session.csv")[1:]:
        channels = [("voltage_V", 6), ("current_A", 6), ("temperature_C", 0), ("cc1_V", 4), ("cc2_V", 4), ("d+_V", 4), ("d-_V", 4)]
        write(folder, "D", [milliseconds(line[0]) for line in lines], None, channels, [[int(line[place]) for place in (1, 2, 7, 8, 9, 10, 11)] for line in lines])
        names.append("D")
    if lines := table("tc66c-10hz-phone-2h.csv", ";"):
        rows_ = [[round(float(line[1]) * 1e4), round(float(line[2]) * 1e5)] for line in lines]
        write(folder, "E", [milliseconds(line[0]) for line in lines], None, [("voltage_V", 4), ("current_A", 5)], rows_)
        names.append("E")
    if (source / "generate.py").exists():
        subprocess.run([sys.executable, source / "generate.py", folder, str(rows)], check=True)
        for name, step, decimals in (("S1", 1, (4, 5)), ("S2", 1, (2, 3)), ("S3", 10, (5, 5))):
            lines = [[int(value) for value in line] for line in csv.reader(open(folder / f"{name}.csv")) if line[0] != "v"]
            channels = [("voltage_V", decimals[0]), ("current_A", decimals[1]), ("d+_V", 3), ("d-_V", 3), ("temperature_C", 1), ("charge_Ah", 6), ("energy_Wh", 6)]
            write(folder, name, [step * place for place in range(len(lines))], None, channels, lines)
            names.append(name)
    return names
