#!/usr/bin/env python3
"""Mirrors the tree into a folder, where it is built with options of its own.

  Tools/lib/mirror.py FOLDER               the files that git tracks or would track, as they are now
  Tools/lib/mirror.py --bugs FOLDER        and the planted bugs, each behind its switch

Only a file whose content differs is written, so that a build there repeats only what changed. Fixtures are linked.
Tools/lib/PartOfPackage.swift is appended to Package.swift. Needs Python 3.
"""

import os
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

import bugs  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def mirror(folder: pathlib.Path, changed: dict[str, str] | None = None) -> None:
    """Makes `folder` a copy of the tree in which the files of `changed` have the texts that it gives them."""
    if (folder / ".git").exists():
        raise ValueError(f"{folder} is a tree somebody works in; choose a folder for the copy")
    changed = changed or {}
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    names = [os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
    wanted = {name for name in names if not name.startswith("Fixtures/") and (ROOT / name).is_file()}
    wanted |= set(changed)
    for name in sorted(wanted):
        content = changed[name].encode() if name in changed else (ROOT / name).read_bytes()
        if name == "Package.swift":
            content += b"\n" + (ROOT / "Tools/lib/PartOfPackage.swift").read_bytes()
        write(folder / name, content)
        if (ROOT / name).is_file():
            shutil.copymode(ROOT / name, folder / name)
    if (ROOT / "Package.resolved").is_file():
        write(folder / "Package.resolved", (ROOT / "Package.resolved").read_bytes())
    if not (folder / "Fixtures").is_symlink():
        (folder / "Fixtures").symlink_to(ROOT / "Fixtures")
    for top in {name.split("/")[0] for name in wanted if "/" in name}:
        for path in (folder / top).rglob("*"):
            if path.is_file() and str(path.relative_to(folder)) not in wanted:
                path.unlink()


def write(path: pathlib.Path, content: bytes) -> None:
    """Writes the file if its content differs."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


if __name__ == "__main__":
    *options, folder = sys.argv[1:] or ["-h"]
    if options not in ([], ["--bugs"]) or folder.startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(64)
    try:
        mirror(pathlib.Path(folder).absolute(), bugs.plant(bugs.every(ROOT), ROOT) if options else None)
    except (bugs.Wrong, ValueError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"error: {error}")
