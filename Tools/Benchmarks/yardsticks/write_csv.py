"""write_csv.py TRACE OUTPUT: the seconds that Python's csv takes to write rows of a trace that were read before."""

import csv
import sys
import time

with open(sys.argv[1], newline="") as file:
    lines = csv.reader(file)
    next(lines)
    rows = [[line[0], int(line[1]), int(line[2]), *map(float, line[3:])] for line in lines]
start = time.perf_counter()
with open(sys.argv[2], "w", newline="") as file:
    csv.writer(file).writerows(rows)
print("python:", time.perf_counter() - start)
