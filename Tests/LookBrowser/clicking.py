"""Clicking at random through links and forms, while another program writes: no error, memory flat, no descriptor left."""

import os
import random
import re
import threading
import time

from outcome import Outcome
from program import Look

# Private memory that the server may have.
LIMIT_KIBIBYTES = 150 * 1024
# The server keeps four past moments, each with up to three files.
KEPT = 12

# All links and forms of a page that lead on within it. Links within the timeline count as one of ten: there are hundreds.
WAYS = """
const links = [...document.querySelectorAll("a[href]")].filter((link) => !link.hasAttribute("download"))
  .map((link) => ({ href: new URL(link.href.baseVal ?? link.href, location).href, drawn: link.ownerSVGElement !== undefined && link.ownerSVGElement !== null }));
return {
  links: links.filter((link) => !link.drawn).map((link) => link.href), drawn: links.filter((link) => link.drawn).map((link) => link.href), forms: document.forms.length,
  curves: document.querySelectorAll("#chart .curve").length, outside: links.filter((link) => new URL(link.href).origin !== location.origin).map((link) => link.href),
};
"""

# Clicks as a person does: of a link in a drawing, on what is drawn.
CLICK = """
const href = arguments[0];
for (const link of document.querySelectorAll("a[href]")) {
  if (new URL(link.href.baseVal ?? link.href, location).href !== href) continue;
  (link.firstElementChild ?? link).dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, view: window }));
  return true;
}
return false;
"""

FILL = """
const [index, values] = arguments;
const form = document.forms[index];
let next = 0;
for (const field of form.elements) {
  const value = values[next++ % values.length];
  if (field.type === "checkbox") field.checked = value.length % 2 === 0;
  else if (field.localName === "select") field.selectedIndex = value.length % field.options.length;
  else if (field.localName === "input" && field.type !== "hidden") field.value = value;
}
form.requestSubmit();
"""

DRAG = """
const curve = document.querySelector("#chart .curve"), box = curve.getBoundingClientRect(), [from, to] = arguments;
const event = (name, share) => new PointerEvent(name, { bubbles: true, button: 0, pointerId: 1, clientX: box.left + box.width * share, clientY: box.top + 9 });
curve.dispatchEvent(event("pointerdown", from));
curve.dispatchEvent(event("pointermove", to));
curve.dispatchEvent(event("pointerup", to));
"""

WORDS = (
    "",
    "",
    "",
    "",
    "W1AW",
    "20m",
    "CW",
    "2025",
    "2d",
    "@120",
    "@5",
    "2024-05",
    "FN*",
    "NAME~Operator",
    "GRIDSQUARE=FN31*",
    "K1TEST",
    "shack",
    "last",
    "NAME",
    "qso",
    "US-1234",
    "nonsense",
    "1h",
    "today",
    "*",
)


class Clicking:
    def __init__(self, shared, outcome: Outcome, seed: int) -> None:
        self.shared, self.outcome = shared, outcome
        self.random = random.Random(seed)
        self.browser, self.fixture = shared.browser, shared.fixture
        self.samples: list[tuple[float, int]] = []
        self.written = 0
        self.visited: dict[str, int] = {}
        self.done = threading.Event()
        self.slow: list[tuple[float, str]] = []

    def write(self, look: Look) -> None:
        """Another program: a contact each second, and what the server has of memory meanwhile."""
        began = time.monotonic()
        while not self.done.wait(max(0.0, began + self.written + 1 - time.monotonic())):
            self.fixture.program.try_run(self.fixture.store, "qso", "add", "N0CALL", "BAND=20m", "MODE=CW", f"NAME=Operator {self.written}")
            self.written += 1
            self.samples.append((time.monotonic() - began, look.private_kibibytes()))

    def warm(self, look: Look) -> None:
        """What is kept for later is there before anything is counted: past moments, and what the first page opens."""
        for position in (5, 40, 100, 200, 300, 400):
            look.get(f"/contacts?at=@{position}")
        for path in ("/", "/map", "/activity", "/conflicts", "/traces", "/devices", "/files", "/history", "/compare?from=@5&to=@40"):
            look.get(path)

    def click(self, look: Look) -> None:
        driver = self.browser.driver
        ways = driver.execute_script(WAYS)
        for address in ways["outside"]:
            self.outcome.fail(f"{driver.current_url} leads away, to {address}")
        choice = self.random.random()
        former = driver.current_url
        if ways["curves"] and choice < 0.4:
            driver.execute_script(DRAG, self.random.random(), self.random.random())
            time.sleep(0.2)
        elif ways["forms"] and choice < 0.3:
            driver.execute_script(FILL, self.random.randrange(ways["forms"]), [self.random.choice(WORDS) for _ in range(7)])
            self.settle(former)
        elif ways["drawn"] and choice < 0.4:
            driver.execute_script(CLICK, self.random.choice(ways["drawn"]))
            self.settle(former)
        elif choice < 0.45:
            driver.back()
        elif ways["links"]:
            # A kind of page first: otherwise one would hardly ever leave the lists of contacts.
            kinds: dict[str, list[str]] = {}
            for link in ways["links"]:
                kinds.setdefault(kind(link[len(look.base) :]), []).append(link)
            driver.execute_script(CLICK, self.random.choice(kinds[self.random.choice(sorted(kinds))]))
            self.settle(former)
        if not driver.current_url.startswith(look.base) or choice > 0.98:
            driver.get(look.base + "/")

    def settle(self, former: str) -> None:
        """Waits for the next page. Some links lead to the page that is there."""
        driver = self.browser.driver
        end = time.monotonic() + 10
        while time.monotonic() < end:
            state = driver.execute_script("return document.readyState")
            if state == "complete" and (driver.current_url != former or time.monotonic() > end - 9.7):
                break
            time.sleep(0.02)
        timing = driver.execute_script(
            "const t = performance.getEntriesByType('navigation')[0]; return t ? t.responseEnd - t.startTime : 0"
        )
        self.slow.append((timing, driver.current_url))

    def run(self, seconds: float) -> None:
        look = Look(self.fixture.program, self.fixture.store)
        driver = self.browser.driver
        check = self.outcome.check
        try:
            self.browser.show()
            driver.get(look.address)
            self.browser.complaints()
            self.warm(look)
            driver.get("about:blank")
            time.sleep(0.5)
            start, start_connections = look.descriptors()
            writer = threading.Thread(target=self.write, args=(look,), daemon=True)
            writer.start()
            driver.get(look.base + "/")
            began = time.monotonic()
            clicks = 0
            while time.monotonic() < began + seconds:
                self.outcome.attempt(f"click {clicks} at {driver.current_url}", self.click, look)
                clicks += 1
                place = kind(driver.current_url[len(look.base) :])
                self.visited[place] = self.visited.get(place, 0) + 1
                self.browser.picture()
                for line in self.browser.complaints(refusals=True):
                    self.outcome.fail(
                        f"click {clicks} at {driver.current_url[:200]}: the console says {line[:300]}",
                        re.sub(r"\d+|[0-9A-Z]{26}", "", line)[:100],
                    )
                heading = driver.execute_script("return document.body.innerText.slice(0, 400)")
                check("Internal" not in heading and heading.strip() != "", f"click {clicks}: {driver.current_url[:200]} is an empty page")
            self.done.set()
            writer.join(30)
            driver.get("about:blank")
            end = time.monotonic() + 10
            while time.monotonic() < end:
                count, connections = look.descriptors()
                if count - connections <= start - start_connections + KEPT:
                    break
                time.sleep(0.2)
            check(
                count - connections <= start - start_connections + KEPT,
                f"descriptors: {start} of them {start_connections} connections at the start, {count} of them {connections} connections at the end",
            )
            memory = [kibibytes for _, kibibytes in self.samples]
            check(
                bool(memory) and 0 < max(memory) < LIMIT_KIBIBYTES,
                f"private memory stays under 150 MiB: {max(memory or [0]) / 1024:.1f} MiB",
            )
            half, tail = len(memory) // 2, len(memory) * 9 // 10
            # By hand only: in a few seconds, memory is still growing to what it needs.
            if seconds >= 300:
                middle = sum(memory[half : half + 20]) / 20
                last = sum(memory[-20:]) / 20
                check(
                    # The log grows meanwhile, and what is kept of past moments is what has changed since.
                    last - middle < max(16 * 1024, middle * 0.1),
                    f"private memory is flat: {middle / 1024:.1f} MiB in the middle, {last / 1024:.1f} MiB at the end",
                )
            timings = sorted(time for time, _ in self.slow)
            self.outcome.note(
                f"{clicks} clicks on {len(self.visited)} kinds of pages, {self.written} contacts written; private memory {memory[0] / 1024:.1f} MiB at the start, {memory[half] / 1024:.1f} in the middle, "
                f"{memory[tail] / 1024:.1f} at nine tenths, {max(memory) / 1024:.1f} at most; descriptors {start} ({start_connections} connections) and {count} ({connections}); "
                f"pages in {timings[len(timings) // 2]:.0f} ms (median), {timings[-1]:.0f} ms (slowest: {max(self.slow)[1][len(look.base) :][:100]})"
            )
            if os.environ.get("LOOK_BROWSER_TIMES"):
                self.outcome.note(", ".join(f"{place} {count}" for place, count in sorted(self.visited.items())))
            check(clicks >= seconds / 2, f"{clicks} clicks were made")
            check(look.is_running, "groundwave look still runs")
        finally:
            self.done.set()
            look.stop()
        check(look.process.returncode == 0, f"groundwave look ends with 0, not {look.process.returncode}")


def kind(place: str) -> str:
    """An address without what tells one page from the others of its kind."""
    return re.sub(r"(?<=/)\d+", "N", re.sub("[0-9A-Z]{26}", "ID", place.split("?")[0].split("#")[0]))


def run(outcome: Outcome, options, shared) -> None:
    Clicking(shared, outcome, options.seed).run(options.seconds)
