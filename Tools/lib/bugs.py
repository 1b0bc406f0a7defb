"""Planted bugs: what their files say, and how all of them get into one copy of the tree, each behind a switch.

A file NAME.bug has the bug in one sentence, a line "Found by: FILTER" and edits:

    file: Sources/Events/Stamp.swift
      a line that stays, where more is needed to find the place
    - a line that goes
    + a line that comes

White space around a line does not count. The lines that stay or go follow each other in the file, and are there once.
The word `planted` in a line that comes is the switch of this bug. An edit ends with an empty line; the next one may be
of the same file. Edits of several bugs may share lines that stay, and none that goes.
"""

import pathlib
import re
from dataclasses import dataclass, field


SWITCH = re.compile(r"\bplanted\b")
SWITCHES = "PlantedBugSwitches.swift"
# Whether this process has the bug: Tools/planted-bugs chooses one for each run of a suite.
IS_PLANTED = """private func isPlanted(_ bug: String) -> Bool {
    ProcessInfo.processInfo.environment["GROUNDWAVE_PLANTED_BUG"] == bug
}"""


class Wrong(Exception):
    """What is wrong with the file of a bug, in one line."""


@dataclass
class Edit:
    """Lines of one file, each with its mark: a blank, a minus or a plus."""

    path: str
    lines: list[tuple[str, str]] = field(default_factory=list)

    @property
    def old(self) -> list[str]:
        """What the file has there."""
        return [text for mark, text in self.lines if mark != "+"]

    @property
    def changed(self) -> tuple[int, int]:
        """How many lines at the beginning stay, and how many of the old ones there are before the end that stays."""
        marks = "".join(mark for mark, _ in self.lines)
        before = len(marks) - len(marks.lstrip(" "))
        return before, len(self.old) - (len(marks) - len(marks.rstrip(" ")))

    @property
    def new(self) -> list[str]:
        """What takes the place of the lines that are changed."""
        marks = "".join(mark for mark, _ in self.lines)
        changed = self.lines[len(marks) - len(marks.lstrip(" ")) : len(marks.rstrip(" "))]
        return [text for mark, text in changed if mark != "-"]


@dataclass(eq=False)
class Bug:
    """One bug, as its file says."""

    name: str
    sentence: str
    filter: str
    edits: list[Edit]

    @property
    def suite(self) -> str:
        """The target whose tests have to find it."""
        return re.match(r"\w*", self.filter)[0]

    @property
    def switch(self) -> str:
        """The name of its switch in Swift."""
        return "planted" + "".join(word.capitalize() for word in self.name.split("-"))


def read(file: pathlib.Path) -> Bug:
    """Reads the file of a bug."""
    sentence, found_by, *lines = file.read_text(encoding="utf-8").splitlines()
    if not found_by.startswith("Found by: ") or not sentence.endswith("."):
        raise Wrong(f"{file.name}: begins with a sentence and a line Found by: FILTER")
    edits: list[Edit] = []
    path, edit = None, None
    for line in lines:
        mark, text = line[:1], line[1:].strip()
        if line.startswith("file: "):
            path, edit = line.removeprefix("file: "), None
        elif not line:
            edit = None
        elif path is None or mark not in " -+" or not text:
            raise Wrong(f"{file.name}: neither a file nor a line of an edit: {line}")
        else:
            if edit is None:
                edit = Edit(path)
                edits.append(edit)
            edit.lines.append((mark, text))
    bug = Bug(file.stem, sentence, found_by.removeprefix("Found by: "), edits)
    for edit in edits:
        if not edit.old:
            raise Wrong(f"{file.name}: an edit of {edit.path} has no line that is there already")
    if not re.match(r"(\w+Tests|Examples|Simulation)\b", bug.filter):
        raise Wrong(f"{file.name}: its filter begins with the name of a suite")
    if not any(SWITCH.search(line) for edit in edits for line in edit.new):
        raise Wrong(f"{file.name}: no line that comes has the word planted, its switch")
    return bug


def place(bug: Bug, edit: Edit, lines: list[str]) -> tuple[int, int]:
    """The lines of the file that the edit replaces."""
    wanted = edit.old
    places = [at for at in range(len(lines) - len(wanted) + 1) if lines[at : at + len(wanted)] == wanted]
    if len(places) != 1:
        raise Wrong(f"{bug.name}.bug: is not once but {len(places)} times in {edit.path}: {wanted[0]}")
    start, end = edit.changed
    return places[0] + start, places[0] + end


def switches(bugs: list[Bug]) -> dict[str, str]:
    """The files with the switches of the bugs, one in each folder of a target, with their texts."""
    targets: dict[str, list[Bug]] = {}
    for bug in bugs:
        for target in dict.fromkeys("/".join(edit.path.split("/")[:2]) for edit in bug.edits):
            targets.setdefault(target, []).append(bug)
    files = {}
    for target, planted in targets.items():
        lines = [f'@usableFromInline let {bug.switch} = isPlanted("{bug.name}")' for bug in planted]
        files[f"{target}/{SWITCHES}"] = "\n".join(["import Foundation", "", *lines, "", IS_PLANTED, ""])
    return files


def every(root: pathlib.Path) -> list[Bug]:
    """All bugs of the tree, by name."""
    return [read(file) for file in sorted((root / "Tests/PlantedBugs").glob("*.bug"))]


def plant(bugs: list[Bug], root: pathlib.Path) -> dict[str, str]:
    """The files of the tree that change when all bugs are put in, with their texts; the environment chooses the bug."""
    changed = switches(bugs)
    edits: dict[str, list[tuple[Bug, Edit]]] = {}
    for bug in bugs:
        for edit in bug.edits:
            edits.setdefault(edit.path, []).append((bug, edit))
    for path, of_file in edits.items():
        if not (root / path).is_file():
            raise Wrong(f"{of_file[0][0].name}.bug: there is no {path}")
        lines = (root / path).read_text(encoding="utf-8").splitlines()
        bare = [line.strip() for line in lines]
        places = sorted(((*place(bug, edit, bare), bug, edit) for bug, edit in of_file), key=lambda found: found[:2])
        for (_, end, bug, _), (start, _, other, _) in zip(places, places[1:]):
            if start < end:
                raise Wrong(f"{bug.name}.bug and {other.name}.bug: both replace the same line of {path}")
        for start, end, bug, edit in reversed(places):
            lines[start:end] = [SWITCH.sub(bug.switch, line) for line in edit.new]
        changed[path] = "\n".join([*lines, ""])
    return changed
