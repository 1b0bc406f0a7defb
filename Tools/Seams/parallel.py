"""Lane `parallel`: several shells add contacts to one store at once.

One device stays one replica, no contact is refused, and each that was acknowledged is listed.
"""
import random
import shutil
import threading

from unit import list_of


def units(options):
    return 20 if options.long else 5


def run(unit, control=None):
    shells, adds = (10, 200) if unit.options.long else (4, 25)
    if control:
        shells, adds = 2, 3
    unit.what = f"{shells} shells with {adds} adds each"
    device = unit.device()
    unit.made(device, 20, 1)
    refused = []

    def shell(generator):
        for _ in range(adds):
            ended = unit.sound(unit.witness.add(device, generator))
            if not ended.done:
                refused.append(ended)

    threads = [threading.Thread(target=shell, args=(random.Random(unit.generator.random()),)) for _ in range(shells)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if control == "lost":
        # Behind the witness's back.
        unit.need(device.run("qso", "remove", sorted(unit.witness.contacts)[-1], "--yes"))
    if control == "replica":
        device = device_copied(unit, device)
        unit.need(unit.witness.add(device, unit.generator))
    if refused:
        unit.fail("refused", f"{len(refused)} of {shells * adds} adds were refused: {refused[0]}")
    ended, contacts = list_of(device)
    unit.sound(ended)
    unit.compare(ended, contacts, "missing")
    replicas = unit.sound(device.run("replicas"))
    names = replicas.json.get("replicas", [])
    if len(names) != 1:
        unit.fail("replicas", f"one device is {len(names)} replicas: {[name.get('events') for name in names]} events")
    verified = unit.sound(device.run("verify", "--deep"))
    if not verified.done:
        unit.fail("verify", str(verified))


def device_copied(unit, device):
    copy = unit.device("copy")
    shutil.copytree(device.store, copy.store)
    return copy


CONTROLS = {"lost": "missing", "replica": "replicas"}
