"""Lane `clear`: a store is emptied while its remote is in some state. Nothing that exists nowhere else may be gone.

What was acknowledged is afterwards in the store, at the remote (a device that joins there has it), or in a file that the
program has named on the screen, which that device or the emptied store takes in.
"""
import os
import re
import shutil

from unit import list_of

STATES = ("fine", "deleted", "emptied", "unreadable", "garbled", "older", "off", "none")


def units(options):
    return len(STATES) * 2 * (options.rounds if options.long else 1)


def run(unit, control=None):
    state = "fine" if control else STATES[unit.number % len(STATES)]
    # Whether something was logged that the remote has not seen.
    unsent = 0 if control else unit.number // len(STATES) % 2 * unit.generator.randrange(1, 5)
    unit.what = f"clear, remote {state}, {unsent} contacts unsent"
    device, remote = unit.device(), os.path.join(unit.folder, "remote")
    unit.made(device, unit.generator.randrange(10, 60), 2)
    if state != "none":
        unit.need(device.run("remote", "add", "club", f"file://{remote}"))
        unit.need(device.run("sync"))
        shutil.copytree(remote, remote + ".older")
        for _ in range(3):
            unit.need(unit.witness.add(device, unit.generator))
        unit.need(device.run("sync"))
    if state == "off":
        unit.need(device.run("sync", "off"))
    for _ in range(unsent):
        unit.need(unit.witness.add(device, unit.generator))
    change(state, remote)
    before = files(unit.folder)
    cleared = unit.sound(device.run("clear", "--confirm", "CLEAR", json=False))
    if state == "unreadable":
        os.unlink(remote)
        os.rename(remote + ".real", remote)
    bundles = named(unit, cleared, before)
    if control == "remote":
        device.run("sync", "off")
        unit.need(device.run("clear", "--confirm", "CLEAR"))
        bundles = []
        shutil.rmtree(remote)
    places = {"the store": device}
    if os.path.isdir(remote) and os.listdir(remote):
        other = unit.device("joined")
        joined = unit.sound(other.run("join", f"file://{remote}", "--name", "joined"))
        if joined.code in (0, 3):
            places["the remote"] = other
    found = {name: list_of(place) for name, place in places.items()}
    # What a bundle holds may go on from what the remote has.
    for name, taker in places.items() if bundles else ():
        for bundle in bundles:
            unit.sound(taker.run("bundle", "apply", bundle))
        found[f"{name} with the bundle"] = list_of(taker)
    unit.count("bundles", len(bundles))
    contacts = {}
    for ended, there in found.values():
        unit.sound(ended)
        contacts |= there
    gone = unit.witness.missing(contacts)
    if gone:
        have = ", ".join(f"{name} has {len(there)}" for name, (_, there) in found.items())
        unit.fail("gone", f"{len(gone)} of {len(unit.witness.contacts)} contacts exist nowhere any more; {have}; "
                          f"it had said: {' '.join((cleared.out + cleared.err).split())[:200]}")
    # It works, and keeps what is logged.
    unit.sound(unit.witness.add(device, unit.generator))
    ended, after = list_of(device)
    newest = max(unit.witness.acknowledged, key=unit.witness.acknowledged.get)
    if newest not in after:
        unit.fail("after", f"{newest} was logged after it and does not show: {ended}")
    verified = unit.sound(device.run("verify", "--deep"))
    if not verified.done:
        unit.fail("verify", str(verified))


def change(state, remote):
    if state in ("deleted", "emptied"):
        shutil.rmtree(remote)
    if state == "emptied":
        os.mkdir(remote)
    if state == "unreadable":
        # A link to itself: nobody can read it, root neither.
        os.rename(remote, remote + ".real")
        os.symlink(remote, remote)
    if state == "garbled":
        for path in files(remote):
            with open(path, "r+b") as file:
                size = os.path.getsize(path)
                file.seek(size // 2)
                file.write(b"\xa5" * (size - size // 2))
    if state == "older":
        shutil.rmtree(remote)
        os.rename(remote + ".older", remote)


def files(folder):
    return {os.path.join(place, name) for place, _, names in os.walk(folder) for name in names}


def named(unit, cleared, before):
    """The files that came with the command and were named on the screen; they are for their owner alone."""
    said = cleared.out + cleared.err
    new = [path for path in files(unit.folder) - before if os.path.basename(path) in said
           and re.search(r"\.gw\w*$|bundle", os.path.basename(path))]
    for path in new:
        mode = os.stat(path).st_mode & 0o777
        if mode != 0o600:
            unit.fail("mode", f"{os.path.basename(path)} has mode {mode:o}, not 600")
    return sorted(new)


CONTROLS = {"remote": "gone"}
