"""A Chromium without a window, of any width, light or dark, with and without scripts."""

import base64
import os
import re
import shutil
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

import outcome

# What a page may say in the console when a test asks for a page that is refused.
REFUSED = re.compile(r"the server responded with a status of 4\d\d")

# One call for all elements: each question to the browser takes a millisecond or more.
NAMED = """
const [within, selector, words, exact] = arguments;
for (const element of (within || document).querySelectorAll(selector)) {
  const text = element.textContent.replace(/\\s+/g, " ").trim(), label = element.getAttribute("aria-label") || "";
  if (text === words || label === words || (!exact && (text.includes(words) || label.includes(words)))) return element;
}
return null;
"""


def find(names: tuple[str, ...], variable: str) -> str:
    """A program by its variable, else by its usual names."""
    for name in (os.environ.get(variable, ""), *names):
        path = shutil.which(name) if name else None
        if path:
            return path
    outcome.die(f"{names[0]} is not there: apt-get install -y chromium chromium-driver, or set {variable}")
    return ""


class Chromium:
    """One browser. What a page says in the console is collected, and read by `complaints`."""

    def __init__(self, screenshots: str | None = None) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = find(("chromium", "chromium-browser", "google-chrome"), "CHROMIUM")
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1400,1000",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run",
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        service = Service(find(("chromedriver", "chromium.chromedriver"), "CHROMEDRIVER"))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(30)
        self.driver.set_script_timeout(30)
        self.screenshots = screenshots
        self.look = ""
        self.runs_scripts = True
        self.pictures: set[str] = set()
        if screenshots:
            os.makedirs(screenshots, exist_ok=True)

    def show(self, width: int = 1400, dark: bool = False, scripts: bool = True) -> None:
        """Chooses how pages are seen from the next one on."""
        command = self.driver.execute_cdp_cmd
        command(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 1000 if width > 500 else 800, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        command("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        command("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        self.runs_scripts = scripts
        self.look = f"{width}-{'dark' if dark else 'light'}{'' if scripts else '-noscript'}"

    def open(self, address: str) -> None:
        self.driver.get(address)
        self.picture()

    def picture(self, name: str | None = None) -> None:
        """Saves a picture of the page: once for each title and way of seeing."""
        if not self.screenshots:
            return
        title = name or re.sub(r"[^a-z0-9]+", "-", self.driver.title.split(" · ")[0].lower())[:40].strip("-")
        file = f"{title}-{self.look}.png"
        if file in self.pictures:
            return
        self.pictures.add(file)
        size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
        shot = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot",
            {
                "captureBeyondViewport": True,
                "clip": {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 4000), "scale": 1},
            },
        )
        with open(os.path.join(self.screenshots, file), "wb") as place:
            place.write(base64.b64decode(shot["data"]))

    def complaints(self, refusals: bool = False) -> list[str]:
        """What the console says since the last call: errors, warnings and reports of the policy.

        With `refusals`, the page itself was refused, as it was to be.
        """
        lines = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        return [line for line in lines if not (refusals and REFUSED.search(line))]

    # ---- A person's ways: what is seen is found by its words

    def named(self, selector: str, words: str, within=None, exact: bool = False):
        """The first element of a selector whose text, name or label is `words`, or contains them."""
        element = self.driver.execute_script(NAMED, within, selector, words, exact)
        if element is not None:
            return element
        raise LookupError(f"no {selector} says “{words}” on {self.driver.title}")

    def follow(self, words: str, within=None, exact: bool = False) -> None:
        """Goes where a link leads, by clicking it."""
        link = self.named("a[href]", words, within, exact)
        self.reveal(link)
        self.click(link)

    def click(self, element) -> None:
        """Clicks, and waits for the next page if there is one."""
        before = self.driver.find_element(By.TAG_NAME, "html")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()
        self.wait_for_next(before)

    def wait_for_next(self, before) -> None:
        """Waits until another document has taken the place of `before` and is complete."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                before.tag_name  # noqa: B018 - it throws when its document is gone.
            except Exception:
                break
            time.sleep(0.02)
        else:
            raise TimeoutError("a click leads nowhere")
        while time.monotonic() < end:
            if self.driver.execute_script("return document.readyState") == "complete":
                break
            time.sleep(0.02)
        self.picture()

    def reveal(self, element) -> None:
        """Opens what an element is folded in, by its summary as a person does."""
        for folded in element.find_elements(By.XPATH, "ancestor::details[not(@open)]"):
            folded.find_element(By.CSS_SELECTOR, "summary").click()

    def type(self, label: str, text: str, within=None) -> None:
        """Types into the field with a label."""
        field = self.named("label", label, within).find_element(By.CSS_SELECTOR, "input")
        self.reveal(field)
        field.clear()
        field.send_keys(text)

    def choose(self, label: str, text: str, within=None) -> None:
        """Chooses in the list with a label."""
        place = self.named("label", label, within).find_element(By.CSS_SELECTOR, "select")
        self.reveal(place)
        self.named("option", text, place, exact=True).click()

    def press(self, words: str, within=None) -> None:
        """Presses a button, which sends its form."""
        self.click(self.named("button", words, within, exact=True))

    def form(self, label: str):
        """The form with a label."""
        return self.named("form[aria-label]", label)

    def table(self, caption: str) -> list[dict[str, str]]:
        """The rows of the table with a caption, by the words at the head of each column."""
        return self.rows_of(self.named("caption", caption).find_element(By.XPATH, ".."))

    def rows_of(self, table) -> list[dict[str, str]]:
        """The rows of a table, by the words at the head of each column."""
        rows = self.driver.execute_script(
            "const text = (cell) => cell.textContent.replace(/\\s+/g, ' ').trim();"
            "const all = [...arguments[0].rows].map((row) => [...row.cells].map(text)); return all;",
            table,
        )
        heads = rows[0]
        return [dict(zip(heads, row)) for row in rows[1:]]

    def fact(self, name: str) -> str:
        """The value beside a name in a list of facts."""
        place = self.named("dl.facts > div", name)
        return " ".join((place.find_element(By.TAG_NAME, "dd").get_property("textContent")).split())

    @property
    def heading(self) -> str:
        return " ".join(self.driver.find_element(By.TAG_NAME, "h1").get_property("textContent").split())

    @property
    def text(self) -> str:
        return self.driver.execute_script("return document.body.innerText")

    def leave(self) -> None:
        """Leaves a server that is about to end; its last words in the console are no complaint."""
        self.show()
        self.driver.get("about:blank")
        self.complaints()

    def quit(self) -> None:
        self.driver.quit()


def number(text: str) -> int:
    """A number as pages write it, with narrow spaces between thousands."""
    return int(re.sub(r"[\s\u202f]", "", text))
