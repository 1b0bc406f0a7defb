"""Pages for everyone: axe-core finds nothing serious, the keyboard alone leads everywhere, each page has its landmarks."""

import os

import axe_core_python
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from outcome import Outcome
from program import Look

# What axe-core calls an impact that keeps people out.
GRAVE = ("serious", "critical")

LANDMARKS = """
const wrong = [];
const count = (selector) => document.querySelectorAll(selector).length;
if (count("h1") !== 1) wrong.push(count("h1") + " first headings");
if (count("main") !== 1) wrong.push(count("main") + " main landmarks");
if (document.documentElement.lang !== "en") wrong.push("no language");
if (!document.title.trim()) wrong.push("no title");
for (const picture of document.querySelectorAll("img, svg[role]"))
  if (!(picture.getAttribute("alt") || picture.getAttribute("aria-label") || "").trim()) wrong.push("a picture without a text");
for (const picture of document.querySelectorAll("svg:not([role])"))
  if (picture.getAttribute("aria-hidden") !== "true") wrong.push("a picture that is neither named nor hidden");
for (const table of document.querySelectorAll("table")) {
  if (!table.caption) wrong.push("a table without a caption");
  if (!table.querySelector("th")) wrong.push("a table without heads");
}
for (const field of document.querySelectorAll("input:not([type=hidden]), select"))
  if (!field.labels.length && !field.getAttribute("aria-label")) wrong.push("a field without a label: " + field.name);
for (const link of document.querySelectorAll("a[href]:not(svg a)"))
  if (!(link.textContent.trim() || link.getAttribute("aria-label"))) wrong.push("a link without a text: " + link.getAttribute("href"));
if (document.documentElement.scrollWidth > innerWidth) wrong.push(`wider than the screen by ${document.documentElement.scrollWidth - innerWidth} pixels`);
return wrong;
"""

# Where the focus is, and whether one can see it there.
FOCUS = """
const element = document.activeElement;
if (!element || element === document.body) return null;
const style = getComputedStyle(element);
return {
  name: element.localName, class: element.getAttribute("class") || "", text: (element.textContent || "").replace(/\\s+/g, " ").trim().slice(0, 60),
  field: element.name || "", href: element.getAttribute("href") || "",
  within: element.closest("nav, main, footer, #time, header")?.id || element.closest("nav, main, footer, #time, header")?.localName || "",
  seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none",
};
"""


class Access:
    def __init__(self, browser, outcome: Outcome) -> None:
        self.browser, self.outcome = browser, outcome
        path = os.path.join(os.path.dirname(axe_core_python.__file__), "axe.min.js")
        with open(path, encoding="utf-8") as file:
            self.axe = file.read()
        # The pages on which something was found, by its words.
        self.notes: dict[str, list[str]] = {}
        self.grave: dict[str, list[str]] = {}

    def examine(self, name: str) -> list[str]:
        """Has axe-core look at the page; returns what is grave."""
        driver = self.browser.driver
        driver.execute_script(self.axe)
        found = driver.execute_async_script(
            "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then((result) => done(result.violations), (error) => done([{id: String(error), impact: 'critical', nodes: []}]));"
        )
        grave = []
        for violation in found:
            nodes = violation["nodes"]
            words = f"{violation['id']} ({violation['impact']}), {len(nodes)} times: " + (nodes[0]["html"][:160] if nodes else "")
            if nodes and violation["id"] == "color-contrast":
                words += " " + nodes[0]["any"][0]["message"][:160]
            if violation["impact"] in GRAVE:
                grave.append(words)
            else:
                self.notes.setdefault(violation["id"], []).append(f"{name}: {words}")
        return grave

    def page(self, name: str, address: str) -> None:
        browser = self.browser
        browser.open(address)
        # What is folded is looked at, too.
        browser.driver.execute_script("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        found = self.examine(name)
        for words in found:
            self.grave.setdefault(words.split(" ", 1)[0], []).append(f"{browser.look}, {name}: {words}")
        self.outcome.passed += not found
        wrong = browser.driver.execute_script(LANDMARKS)
        self.outcome.check(not wrong, f"{name}: {'; '.join(wrong[:4])}")
        for line in browser.complaints(refusals="error" in name):
            self.outcome.fail(f"{name}: the console says {line[:200]}")

    def report(self) -> None:
        """Says what axe-core has found, each kind once."""
        for rule, places in self.grave.items():
            self.outcome.fail(f"{rule} on {len(places)} pages, such as {places[0]}")
        for rule, places in self.notes.items():
            self.outcome.note(f"{rule} on {len(places)} pages, such as {places[0]}")

    def can_fail(self, base: str) -> None:
        """A page that was spoilt is found to be so."""
        self.browser.show()
        self.browser.open(base + "/")
        self.browser.driver.execute_script(
            "document.querySelector('main').insertAdjacentHTML('beforeend', '<img src=/icon.svg><button></button>'); document.documentElement.lang = ''; "
            "document.querySelector('main').append(document.createElement('h1'))"
        )
        self.outcome.check(len(self.examine("a spoilt page")) >= 3, "axe-core finds what was spoilt")
        self.outcome.check(len(self.browser.driver.execute_script(LANDMARKS)) >= 3, "landmarks that were spoilt are found")
        self.notes.clear()

    # ---- The keyboard

    def press(self, *keys: str) -> None:
        ActionChains(self.browser.driver).send_keys(*keys).perform()

    def focus(self) -> dict:
        return self.browser.driver.execute_script(FOCUS) or {}

    def keyboard(self, base: str) -> None:
        browser, check = self.browser, self.outcome.check
        browser.open(base + "/contacts")
        self.press(Keys.TAB)
        place = self.focus()
        check(place.get("class") == "skip", f"the first key leads to the link that skips, not to {place}")
        box = browser.driver.execute_script(
            "const box = document.activeElement.getBoundingClientRect(); return [box.left, box.top, box.width]"
        )
        check(box[0] >= 0 and box[1] >= 0 and box[2] > 20, f"the link that skips is seen when it has the focus: {box}")
        self.press(Keys.ENTER)
        self.press(Keys.TAB)
        place = self.focus()
        check(place.get("within") == "main", f"behind the link that skips comes the content, not {place}")
        browser.open(base + "/contacts")
        visited = []
        for _ in range(60):
            self.press(Keys.TAB)
            visited.append(self.focus())
            if visited[-1].get("text") == "Filter":
                break
        places = {place.get("within") for place in visited}
        check({"nav", "time", "main"} <= places, f"keys lead to the pages, the time and the content: {places}")
        names = [place.get("text") for place in visited if place.get("within") == "nav"]
        check(len(names) == 10 and names[0] == "Overview" and names[-1] == "Files", f"keys lead to each page: {names}")
        fields = {place.get("field") for place in visited}
        check({"at", "by", "words", "call", "band", "mode"} <= fields, f"keys lead to each field: {fields}")
        hidden = [place for place in visited if place and not place["seen"]]
        check(not hidden, f"one sees where the focus is: {hidden[:2]}")
        # A form by keys alone.
        browser.open(base + "/contacts")
        field = browser.named("label", "Call").find_element(By.CSS_SELECTOR, "input")
        before = browser.driver.find_element(By.TAG_NAME, "html")
        field.send_keys("W1AW", Keys.ENTER)
        browser.wait_for_next(before)
        check("call=W1AW" in browser.driver.current_url, "Enter sends a form")
        # The timeline: arrows go from step to step, Enter chooses one.
        browser.open(base + "/contacts")
        chosen = None
        for _ in range(30):
            self.press(Keys.TAB)
            if "bars" in self.focus().get("class", ""):
                break
        check("bars" in self.focus().get("class", ""), f"keys lead to the timeline, not to {self.focus()}")
        steps = []
        for key in (Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT):
            self.press(key)
            chosen = self.focus()
            steps.append(chosen.get("href", ""))
        check(
            all("at=" in step for step in steps) and len(set(steps[:3])) == 3 and steps[3] == steps[1],
            f"arrows go from step to step: {steps}",
        )
        check(bool(chosen and chosen["seen"]), f"one sees which step has the focus: {chosen}")
        before = browser.driver.find_element(By.TAG_NAME, "html")
        self.press(Keys.ENTER)
        browser.wait_for_next(before)
        check("at=vector" in browser.driver.current_url, "Enter goes to the moment of a step")
        for line in browser.complaints():
            self.outcome.fail(f"the console says {line[:200]}")


def pages(fixture, look: Look) -> dict[str, str]:
    """Each kind of page, by a name."""
    ids, moments = fixture.ids, fixture.moments
    base = look.base
    program = fixture.program
    batch = program.json(fixture.store, "history", "--limit", "1")["events"][0]["event"].replace(".", "/")
    field_day = program.json(fixture.store, "history", "--kind", "import", "--limit", "1")["events"][0]["event"].replace(".", "/")
    return {
        "overview": "/",
        "contacts": "/contacts",
        "contacts, filtered": "/contacts?band=20m&since=2025",
        "contacts, none": "/contacts?call=NOBODY",
        "contacts, hidden": "/contacts?hidden=1",
        "contacts, a wrong filter (error)": "/contacts?where=%3D",
        "records": "/records",
        "records of a kind": "/records/equipment",
        "contact": f"/record/qso/{ids['asked']}",
        "contact with a conflict": f"/record/qso/{ids['conflict']}",
        "contact that is hidden": f"/record/qso/{ids['removed']}",
        "contact that was erased": f"/record/qso/{ids['erased']}",
        "import": f"/record/import/{ids['field day']}",
        "history": "/history",
        "history, filtered": "/history?device=laptop",
        "batch": f"/batch/{batch}",
        "long batch": f"/batch/{field_day}",
        "conflicts": "/conflicts",
        "map": "/map",
        "activity": "/activity",
        "traces": "/traces",
        "trace": f"/trace/{ids['charge']}",
        "two traces": f"/trace/{ids['charge']}?with={ids['second charge']}",
        "trace, a stretch": f"/trace/{ids['charge']}?from=1777636825500&to=1777636835500",
        "devices": "/devices",
        "files": "/files",
        "verify": "/verify",
        "compare": "/compare",
        "compare, two moments": f"/compare?from={moments['before edits']}&to={moments['after edits']}",
        "past overview": f"/?at={moments['between edits']}",
        "past contacts": f"/contacts?at={moments['between edits']}",
        "past contact": f"/record/qso/{ids['asked']}?at={moments['between edits']}",
        "past history": f"/history?at={moments['after edits']}&by=kind",
        "error 404": "/nothing",
        "error of a moment": "/?at=nonsense",
        "preview of an undo": "/write/undo",
        "preview of a revert": f"/write/revert?event={field_day.replace('/', '.')}",
        "preview of a restore": f"/write/restore?kind=qso&record={ids['removed']}",
        "preview of a mark": f"/write/mark?record={ids['charge']}&time=1777636830000",
    } | {"base": base}


def run(outcome: Outcome, options, shared) -> None:
    fixture, browser = shared.fixture, shared.browser
    look = Look(fixture.program, fixture.store, "--write")
    try:
        browser.show()
        browser.open(look.address)
        access = Access(browser, outcome)
        outcome.part = "access"
        access.can_fail(look.base)
        browser.complaints()
        found = pages(fixture, look)
        base = found.pop("base")
        look.get("/verify?start=1")
        ways = [(1400, False), (380, True), (1400, True), (380, False)]
        for index, (name, address) in enumerate(found.items()):
            # By hand, each page is seen in all four ways; in short, in one, so that each way has a quarter of the pages.
            for width, dark in ways if options.seconds >= 300 else [ways[index % 4]]:
                browser.show(width, dark)
                outcome.part = f"access, {browser.look}"
                outcome.attempt(name, access.page, name, base + address)
        outcome.part = "access"
        access.report()
        browser.show()
        outcome.part = "access, keyboard"
        outcome.attempt("the keyboard", access.keyboard, base)
    finally:
        browser.leave()
        look.stop()
