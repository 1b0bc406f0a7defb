"""How much of Sources the tests ran, in regions, from the profiles that the processes of a test run left.

Generated tables do not count. A profile that was cut off, since its process was killed, counts as none. Ends with 1 below
--least percent, and lists the files with most left to do.
"""

import argparse
import glob
import json
import os
import shutil
import subprocess
import sys


def tool(name: str) -> list[str]:
    """The tool of the Swift toolchain: that of another LLVM may not read its profiles."""
    if sys.platform == "darwin":
        return ["xcrun", name]
    return [os.path.join(os.path.dirname(os.path.realpath(shutil.which("swift") or "swift")), name)]


def summary(profiles: str, programs: str) -> list[dict]:
    """Merges the profiles and asks for the regions of each file."""
    merged = os.path.join(profiles, "all.profdata")
    paths = os.path.join(profiles, "paths")
    with open(paths, "w", encoding="utf-8") as file:
        file.write("\n".join(glob.glob(os.path.join(profiles, "*.profraw"))))
    command = [*tool("llvm-profdata"), "merge", "--sparse", "--failure-mode=all", "-o", merged, "-f", paths]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    bundle = glob.glob(os.path.join(programs, "*PackageTests.xctest"))[0]
    inside = glob.glob(os.path.join(bundle, "Contents", "MacOS", "*"))
    command = [*tool("llvm-cov"), "export", "--summary-only", f"--instr-profile={merged}", inside[0] if inside else bundle]
    report = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return json.loads(report)["data"][0]["files"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--least", type=float, default=90)
    parser.add_argument("profiles")
    parser.add_argument("programs")
    arguments = parser.parse_args()
    sources = os.path.join(os.getcwd(), "Sources") + os.sep
    rows = []
    for entry in summary(arguments.profiles, arguments.programs):
        path = entry["filename"]
        if path.startswith(sources) and "/Generated/" not in path and not path.endswith("/PlantedBugSwitches.swift"):
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
