"""parse_adif.py LOG: the seconds that adif-io takes to parse a log."""

import sys
import time

import adif_io

start = time.perf_counter()
adif_io.read_from_file(sys.argv[1])
print("adif-io:", time.perf_counter() - start)
