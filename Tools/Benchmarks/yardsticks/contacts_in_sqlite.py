"""contacts_in_sqlite.py LOG DATABASE count|adi|csv|insert OUTPUT: the seconds that Python takes for a log in an SQLite database.

What one would write without Groundwave: a table with a column for each field, filled from the log once.
"""

import csv
import os
import re
import sqlite3
import sys
import time


def rows_of(log: str) -> tuple[list[str], list[list[str | None]]]:
    with open(log, encoding="utf-8", errors="replace", newline="") as file:
        text = file.read()
    contacts = []
    for record in re.split(r"<eor>", text[text.upper().find("<EOH>") + 5 :], flags=re.IGNORECASE):
        fields, at = {}, 0
        while tag := re.compile(r"<([^:>]+):(\d+)[^>]*>").search(record, at):
            at = tag.end() + int(tag[2])
            fields[tag[1].upper()] = record[tag.end() : at]
        if fields:
            contacts.append(fields)
    names = sorted({name for fields in contacts for name in fields})
    return names, [[fields.get(name) for name in names] for fields in contacts]


def fill(path: str, names: list[str], rows: list[list[str | None]]) -> None:
    database = sqlite3.connect(path)
    columns = ", ".join(f'"{name}" TEXT' for name in names)
    database.execute(f"CREATE TABLE qso (id INTEGER PRIMARY KEY, {columns})")
    database.executemany(f"INSERT INTO qso VALUES (NULL, {', '.join('?' * len(names))})", rows)
    database.execute('CREATE INDEX qso_call ON qso("CALL")')
    database.commit()
    database.close()


def write_adi(database: sqlite3.Connection, path: str) -> None:
    cursor = database.execute("SELECT * FROM qso ORDER BY id")
    names = [column[0] for column in cursor.description[1:]]
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("Log\n<EOH>\n")
        for row in cursor:
            fields = zip(names, row[1:])
            file.write("".join(f"<{name}:{len(value)}>{value}\n" for name, value in fields if value is not None))
            file.write("<EOR>\n")


def write_csv(database: sqlite3.Connection, path: str) -> None:
    cursor = database.execute("SELECT * FROM qso ORDER BY id")
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(column[0] for column in cursor.description)
        writer.writerows(cursor)


def main(log: str, path: str, task: str, output: str) -> None:
    names, rows = rows_of(log) if task == "insert" or not os.path.exists(path) else ([], [])
    if not os.path.exists(path):
        fill(path, names, rows)
    if os.path.exists(output):
        os.remove(output)
    start = time.perf_counter()
    if task == "insert":
        fill(output, names, rows)
    else:
        database = sqlite3.connect(path)
        if task == "count":
            database.execute("SELECT count(*) FROM qso").fetchone()
        elif task == "adi":
            write_adi(database, output)
        else:
            write_csv(database, output)
    print("python:", time.perf_counter() - start)


if __name__ == "__main__":
    main(*sys.argv[1:])
