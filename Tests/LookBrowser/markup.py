"""What a page may consist of, judged from its bytes by Python's own parser of HTML.

The lists say what pages of the program contain. Whatever else is found came out of a value, or is new and belongs here.
"""

import html.parser
import re

TAGS = set(
    """
    html head meta title link script body a header p span nav ul li div section strong time svg rect path line g title details summary
    table caption thead tbody tr th td form label select option input button main h1 h2 h3 h4 dl dt dd code small b q ol footer
    aside br figure figcaption img progress em circle text polyline polygon i abbr fieldset legend
""".split()
)
VOID = set("meta link input br img".split())
ATTRIBUTES = set(
    """
    lang charset name content rel href src defer data-live data-log class id role aria-live aria-label aria-current aria-hidden data-count
    datetime data-from data-to viewbox preserveaspectratio tabindex x y x1 x2 y1 y2 width height d cx cy r scope data-label method
    action placeholder autocomplete spellcheck selected value type checked maxlength open data-total alt download reversed
    data-reload for step min max disabled media sizes data-step aria-labelledby aria-describedby points transform data-kind
""".split()
)
# Where the text of a value may be: never in a name, and in an address only behind its first slash.
WITH_TEXT = {"value", "aria-label", "data-label", "placeholder", "alt", "title", "href", "action", "src", "content"}
# Control characters, and what changes the order of what is read or breaks its lines.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Page(html.parser.HTMLParser):
    """Reads a page, and collects what is wrong with it."""

    def __init__(self, marker: re.Pattern | None = None) -> None:
        super().__init__(convert_charrefs=True)
        self.wrong: list[str] = []
        self.open: list[str] = []
        self.marker = marker
        self.headings = self.mains = self.scripts = 0
        self.language = ""
        self.title = ""
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.wrong.append(f"an element {tag}")
        self.headings += tag == "h1"
        self.mains += tag == "main"
        names = [name for name, _ in attributes]
        if len(set(names)) < len(names):
            self.wrong.append(f"an attribute twice in {tag}")
        for name, value in attributes:
            value = value or ""
            if name not in ATTRIBUTES:
                self.wrong.append(f"an attribute {name} of {tag}")
            if name in ("href", "src", "action"):
                self.links.append(value)
                if not re.match(r"(/(?!/)|#|$)", value):
                    self.wrong.append(f"an address that leads away: {value[:60]}")
                if re.search(r"[\x00-\x20<>\"'`\\]", value):
                    self.wrong.append(f"an address with what belongs in none: {value[:60]}")
            # Parameters that a page does not know go on as fields that nobody sees.
            if self.marker and name not in WITH_TEXT and (tag, name) != ("input", "name") and self.marker.search(value):
                self.wrong.append(f"a value in the attribute {name} of {tag}: {value[:60]}")
            if name == "lang":
                self.language = value
        if tag == "script":
            self.scripts += 1
            if dict(attributes).get("src") != "/script.js":
                self.wrong.append("a script that is not the program's")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.wrong.append(f"an end of {tag} within {self.open[-3:]}")

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["title"] and "head" in self.open:
            self.title += data
        if self.open[-1:] in (["script"], ["style"]) and data.strip():
            self.wrong.append(f"a script within the page: {data[:60]}")

    def handle_comment(self, data: str) -> None:
        self.wrong.append(f"a comment: {data[:60]}")

    def handle_decl(self, declaration: str) -> None:
        if declaration != "doctype html":
            self.wrong.append(f"a declaration: {declaration[:60]}")

    def handle_pi(self, data: str) -> None:
        self.wrong.append(f"an instruction: {data[:60]}")

    def unknown_decl(self, data: str) -> None:
        self.wrong.append(f"an unknown declaration: {data[:60]}")


def problems(body: bytes, marker: re.Pattern | None = None, is_whole: bool = True) -> list[str]:
    """What is wrong with the bytes of a page, or with a part of one."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"bytes that are not UTF-8, at {error.start}"]
    found = UNSEEN.search(text)
    wrong = [f"the character U+{ord(found[0]):04X}, near {text[max(0, found.start() - 30) : found.start() + 30]!r}"] if found else []
    page = Page(marker)
    page.feed(text)
    page.close()
    wrong += page.wrong
    if page.open:
        wrong.append(f"no end of {page.open[-3:]}")
    if is_whole:
        for holds, words in (
            (page.headings == 1, f"{page.headings} first headings"),
            (page.mains == 1, f"{page.mains} main parts"),
            (page.language == "en", "no language"),
            (bool(page.title.strip()), "no title"),
            (page.scripts == 1, f"{page.scripts} scripts"),
        ):
            if not holds:
                wrong.append(words)
    return wrong
