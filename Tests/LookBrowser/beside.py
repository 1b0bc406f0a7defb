"""The page beside other programs: they write, erase, archive, are killed, and damage and recover the store, while it is looked at."""

import os
import random
import re
import signal
import socket
import subprocess
import threading
import time

import markup
from fixture import adif, damage
from outcome import Outcome
from program import Look, Program

# In CI other lanes run beside this one, and what is measured is the scheduler, too.
SLACK = 4 if os.environ.get("CI") == "true" else 1
PATIENCE = 10 * SLACK


def contacts(count: int, first: int = 0) -> bytes:
    return adif(
        *(
            {
                "CALL": f"K{number % 10}X{chr(65 + number % 26)}{chr(65 + number // 26 % 26)}",
                "QSO_DATE": f"2025{number % 12 + 1:02d}{number % 28 + 1:02d}",
                "TIME_ON": f"{number // 60 % 24:02d}{number % 60:02d}{number // 1440 % 60:02d}",
                "BAND": "20m",
                "MODE": "CW",
                "GRIDSQUARE": f"FN{number % 10}{number // 10 % 10}",
                "NAME": f"Operator {number}",
                "COMMENT": f"contact {number} " * 8,
            }
            for number in range(first, first + count)
        )
    )


class Beside:
    def __init__(self, program: Program, folder: str, browser, outcome: Outcome, seed: int) -> None:
        self.program, self.folder, self.browser, self.outcome = program, folder, browser, outcome
        self.random = random.Random(seed)

    def store(self, name: str, count: int) -> str:
        store = os.path.join(self.folder, name)
        self.program.run(store, "init", "--name", "shack")
        path = os.path.join(self.folder, name + ".adi")
        with open(path, "wb") as file:
            file.write(contacts(count))
        self.program.run(store, "import", path)
        return store

    def until(self, seconds: float, holds) -> float | None:
        """Waits until something holds; returns how long that took, `None` if it does not come to be."""
        began = time.monotonic()
        while time.monotonic() < began + seconds:
            try:
                if holds():
                    return time.monotonic() - began
            except Exception:  # The page is about to be another one.
                pass
            time.sleep(0.02)
        return None

    # ---- Another program adds a contact

    def notice(self) -> None:
        store = self.store("notice", 200)
        look = Look(self.program, store)
        driver, check = self.browser.driver, self.outcome.check
        try:
            self.browser.show()
            driver.get(look.address)
            before = self.program.json(store, "history", "--limit", "1")["events"][0]["event"]
            # In the middle of a page, and at its top, where no browser holds what is read in its place.
            for page, share in (
                ("/contacts", 0.5),
                ("/activity", 0.5),
                ("/contacts?at=after:" + before, 0.5),
                ("/contacts", 0),
                ("/history", 0),
            ):
                driver.get(look.base + page)
                time.sleep(0.4)
                driver.execute_script("scrollTo(0, document.documentElement.scrollHeight * arguments[0])", share)
                middle = driver.execute_script(
                    "window.seen = document.elementFromPoint(innerWidth / 2, innerHeight / 2); return [scrollY, seen.getBoundingClientRect().top, seen.textContent.slice(0, 80)]"
                )
                check(middle[0] > 100 or not share, f"{page} can be scrolled")
                self.program.run(store, "qso", "add", "N0CALL", "BAND=40m", "MODE=CW")
                took = self.until(3 * SLACK, lambda: "new event" in driver.find_element("id", "news").text)
                check(took is not None and took < SLACK, f"{page}: a notice appears within a second, not in {took}")
                after = driver.execute_script(
                    "return [scrollY, seen.getBoundingClientRect().top, seen.isConnected ? seen.textContent.slice(0, 80) : 'gone']"
                )
                moved = abs(after[1] - middle[1])
                check(
                    moved < 1 and after[2] == middle[2],
                    f"{page}, scrolled by {middle[0]}: what is read stays, and does not move by {moved:.0f} pixels ({middle[1:]}, then {after[1:]})",
                )
                link = driver.find_element("css selector", "#news a")
                html = driver.find_element("tag name", "html")
                driver.execute_script("arguments[0].click()", link)
                self.browser.wait_for_next(html)
                self.browser.picture()
                check("at=" not in driver.current_url, f"{page}: the notice leads to now")
            driver.get(look.base + "/contacts?call=N0CALL")
            check(len(self.browser.table("Contacts")) == 5, "what was written is in the list")
            self.many(look, store)
            for line in self.browser.complaints():
                self.outcome.fail(f"the console says {line[:200]}")
        finally:
            self.browser.leave()
            look.stop()

    # ---- Another program erases a contact

    def many(self, look: Look, store: str) -> None:
        """Ten pages at once, though a browser opens six connections to one server: each is shown, and each is told."""
        driver, check = self.browser.driver, self.outcome.check
        first = driver.current_window_handle
        began = time.monotonic()
        for _ in range(9):
            driver.switch_to.new_window("tab")
            driver.get(look.base + "/contacts")
        took = time.monotonic() - began
        check(took < PATIENCE, f"nine more pages are shown, in {took:.1f} s")
        self.program.run(store, "qso", "add", "N0CALL", "BAND=40m", "MODE=CW")
        for handle in driver.window_handles:
            driver.switch_to.window(handle)
            told = self.until(3 * SLACK, lambda: "new event" in driver.find_element("id", "news").text)
            check(told is not None, "each of ten pages is told")
        for handle in driver.window_handles:
            if handle != first:
                driver.switch_to.window(handle)
                driver.close()
        driver.switch_to.window(first)

    def erased(self) -> None:
        store = self.store("erased", 60)
        secret = "Forget-" + "".join(self.random.choices("abcdefghij", k=8))
        record = self.program.json(
            store,
            "qso",
            "add",
            "N2CALL",
            "BAND=20m",
            "MODE=CW",
            "NAME=" + secret,
            "COMMENT=" + "long " * 500 + secret,
            "--note",
            "note " + secret,
        )["id"]
        self.program.run(store, "qso", "edit", record, "QTH=" + secret, "--note", "again " + secret)
        self.program.run(store, "qso", "add", "N3CALL", "BAND=20m", "MODE=CW")
        last = self.program.json(store, "history", "--limit", "1")["events"][0]["event"]
        look = Look(self.program, store)
        driver, check = self.browser.driver, self.outcome.check
        first = driver.current_window_handle
        try:
            paths = [
                f"/record/qso/{record}",
                "/contacts?call=N2CALL",
                "/history",
                f"/record/qso/{record}/value/COMMENT",
                f"/record/qso/{record}?at=after:{last}",
                f"/contacts?call=N2CALL&at=after:{last}",
                f"/history?at=after:{last}",
                f"/compare?from=@62&to=after:{last}",
                "/compare?from=@62",
                "/",
                f"/?at=after:{last}",
                f"/batch/{last.rsplit('.', 1)[0]}/{int(last.rsplit('.', 1)[1]) - 1}",
            ]
            shown = [path for path in paths if secret in look.get(path).text]
            hidden = [path for path in paths if path not in shown]
            check(len(hidden) <= 2, f"before it is erased, {len(shown)} pages show the text, and not {hidden}")
            driver.get(look.address)
            driver.get(look.base + paths[4])
            past = driver.current_url
            windows = {}
            for path in (paths[0], paths[4], "/history"):
                driver.switch_to.new_window("tab")
                for step in (look.base + "/contacts", look.base + path):
                    driver.get(step)
                windows[path] = driver.current_window_handle
                check(secret in driver.page_source, f"{path} shows the text before it is erased")
            self.program.run(store, "erase", record, "--yes", "--note", "On request")
            began = time.monotonic()
            for path, window in reversed(windows.items()):
                driver.switch_to.window(window)
                took = self.until(4 * SLACK, lambda: secret not in driver.page_source)
                took = None if took is None else time.monotonic() - began
                check(took is not None and took < 2 * SLACK, f"{path}: the text is gone within 2 s, not in {took}")
            for path, window in windows.items():
                driver.switch_to.window(window)
                for step in (driver.back, driver.forward, driver.refresh):
                    step()
                    time.sleep(0.2)
                    check(secret not in driver.page_source, f"{path}: the text does not come back by {step.__name__}")
                driver.close()
            driver.switch_to.window(first)
            driver.back()
            driver.get(past)
            check(secret not in driver.page_source, "an address of a past moment does not show it again")
            for path in [
                *paths,
                past[len(look.base) :],
                "/records/qso",
                "/conflicts",
                "/map.svg",
                "/activity",
                f"/record/qso/{record}/proof",
            ]:
                for _ in range(2):
                    check(secret.encode() not in look.get(path).body, f"{path} does not show what was erased")
            check(secret.encode() not in listened(look), "/live does not say what was erased")
            check("erased" in look.get(f"/record/qso/{record}").text, "the page of the contact says that it was erased")
            self.browser.complaints(refusals=True)
        finally:
            self.browser.leave()
            look.stop()

    # ---- Others write, are killed, archive, damage and recover

    def troubled(self) -> None:
        store = self.store("troubled", 300)
        look = Look(self.program, store)
        run, check = self.program.run, self.outcome.check
        record = self.program.json(store, "qso", "add", "W1AW", "BAND=20m", "MODE=CW", "COMMENT=DAMAGEDAMAGE")["id"]
        run(store, "qso", "add", "W2AW", "BAND=20m", "MODE=CW")
        # The least number of contacts that a whole store has from now on, and what is being done.
        state = {"least": self.count(store), "doing": "nothing", "done": False}
        answers: dict[str, int] = {}
        last = self.program.json(store, "history", "--limit", "1")["events"][0]["event"]

        def ask(seed: int) -> None:
            choice = random.Random(seed)
            while not state["done"]:
                path = choice.choice(
                    (
                        "/",
                        "/contacts",
                        "/contacts",
                        "/contacts?band=20m",
                        "/history",
                        f"/record/qso/{record}",
                        "/map",
                        "/conflicts",
                        "/activity",
                        "/files",
                        "/devices",
                        "/records/import",
                        f"/contacts?at=after:{last}",
                        f"/history?at=after:{last}",
                        "/traces",
                        "/compare?from=@5",
                    )
                )
                least, doing = state["least"], state["doing"]
                try:
                    answer = look.get(path, timeout=20)
                except Exception as error:
                    if not state["done"]:
                        self.outcome.fail(f"while {doing}: {path} is not answered: {type(error).__name__} {error}")
                    continue
                self.judge(path, answer, least, f"{doing}, then {state['doing']}" if doing != state["doing"] else doing, answers)

        threads = [threading.Thread(target=ask, args=(number,), daemon=True) for number in range(2)]
        for thread in threads:
            thread.start()

        def now(words: str) -> None:
            state["doing"] = words
            time.sleep(0.5)

        try:
            now("writing")
            for _ in range(10):
                run(store, "qso", "add", "N0CALL", "BAND=20m", "MODE=CW")
                state["least"] += 1
            now("killing who writes")
            for number in range(6):
                path = os.path.join(self.folder, f"killed-{number}.adi")
                with open(path, "wb") as file:
                    file.write(contacts(2000, 1000 + number * 2000))
                process = self.program.start(store, "import", path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(self.random.uniform(0.01, 0.25))
                process.send_signal(signal.SIGKILL)
                process.wait(10)
                time.sleep(0.1)
            time.sleep(1)
            self.whole(look, store, "after who wrote was killed")
            now("archiving")
            run(store, "archive", "--before", "now", "-o", os.path.join(self.folder, "old.gwa"), "--yes")
            self.whole(look, store, "after old events were archived")
            now("deleting the views")
            for name in ("views.mdb", "views.mdb-lock"):
                os.remove(os.path.join(store, name))
            time.sleep(0.5)
            run(store, "qso", "add", "N0CALL", "BAND=20m", "MODE=CW")
            self.whole(look, store, "after the views were deleted")
            state["least"] = 0
            run(store, "qso", "add", "W3AW", "BAND=20m", "MODE=CW", "COMMENT=DAMAGEDAMAGE")
            now("damaging the log")
            damage(store, b"DAMAGEDAMAGE")
            self.program.try_run(store, "qso", "count")
            took = self.until(PATIENCE, lambda: "The store is damaged" in look.get("/contacts").text)
            check(took is not None, "a page says that the store is damaged")
            answer = look.get("/contacts")
            found = re.search(r'data-total="(\d+)"', answer.text)
            check(
                bool(found) and (int(found[1]) > 250 or "was recovered from it" not in answer.text),
                f"a page that says that what it shows was recovered shows {found and found[1]} contacts of more than 300",
            )
            answer = look.get("/files")
            check(
                answer.status == 200 and "recover restore" in answer.text,
                f"the page of the files says what can be done, with {answer.status}",
            )
            now("recovering")
            run(store, "recover", "restore")
            self.program.try_run(store, "qso", "count")
            took = self.until(
                PATIENCE, lambda: look.get("/contacts").status == 200 and "The store is damaged" not in look.get("/contacts").text
            )
            check(took is not None, "after the recovery, pages do not say any more that the store is damaged")
            self.outcome.note(f"a page of the recovered store came {took if took is None else round(took, 2)} s after the recovery")
            self.whole(look, store, "after the recovery")
            run(store, "qso", "add", "W4AW", "BAND=20m", "MODE=CW")
            self.whole(look, store, "after what was written behind the recovery")
            check("1 event" in look.get("/files").text, "the page of the files says what was lost")
            check(look.is_running, "groundwave look still runs")
        finally:
            state["done"] = True
            for thread in threads:
                thread.join(25)
            look.stop()
        self.outcome.note("answers: " + ", ".join(f"{words} {count}" for words, count in sorted(answers.items())))

    def count(self, store: str) -> int:
        return self.program.json(store, "qso", "count")["total"]

    def whole(self, look: Look, store: str, words: str) -> None:
        """The page shows what the program counts, within a second or so."""
        expected = self.count(store)
        seen = None

        def holds() -> bool:
            nonlocal seen
            answer = look.get("/contacts")
            found = re.search(r'data-total="(\d+)"', answer.text)
            seen = int(found[1]) if found else f"{answer.status} {title(answer)}"
            return seen == expected

        took = self.until(3 * SLACK, holds)
        self.outcome.check(took is not None, f"{words}, the page shows {seen} contacts, and the program {expected}")

    def judge(self, path: str, answer, least: int, doing: str, answers: dict[str, int]) -> None:
        check = self.outcome.check
        answers[str(answer.status)] = answers.get(str(answer.status), 0) + 1
        path = re.sub("[0-9A-Z]{26}", "ID", path)
        check(answer.seconds < PATIENCE, f"while {doing}: {path} takes {answer.seconds:.1f} s", f"while {doing}: it takes long")
        said = title(answer)
        is_refused = "<h1>Not shown</h1>" in answer.text
        check(
            answer.status == 200 or is_refused or 'role="alert"' in answer.text,
            f"while {doing}: {path} is answered with {answer.status}, and says not why",
        )
        if answer.status != 200:
            words = f"{answer.status} ({re.sub('[^a-zA-Z .:]+', ' ', said)[:140]})"
            answers[words] = answers.get(words, 0) + 1
        allowed = {200, 409, 503}
        if "at=" in path or "from=" in path:
            # A moment before old events were archived is none that can be looked at; a damaged store may lack it.
            allowed |= {400, 404, 410}
        if not check(
            answer.status in allowed or answer.status == 404 and "damaged" in said,
            f"while {doing}: {path} is answered with {answer.status}: {said}",
            f"while {doing}: answered with {answer.status}",
        ):
            return
        if answer.status != 200:
            return
        wrong = markup.problems(answer.body)
        check(not wrong, f"while {doing}: {path}: {'; '.join(wrong[:3])}")
        found = re.search(r'data-total="(\d+)"', answer.text) if path == "/contacts" else None
        if found and "The store is damaged" not in answer.text:
            check(int(found[1]) >= least, f"while {doing}: {path} shows {found[1]} contacts, where there are at least {least}")


def title(answer) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", answer.text.split('tabindex="-1">', 1)[-1]).split())[:200]


def listened(look: Look) -> bytes:
    """What /live says at first."""
    with socket.create_connection(("127.0.0.1", look.port), timeout=1) as connection:
        connection.sendall(f"GET /live HTTP/1.1\r\nHost: {look.host}\r\nCookie: {look.cookie}\r\n\r\n".encode())
        answer = b""
        try:
            while part := connection.recv(65_536):
                answer += part
        except OSError:
            pass
        return answer


def run(outcome: Outcome, options, shared) -> None:
    folder = os.path.join(shared.folder, "beside")
    os.mkdir(folder)
    beside = Beside(shared.program, folder, shared.browser, outcome, options.seed)
    for name, body in (
        ("a contact is added", beside.notice),
        ("a contact is erased", beside.erased),
        ("the store is in trouble", beside.troubled),
    ):
        outcome.part = f"beside, {name}"
        outcome.attempt("it ended early", body)
