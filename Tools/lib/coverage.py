"""How much of Sources the tests ran, in regions, from the JSON that `swift test --enable-code-coverage` leaves.

Generated tables do not count. Ends with 1 below --least percent, and lists the files with most left to do.
"""

import argparse
import json
import os
import sys


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--least", type=float, default=90)
    parser.add_argument("report")
    arguments = parser.parse_args()
    with open(arguments.report, encoding="utf-8") as file:
        files = json.load(file)["data"][0]["files"]
    sources = os.path.join(os.getcwd(), "Sources") + os.sep
    rows = []
    for entry in files:
        path = entry["filename"]
        if path.startswith(sources) and "/Generated/" not in path:
            regions = entry["summary"]["regions"]
            rows.append((regions["count"] - regions["covered"], regions["count"], path.removeprefix(sources)))
    total = sum(row[1] for row in rows)
    if total == 0:
        print("error: the report has no file of Sources", file=sys.stderr)
        return 1
    missed = sum(row[0] for row in rows)
    print("not run   regions   file")
    for row in sorted(rows, reverse=True)[:15]:
        print(f"{row[0]:7d}   {row[1]:7d}   {row[2]}")
    percent = 100 * (total - missed) / total
    print(f"{percent:.2f} % of {total} regions in {len(rows)} files ran; {arguments.least:g} % must")
    return 0 if percent >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
