"""A log with something on every page, made by the program itself: three devices, imports, edits at once, a trace with a gap,
an erased contact, and a store that was damaged, recovered and partly filled again."""

import os
import time

from program import Program


def adif(*records: dict[str, str], program: str = "TEST") -> bytes:
    """An ADI file (ADIF 3.1.5, II.B): lengths count bytes."""
    text = bytearray(f"<PROGRAMID:{len(program)}>{program}<EOH>\n".encode())
    for record in records:
        for name, value in record.items():
            content = value if isinstance(value, bytes) else value.encode("utf-8")
            text += f"<{name}:{len(content)}>".encode() + content
        text += b"<EOR>\n"
    return bytes(text)


def field_day() -> list[dict[str, str]]:
    """360 contacts of the years 2023 to 2025 on three bands, in three modes, from 90 squares."""
    contacts = []
    for number in range(360):
        contacts.append(
            {
                "CALL": f"W{number % 9 + 1}A{chr(65 + number % 26)}{chr(65 + number // 26)}",
                "QSO_DATE": f"{2023 + number % 3}{number % 12 + 1:02d}{number % 28 + 1:02d}",
                "TIME_ON": f"{number % 24:02d}{number % 60:02d}00",
                "BAND": ("20m", "40m", "10m", "20m", "80m")[number % 5],
                "MODE": ("CW", "SSB", "FT8", "CW")[number % 4],
                "RST_SENT": "599",
                "RST_RCVD": "579",
                "GRIDSQUARE": f"FN{number % 9}{number // 9 % 10}",
                "NAME": f"Operator {number}",
                "DXCC": "291",
                "CQZ": str(3 + number % 3),
                "STATE": ("CT", "MA", "NY", "OH")[number % 4],
                "POTA_REF": f"US-{1000 + number % 7}",
            }
        )
    return contacts


class Fixture:
    """The log. `store` is that of the device called shack, the one that is looked at."""

    def __init__(self, program: Program, folder: str, damaged: bool = True) -> None:
        self.program = program
        self.folder = folder
        self.store = os.path.join(folder, "shack")
        self.laptop = os.path.join(folder, "laptop")
        self.phone = os.path.join(folder, "phone")
        self.remote = os.path.join(folder, "remote")
        # Moments that questions ask about, as positions of the log, and ids of records by a name.
        self.moments: dict[str, str] = {}
        self.ids: dict[str, str] = {}
        self.make()
        self.trace()
        if damaged:
            self.lose_and_recover()
        self.part()

    def shack(self, *arguments: str) -> dict:
        return self.program.json(self.store, *arguments)

    def at_laptop(self, *arguments: str) -> dict:
        return self.program.json(self.laptop, *arguments)

    def file(self, name: str, content: bytes) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "wb") as place:
            place.write(content)
        return path

    def sync(self, *stores: str) -> None:
        for store in stores:
            self.program.run(store, "sync", status=(0, 3))  # 3: not complete yet.

    def mark(self, name: str) -> None:
        """Remembers this moment: a point in time before whatever comes next."""
        time.sleep(0.15)
        self.moments[name] = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + f".{int(time.time() * 1000) % 1000:03d}"
        time.sleep(0.15)

    def make(self) -> None:
        """Contacts, devices, imports, edits and conflicts."""
        run, shack = self.program.run, self.shack
        run(self.store, "init", "--name", "shack")
        shack("session", "start", "--call", "N0CALL", "--park", "US-1234", "--rig", "KX2", "--power", "5", "--title", "Lake")
        self.ids["asked"] = shack(
            "qso",
            "add",
            "W1AW",
            "FREQ=14.0325",
            "MODE=CW",
            "RST_SENT=599",
            "RST_RCVD=579",
            "NAME=Hiram",
            "GRIDSQUARE=FN31pr",
            "--author",
            "N0CALL",
        )["id"]
        for number in range(6):
            shack("qso", "add", f"K{number}TEST", f"FREQ=7.{30 + number:03d}", "MODE=CW", "GRIDSQUARE=EM12", "COMMENT=calling CQ")
        self.ids["erased"] = shack("qso", "add", "N2CALL", "BAND=20m", "MODE=SSB", "NAME=Wants to be forgotten")["id"]
        self.ids["removed"] = shack("qso", "add", "N3CALL", "BAND=20m", "MODE=SSB", "NAME=Logged twice")["id"]
        shack("session", "end")
        run(self.store, "remote", "add", "stick", "file://" + self.remote)
        self.sync(self.store)
        run(self.laptop, "join", "file://" + self.remote, "--name", "laptop")
        run(self.phone, "join", "file://" + self.remote, "--name", "phone")
        self.mark("before edits")
        shack("qso", "edit", "W1AW", "NAME=Maxim", "--note", "He said so", "--author", "N0CALL")
        self.mark("between edits")
        shack("qso", "edit", "W1AW", "FREQ=14.0355", "NAME=Hiram Percy", "--note", "Read back wrong", "--author", "N1CALL")
        self.mark("after edits")
        shack("qso", "remove", self.ids["removed"], "--note", "Logged twice")
        self.ids["field day"] = shack(
            "import", self.file("field-day.adi", adif(*field_day(), program="FieldLogger")), "--note", "Import of field-day.adi"
        )["import"]
        other = [dict(contact, NAME="Somebody Else", program="OTHER") for contact in field_day()[:5]]
        for contact in other:
            del contact["program"]
        other.append({"CALL": "N4CALL", "QSO_DATE": "20250704", "TIME_ON": "1200", "BAND": "6m", "MODE": "FM", "APP_TEST_WEATHER": "sunny"})
        shack("import", self.file("contest.adi", adif(*other, program="ContestLogger")))
        shack("record", "add", "equipment", "NAME=Portable", "RIG=KX2", "POWER=5")
        shack("record", "add", "activation", "PARK=US-1234", "DATE=2026-05-01", "TITLE=Lake")
        self.sync(self.store, self.laptop, self.store)
        # Both write before they hear of each other.
        shack("qso", "edit", "K1TEST", "NAME=Ann", "--note", "from her card", "--author", "N0CALL")
        self.at_laptop("qso", "edit", "K1TEST", "NAME=Anne", "COMMENT=very loud", "--note", "as she spells it", "--author", "N1CALL")
        shack("qso", "edit", "K2TEST", "RST_SENT=559")
        self.at_laptop("qso", "edit", "K2TEST", "RST_SENT=449")
        self.ids["conflict"] = shack("blame", "K1TEST")["id"]
        shack("qso", "remove", "K3TEST")
        self.at_laptop("qso", "edit", "K3TEST", "COMMENT=portable")
        self.at_laptop("qso", "add", "N5CALL", "BAND=15m", "MODE=RTTY", "GRIDSQUARE=JN58")
        self.sync(self.store, self.laptop, self.store)
        run(self.store, "erase", self.ids["erased"], "--yes", "--note", "On request")
        run(self.store, "snapshot", "create")

    def trace(self) -> None:
        """A trace of five minutes, twice a second, that lacks half a minute; and one beside it."""
        lines = ["time,voltage,current"]
        for number in range(600):
            seconds = number * 0.5 + (30 if number >= 200 else 0)
            lines.append(f"{seconds},{5 + number % 7 * 0.011:.3f},{0.1 + number * 37 % 211 * 0.01:.3f}")
        for name, hour in (("charge", 12), ("second charge", 15)):
            self.ids[name] = self.shack(
                "trace",
                "import",
                self.file(name + ".csv", "\n".join(lines).encode()),
                "--name",
                name,
                "--time",
                "time",
                "--channel",
                "voltage=voltage:V",
                "--channel",
                "current=current:A",
                "--start",
                f"2026-05-01T{hour}:00",
            )["trace"]
        self.program.run(self.store, "trace", "mark", "charge", "charger unplugged", "--at", "2026-05-01T12:00:30.5")

    def lose_and_recover(self) -> None:
        """Damages an event that other devices have, and one that nobody has."""
        self.shack("qso", "add", "N6CALL", "BAND=20m", "MODE=CW", "COMMENT=BACKBACKBACK")
        self.sync(self.store, self.laptop, self.store)
        self.shack("qso", "add", "N7CALL", "BAND=20m", "MODE=CW", "COMMENT=LOSTLOSTLOST")
        self.shack("qso", "add", "N8CALL", "BAND=20m", "MODE=CW", "COMMENT=kept")
        damage(self.store, b"BACKBACKBACK", b"LOSTLOSTLOST")
        self.program.try_run(self.store, "qso", "count")
        self.program.run(self.store, "recover", "restore")
        self.program.try_run(self.store, "qso", "count")
        self.sync(self.store)

    def part(self) -> None:
        """The devices lack something of one another, and say so."""
        self.shack("qso", "add", "N9CALL", "BAND=20m", "MODE=CW", "NAME=Unsent")
        self.program.run(self.phone, "qso", "add", "W9TEST", "BAND=40m", "MODE=SSB")
        self.sync(self.phone, self.laptop)


def damage(store: str, *texts: bytes) -> int:
    """Turns over the bits of each place in the log that has one of the texts; returns how many there were."""
    with open(os.path.join(store, "log.mdb"), "r+b") as file:
        content = file.read()
        count = 0
        for text in texts:
            start = content.find(text)
            while start >= 0:
                file.seek(start)
                file.write(bytes(byte ^ 0xFF for byte in text))
                count += 1
                start = content.find(text, start + 1)
    if not count:
        raise RuntimeError("the log has none of the texts that were to be damaged")
    return count
