"""Values that try to be more than text, in every field, name, note and parameter; and requests that nobody should answer."""

import base64
import http.client
import http.server
import os
import random
import re
import socket
import struct
import subprocess
import threading
import time
import urllib.parse
import xml.etree.ElementTree

import markup
from fixture import adif
from outcome import Outcome
from program import Answer, Look, Program

# What groundwave look tries first.
USUAL_PORT = 8073
# Each value carries its number, so that it can be found in what a page became.
MARKER = re.compile(r"zq\d+x")
HEADERS = {
    "content-type",
    "content-security-policy",
    "cache-control",
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "x-frame-options",
    "content-length",
    "connection",
    "content-disposition",
    "location",
    "set-cookie",
    "vary",
    "date",
    "etag",
    "server",
    "permissions-policy",
    "allow",
}
POLICY = ("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'")
# What would happen if a value were run: the browser is asked for each of these.
DEEDS = (
    "window.hostile={n}",
    "document.title='hostile'",
    "alert({n})",
    "fetch('http://127.0.0.1:{port}/{n}')",
    "document.body.dataset.hostile={n}",
    "new Image().src='http://127.0.0.1:{port}/{n}'",
)
FORMS = (
    "<script>{do}</script>",
    '"><script>{do}</script>',
    "'><script>{do}</script>",
    "</title><script>{do}</script>",
    "</textarea></select></table><script>{do}</script>",
    "--><script>{do}</script>",
    "]]><script>{do}</script>",
    "</style><script>{do}</script>",
    "<img src=x onerror={do}>",
    '"><img src=x onerror="{do}">',
    "<svg onload={do}>",
    "<svg><script>{do}</script></svg>",
    "<svg><animate onbegin={do} attributeName=x dur=1s>",
    "<body onload={do}>",
    "<details open ontoggle={do}>",
    '" onmouseover="{do}',
    "' onfocus='{do}' autofocus='",
    '" autofocus onfocus="{do}" x="',
    "x onfocus={do} tabindex=0",
    '<iframe src="javascript:{do}"></iframe>',
    '<iframe srcdoc="<script>{do}</script>">',
    '<object data="javascript:{do}">',
    '<a href="javascript:{do}">press</a>',
    "javascript:{do}",
    "JaVaScRiPt:{do}//",
    "java\tscript:{do}",
    "\x01javascript:{do}",
    "data:text/html,<script>{do}</script>",
    "vbscript:{do}",
    '<base href="http://127.0.0.1:{port}/{n}/">',
    '<meta http-equiv=refresh content="0;url=http://127.0.0.1:{port}/{n}">',
    '<link rel=stylesheet href="http://127.0.0.1:{port}/{n}">',
    '<form action="http://127.0.0.1:{port}/{n}"><button>Filter</button></form>',
    "<style>@import 'http://127.0.0.1:{port}/{n}';</style>",
    "<style>*{{display:none}}</style>",
    "<plaintext>",
    "<!--",
    "<![CDATA[",
    '<?xml version="1.0"?>',
    "</body></html>",
    "<math><mtext><script>{do}</script>",
    '<noscript><p title="</noscript><script>{do}</script>">',
    "<template><script>{do}</script></template>",
    "<xmp><script>{do}</script>",
    "&lt;script&gt;{do}&lt;/script&gt;",
    "&#60;script&#62;{do}&#60;/script&#62;",
    "&#x3c;img src=x onerror={do}&#x3e;",
    "&quot; onload={do} &quot;",
    "&amp;lt;b&amp;gt;",
    "{{{{constructor.constructor('{do}')()}}}}",
    "${{{do}}}",
    "#{{{do}}}",
    "<%= {do} %>",
    "[[${{{do}}}]]",
    "{{%raw%}}{do}",
    "\\u003cscript\\u003e{do}\\u003c/script\\u003e",
    "%3Cscript%3E{do}%3C/script%3E",
    "+ADw-script+AD4-{do}+ADw-/script+AD4-",
    "\\x3cscript\\x3e{do}",
    "`{do}`",
    "';{do};'",
    '";{do};//',
    "</script><script>{do}</script>",
    "*/{do}/*",
    "' OR 1=1 --",
    '=HYPERLINK("http://127.0.0.1:{port}/{n}")',
    "a\r\nSet-Cookie: hostile={n}\r\n\r\n<script>{do}</script>",
    "a\nX-Hostile: {n}",
    "\r\n\r\nHTTP/1.1 200 OK\r\n\r\n<script>{do}</script>",
    "../../../../etc/passwd",
    "//127.0.0.1:{port}/{n}",
    "\\\\127.0.0.1\\{n}",
    "/\\127.0.0.1:{port}/{n}",
    "http://127.0.0.1:{port}/{n}",
    "file:///etc/passwd",
    "\u202e<script>{do}</script>",
    "\u2066\u202dN0CALL\u202c\u2069",
    "\u200e\u200f\u061cabc",
    "N0\u200bCALL\ufeff",
    "\u2028{do}\u2029",
    "\x1b[31mred\x1b[0m",
    "\x9b31m",
    "\x07\x08\x0b\x0c\x0e\x1f",
    "\x80\x85\x9c\x9f",
    "a\x00b<script>{do}</script>",
    "<scr\x00ipt>{do}</scr\x00ipt>",
    "<\x00script>{do}</script>",
    "\ufffd\ufffe\uffff",
    "\U000e0001\U000e0041",
    "Z\u0351\u036b\u0343\u036a\u0302\u0348" * 20,
    "\U0001f469\u200d\U0001f680",
    "\u0130\u0131\ufb03\u1e9e",
    "＜script＞{do}＜/script＞",
    "‹script›",
)
RAW = (
    b"\xff\xfe<script>%s</script>",
    b"\xc0\xbcscript\xc0\xbe%s",
    b"\xe2\x80<script>%s</script>",
    b"\xed\xa0\x80%s",
    b"\xf5\x80\x80\x80%s",
    b"\x80\x81%s",
    b"%s\xc3",
    b"<img src=x onerror=%s>\xe2",
    b"\x00\x00%s\x00",
    b"\xf0\x9f%s",
)
FIELDS = """
    CALL NAME QTH COMMENT NOTES GRIDSQUARE BAND MODE SUBMODE FREQ RST_SENT RST_RCVD OPERATOR STATION_CALLSIGN MY_RIG MY_ANTENNA POTA_REF MY_POTA_REF STATE
    COUNTRY CONTEST_ID SRX_STRING STX_STRING TX_PWR SIG SIG_INFO EMAIL WEB ADDRESS IOTA CNTY CONT DXCC CQZ ITUZ QSL_VIA QSLMSG PROP_MODE SAT_NAME MY_CITY
    MY_NAME MY_GRIDSQUARE RIG SOTA_REF WWFF_REF AGE CLASS CHECK PRECEDENCE ARRL_SECT QSO_DATE TIME_ON LAT LON APP_TEST_ONE APP_TEST_TWO APP_HOSTILE_X
""".split()
PAGES = (
    "/",
    "/contacts",
    "/records",
    "/records/qso",
    "/records/equipment",
    "/records/import",
    "/records/session",
    "/history",
    "/conflicts",
    "/map",
    "/map.svg",
    "/activity",
    "/traces",
    "/devices",
    "/files",
    "/verify",
    "/compare",
    "/batch/1/1",
    "/trace/x",
    "/record/qso/x",
    "/write/undo",
    "/write/choose",
)
PARAMETERS = (
    "at",
    "zoom",
    "by",
    "page",
    "before",
    "words",
    "call",
    "band",
    "mode",
    "since",
    "until",
    "recorded-since",
    "session",
    "park",
    "operator",
    "where",
    "hidden",
    "from",
    "to",
    "device",
    "author",
    "kind",
    "field",
    "with",
    "channel",
    "token",
    "start",
    "record",
    "event",
    "index",
    "whole",
    "time",
    "text",
    "note",
    "unknown",
)


class Values:
    """Hostile values, the same for a seed."""

    def __init__(self, seed: int, port: int) -> None:
        self.random = random.Random(seed)
        self.port = port
        self.number = 0

    def text(self, limit: int = 400) -> str:
        """A value of valid characters."""
        self.number += 1
        deed = self.random.choice(DEEDS).format(n=self.number, port=self.port)
        form = FORMS[self.number % len(FORMS)] if self.number <= 2 * len(FORMS) else self.random.choice(FORMS)
        value = form.format(do=deed, n=self.number, port=self.port)
        if self.random.random() < 0.15:
            place = self.random.randrange(len(value) + 1)
            value = (
                value[:place]
                + self.random.choice(("\x00", '"', "'", "<", ">", "&", "\u202e", "\x7f", "\n", " ", "\t", "`", "="))
                + value[place:]
            )
        if self.random.random() < 0.03:
            value += "W" * 5000
        return f"zq{self.number}x{value}"[:limit] if limit < 5000 else f"zq{self.number}x{value}"

    def bytes(self) -> bytes:
        """A value of an ADIF file, in which any byte may be."""
        if self.random.random() < 0.1:
            self.number += 1
            deed = self.random.choice(DEEDS).format(n=self.number, port=self.port).encode()
            return b"zq%dx" % self.number + self.random.choice(RAW) % deed
        return self.text(100_000).encode("utf-8", "surrogatepass")

    def argument(self, limit: int = 400) -> str:
        """A value that can be an argument of a program."""
        return self.text(limit).replace("\x00", "\u2400")


class Listener:
    """A server that no page may ever ask."""

    def __init__(self) -> None:
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Asker:
    """Asks over one connection, and judges each answer."""

    def __init__(self, look: Look, outcome: Outcome, secrets: list[bytes]) -> None:
        self.look, self.outcome, self.secrets = look, outcome, secrets
        self.connection = http.client.HTTPConnection("127.0.0.1", look.port, timeout=30)
        self.count = self.shown = 0

    def ask(self, path: str, statuses: tuple[int, ...] = (200, 303, 400, 404, 414)) -> Answer:
        for attempt in range(2):
            try:
                began = time.monotonic()
                self.connection.request("GET", path, headers={"Cookie": self.look.cookie})
                response = self.connection.getresponse()
                answer = Answer(response.status, response.getheaders(), response.read(), time.monotonic() - began)
                break
            except (http.client.HTTPException, OSError):
                self.connection.close()
                if attempt:
                    raise
        self.judge(path, answer, statuses)
        return answer

    def get(self, path: str, statuses: tuple[int, ...] = (200, 303, 400, 404, 414)) -> Answer:
        """Asks, and follows."""
        answer = self.ask(path, statuses)
        if answer.status == 303:
            place = answer.header("Location")
            self.outcome.check(bool(re.match(r"/(?!/)[\x21-\x7e]*$", place)), f"{path[:200]} leads to {place[:100]}")
            answer = self.ask(place, statuses)
        return answer

    def judge(self, path: str, answer: Answer, statuses: tuple[int, ...]) -> None:
        self.count += 1
        where = path[:160]
        outcome = self.outcome
        outcome.check(answer.status in statuses, f"{where} is answered with {answer.status}: {words_of(answer)}")
        strange = {name.lower() for name, _ in answer.headers} - HEADERS
        outcome.check(not strange, f"{where} is answered with the fields {strange}")
        outcome.check(all(part in answer.header("Content-Security-Policy") for part in POLICY), f"{where} has a policy")
        outcome.check("no-store" in answer.header("Cache-Control"), f"{where} is kept by no cache")
        outcome.check(answer.header("X-Content-Type-Options") == "nosniff", f"{where} is what it says that it is")
        for secret in self.secrets:
            if secret in answer.body or any(secret in value.encode("latin-1", "replace") for _, value in answer.headers):
                outcome.fail(f"{where} has the private key in it")
        kind = answer.header("Content-Type").split(";")[0]
        if kind == "text/html":
            wrong = markup.problems(answer.body, MARKER, is_whole=b"<!doctype" in answer.body[:20])
            self.shown += len(set(MARKER.findall(answer.text)))
            outcome.check(not wrong, f"{where}: {'; '.join(wrong[:3])}")
        elif kind == "image/svg+xml":
            picture = xml.etree.ElementTree.fromstring(answer.body)
            for element in picture.iter():
                tag = element.tag.split("}")[-1]
                outcome.check(
                    tag not in ("script", "foreignObject", "image", "a", "use", "iframe", "style")
                    or tag in ("style", "use")
                    and not element.attrib.get("href"),
                    f"{where} has an element {tag}",
                )
                outcome.check(not any(name.split("}")[-1].lower().startswith("on") for name in element.attrib), f"{where} has a handler")
        else:
            outcome.check(
                kind in ("text/plain", "application/json", "text/css", "text/javascript", "application/octet-stream"),
                f"{where} is of the kind {kind}",
            )


def words_of(answer: Answer) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", answer.text.split("<main", 1)[-1]).split())[:160]


def secrets_of(store: str) -> list[bytes]:
    """The private key as it may be written."""
    with open(os.path.join(store, "identity"), "rb") as file:
        key = file.read()
    half = key[:16]
    return [
        half,
        half.hex().encode(),
        half.hex().upper().encode(),
        base64.b64encode(key)[:20],
        base64.urlsafe_b64encode(key)[:20],
        base64.b64encode(key[1:])[:20],
        base64.b64encode(key[2:])[:20],
    ]


class Hostile:
    def __init__(self, program: Program, folder: str, outcome: Outcome, seed: int, count: int, port: int, is_short: bool) -> None:
        self.program, self.folder, self.outcome, self.count, self.is_short = program, folder, outcome, count, is_short
        self.store = os.path.join(folder, "shack")
        self.values = Values(seed, port)
        self.traces: list[str] = []
        self.refused = 0

    def try_run(self, *arguments: str, store: str | None = None) -> bool:
        """Runs a command that may refuse a value."""
        status = self.program.try_run(store or self.store, *arguments)
        self.outcome.check(status in (0, 1, 3, 64, 65, 66, 73, 75, 77), f"groundwave {arguments[:3]} ends with {status}")
        self.refused += status != 0
        return status == 0

    def make(self) -> None:
        """A store with hostile values in whatever can be named."""
        argument = self.values.argument
        self.program.run(self.store, "init", "--name", argument(60))
        self.files()
        remote = os.path.join(self.folder, "remote")
        self.program.run(self.store, "remote", "add", "stick", "file://" + remote)
        self.program.run(self.store, "sync", status=(0, 3))
        laptop = os.path.join(self.folder, "laptop")
        self.program.run(laptop, "join", "file://" + remote, "--name", argument(60))
        for number in range(8):
            self.try_run(
                "session",
                "start",
                "--title",
                argument(),
                "--call",
                argument(40),
                "--rig",
                argument(),
                "--author",
                argument(),
                "--replace",
                "STARTED=2019-06-01T08:00",
            )
        self.try_run("session", "end")
        for number in range(24):
            self.try_run(
                "record", "add", "equipment", "NAME=" + argument(), "RIG=" + argument(), "--note", argument(), "--author", argument()
            )
            self.try_run("record", "add", "friend", "CALL=" + argument(60), "NAME=" + argument(), "NOTE=" + argument())
        for number in range(16):
            self.try_run(
                "qso",
                "add",
                "N0CALL" if number % 2 else argument(60),
                "BAND=20m",
                "MODE=CW",
                "NAME=" + argument(),
                "GRIDSQUARE=FN31",
                "COMMENT=" + argument(),
                f"APP_TEST_{number}=" + argument(),
                "--note",
                argument(),
                "--author",
                argument(),
            )
        self.try_run("qso", "add", "W1AW", "BAND=20m", "MODE=CW")
        self.program.run(self.store, "sync", status=(0, 3))
        self.program.run(laptop, "sync", status=(0, 3))
        for store in (self.store, laptop):
            self.try_run(
                "qso",
                "edit",
                "W1AW",
                "NAME=" + argument(),
                "COMMENT=" + argument(),
                "--note",
                argument(),
                "--author",
                argument(),
                store=store,
            )
        self.program.run(laptop, "sync", status=(0, 3))
        self.program.run(self.store, "sync", status=(0, 3))
        for number in range(4):
            self.trace(number)

    def files(self) -> None:
        """Contacts in files with hostile names, from programs with hostile names."""
        per_file = max(1, self.count // 40 // 4)
        for number in range(4):
            records = []
            for index in range(per_file):
                names = self.values.random.sample(FIELDS, 40)
                record: dict[str, str | bytes] = {
                    "QSO_DATE": f"2025{index % 12 + 1:02d}{index % 28 + 1:02d}",
                    "TIME_ON": f"{number:02d}{index % 60:02d}{index // 60 % 60:02d}",
                    "CALL": f"W{index % 10}A{chr(65 + index % 26)}",
                }
                # Contacts need a call, a date and a time: a hostile one in each of the three now and then.
                for name in names:
                    if name not in record or index % 10 == 0 and name == "CALL":
                        record[name] = self.values.bytes()
                if index < 2:
                    record["COMMENT"] = b"zq0x" + b"<b>" + b"W" * 100_000
                    record["NAME"] = b"\xff" * 100_000 if index else b"&" * 100_000
                records.append(record)
            name = re.sub("[/\x00]", "", self.values.text(60)).strip(". ")
            path = os.path.join(self.folder, name + ".adi").encode("utf-8", "replace").decode("utf-8")
            with open(path, "wb") as file:
                file.write(adif(*records, program=self.values.argument(100)))
            if not self.try_run("import", path, "--note", self.values.argument(), "--author", self.values.argument()):
                self.try_run("import", path, "--source", f"source {number}", "--format", "adi")

    def trace(self, number: int) -> None:
        argument = self.values.argument
        path = os.path.join(self.folder, "trace.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("time,one,two\n" + "".join(f"{index * 0.5},{5 + index % 7},{index}\n" for index in range(200)))
        name = argument(100)
        channel = re.sub("[=:]", "", argument(30))
        if not self.try_run(
            "trace",
            "import",
            path,
            "--name",
            name,
            "--time",
            "time",
            "--channel",
            channel + "=one:V",
            "--channel",
            "current=two:A",
            "--start",
            "2026-05-01T12:00",
        ):
            self.try_run(
                "trace",
                "import",
                path,
                "--name",
                name,
                "--time",
                "time",
                "--channel",
                "voltage=one:V",
                "--channel",
                "current=two:A",
                "--start",
                "2026-05-01T12:00",
            )
        for second in range(5):
            self.try_run(
                "trace",
                "mark",
                "last",
                argument(),
                "--at",
                f"2026-05-01T12:00:{10 + second * 10}",
                "--note",
                argument(),
                "--author",
                argument(),
            )

    # ---- What is asked for

    def pages(self, asker: Asker) -> list[str]:
        """All lists to their end, and all that they lead to; returns the addresses."""
        seen: list[str] = []
        waiting = [
            "/",
            "/contacts",
            "/contacts?hidden=1",
            "/records",
            "/history",
            "/history?kind=qso",
            "/conflicts",
            "/map",
            "/map.svg",
            "/activity",
            "/traces",
            "/devices",
            "/files",
            "/verify",
            "/compare?from=@2&to=@60",
            "/compare?from=@2",
        ]
        known = set(waiting)
        batches = 0
        while waiting:
            path = waiting.pop()
            answer = asker.get(path, (200, 303))
            seen.append(path)
            if answer.header("Content-Type").startswith("text/html"):
                page = markup.Page()
                page.feed(answer.text)
                for link in page.links:
                    link = link.split("#")[0]
                    # Moments, steps of the timeline and filters multiply what is there; parameters are asked for below.
                    if (
                        re.match(
                            r"/(contacts|history|records/[^?]*)\?(page|before|kind=qso&before)=\d+$|/(records|record|batch|trace)/[^?]*$|/batch/[^?]*\?page=\d+$",
                            link,
                        )
                        and link not in known
                    ):
                        known.add(link)
                        # Each event of an import leads to the same long page.
                        batches += link.startswith("/batch/")
                        if link.startswith("/batch/") and batches > (40 if self.is_short else 2000):
                            continue
                        waiting.append(link)
        return seen

    def parameters(self, asker: Asker, pages: list[str], count: int) -> None:
        """Hostile values as parameters, and as parts of a path."""
        quote = urllib.parse.quote
        choose = self.values.random.choice
        for page in PAGES:
            for name in PARAMETERS:
                value = self.values.text(300)
                # By hand, all pages with all parameters; in short, a half of them, which the seed chooses.
                if (page == "/" and name == "token") or (self.is_short and self.values.random.random() < 0.5):
                    continue
                asker.get(
                    f"{page}?{name}={quote(value, safe='')}",
                    (200, 303, 400, 403, 404, 409) if page.startswith("/write") else (200, 303, 400, 404),
                )
        traces = [page for page in pages if page.startswith("/trace/")] or ["/trace/x"]
        for _ in range(count):
            value = self.values.text(300).encode("utf-8", "surrogatepass")
            if self.values.random.random() < 0.2:
                value += choose((b"\xff", b"\xc0\xbc", b"\x00", b"\xed\xa0\x80"))
            text = quote(value, safe="")
            other = quote(self.values.text(100), safe="")
            path = choose(
                (
                    f"/{text}",
                    f"/records/{text}",
                    f"/record/{text}/{other}",
                    f"/record/qso/{text}",
                    f"/record/qso/{text}/proof",
                    f"/record/{text}/{other}/value/{text}",
                    f"/batch/{text}/{other}",
                    f"/trace/{text}",
                    f"/trace/{text}/chart",
                    f"/trace/{text}/values?from=1&to=2",
                    f"{choose(traces)}?from={text}&to={other}&with={text}&channel={other}",
                    f"{choose(traces)}/chart?from={text}&channel={other}",
                    f"/compare?from={text}&to={other}",
                    f"/contacts?where={text}&where={other}&call={text}",
                    f"/history?{text}={other}",
                    f"/contacts?{text}",
                    f"/{text}/../{other}",
                    f"/history?at={text}&zoom={other}&by={text}",
                    f"/map.svg?where={text}",
                )
            )
            asker.get(path)
        for path in (
            "/contacts?page=" + "9" * 30,
            "/contacts?page=-1",
            "/history?before=18446744073709551615",
            "/history?before=99999999999999999999",
            "/?zoom=0..9223372036854775807",
            "/?zoom=-9223372036854775808..0",
            "/?zoom=5..5",
            "/?zoom=-62135596800000..253402300799999",
            "/?zoom=1..2",
            choose(traces) + "?from=-9223372036854775808&to=9223372036854775807",
            choose(traces) + "/chart?from=9223372036854775807&to=-9223372036854775808",
            choose(traces) + "/values?from=-9223372036854775808&to=9223372036854775807",
            choose(traces) + "?from=0&to=1",
            "/?at=@18446744073709551615",
            "/?at=@0",
            "/?at=@-1",
            "/?at=9999-12-31",
            "/?at=0001-01-01",
            "/?at=vector:",
            "/?at=vector:A=1",
            "/?at=" + "d" * 5000,
            "/?at=99999999999999999999d",
            "/compare?from=99999999999d&to=@1",
            "/contacts?since=99999999999d",
            "/contacts?where=%3D",
            "/contacts?where=A%3EB%3CC",
            "/contacts?where=NAME%3D" + "*a" * 2000,
            "/contacts?call=" + "*" * 3000 + "b",
            "/contacts?words=" + "a+" * 4000,
            "/batch/x/1?page=99999999999999999999",
            "/contacts?" + "a=b&" * 99,
            "/contacts?" + "a=b&" * 200,
            "/" + "a/" * 5000,
            "/?" + "%" * 1000,
            "/?" + "&" * 5000,
            "/%zz",
            "/%",
            "/%00",
            "/?at=%00",
            "/?%ff=%ff",
            "/..",
            "/.",
            "//evil.example",
            "/\\evil.example",
        ):
            answer = asker.get(path)
            self.outcome.check(answer.seconds < 10, f"{path[:100]} takes {answer.seconds:.1f} s")

    def in_browser(self, browser, look: Look, pages: list[str], listener: Listener) -> None:
        """Pages in Chromium: nothing runs, and nothing is there that the program has not written."""
        browser.show()
        browser.open(look.address)
        browser.complaints()
        records = [page for page in pages if re.fullmatch("/record/[^/]*/[^/]*", page)]
        long = [page for page in pages if page.startswith(("/batch/", "/trace/", "/records/", "/contacts", "/history"))]
        pick = self.values.random
        chosen = [
            "/",
            "/contacts",
            "/history",
            "/conflicts",
            "/map",
            "/activity",
            "/traces",
            "/devices",
            "/files",
            "/records",
            "/compare?from=@2&to=@60",
        ]
        few = 1 if self.is_short else 4
        chosen += pick.sample(records, min(14 * few, len(records))) + pick.sample(long, min(8 * few, len(long)))
        chosen += [page for page in pages if page.startswith("/trace/")]
        quote = urllib.parse.quote
        for name in ("words", "call", "where", "since", "park", "at", "by", "zoom", "device", "author", "field"):
            chosen.append(
                f"/{'contacts' if name in ('words', 'call', 'where', 'since', 'park') else 'history'}?{name}={quote(self.values.text(300), safe='')}"
            )
        driver = browser.driver
        # What would be found: the policy keeps it from running, the page has it all the same, and the console says so.
        driver.execute_script("document.querySelector('main').insertAdjacentHTML('beforeend', arguments[0])", PLANTED)
        self.outcome.check(len(driver.execute_script(EXAMINE)) >= 3, "planted values are found in the browser")
        time.sleep(0.2)
        self.outcome.check(len(browser.complaints()) >= 1, "the console says that the policy was broken")
        for page in chosen:
            driver.get(look.base + page)
            for words in driver.execute_script(EXAMINE):
                self.outcome.fail(f"{page[:160]} in the browser: {words}")
            if page.startswith("/trace/"):
                # The script puts curves in that it has fetched.
                driver.execute_script(ZOOM)
                time.sleep(0.6)
                for words in driver.execute_script(EXAMINE):
                    self.outcome.fail(f"{page[:160]} in the browser, zoomed: {words}")
            for line in browser.complaints(refusals="?" in page):
                self.outcome.fail(f"{page[:160]}: the console says {line[:200]}")
            width = driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
            self.outcome.check(width <= 0, f"{page[:160]}: a long word makes the page {width} pixels too wide")
            self.outcome.passed += 1
        self.outcome.equal(listener.asked, [], "addresses that values made the browser ask for")


# What a page must not have. Returns words for each.
EXAMINE = """
const wrong = [];
if (window.hostile !== undefined) wrong.push("a value was run: " + window.hostile);
if (document.body.dataset.hostile) wrong.push("a value changed the page");
if (!document.title.endsWith(" · Groundwave")) wrong.push("the title is " + document.title.slice(0, 80));
const scripts = [...document.querySelectorAll("script")].map((script) => script.getAttribute("src"));
if (scripts.length !== 1 || scripts[0] !== "/script.js") wrong.push("scripts: " + scripts.join(", "));
for (const element of document.querySelectorAll("iframe, frame, object, embed, base, style, template, math, animate, foreignObject, noscript, xmp, plaintext, audio, video, textarea, [style], [srcdoc], [autofocus]"))
  wrong.push("an element " + element.outerHTML.slice(0, 80));
for (const meta of document.querySelectorAll("meta[http-equiv]")) wrong.push("a " + meta.outerHTML.slice(0, 80));
for (const image of document.images) if (!image.getAttribute("src").startsWith("/map.svg")) wrong.push("an image " + image.src.slice(0, 80));
for (const link of document.querySelectorAll("link")) if (!["/icon.svg", "/style.css"].includes(link.getAttribute("href"))) wrong.push("a link " + link.href);
for (const form of document.forms) if (new URL(form.action).origin !== location.origin) wrong.push("a form to " + form.action);
for (const element of document.querySelectorAll("*")) {
  for (const attribute of element.attributes) {
    if (attribute.name.startsWith("on")) wrong.push("a handler " + attribute.name);
    if (/zq\\d+x/.test(attribute.name)) wrong.push("an attribute " + attribute.name.slice(0, 80));
  }
  if (element.href && new URL(element.href.baseVal ?? element.href, location).origin !== location.origin) wrong.push("a link to " + String(element.href).slice(0, 80));
}
return wrong.slice(0, 5);
"""

PLANTED = "<img src=x onerror=window.hostile=1><a href='javascript:1'>x</a><iframe srcdoc=x></iframe><p style='color: red'>x</p>"

ZOOM = """
const curve = document.querySelector("#chart .curve");
if (curve) {
  const box = curve.getBoundingClientRect(), at = { bubbles: true, clientX: box.left + box.width / 2, clientY: box.top + 20 };
  curve.dispatchEvent(new WheelEvent("wheel", { ...at, ctrlKey: true, deltaY: -100, cancelable: true }));
  curve.dispatchEvent(new PointerEvent("pointermove", at));
}
"""


# ---- Requests that nobody should answer


def raw(port: int, content: bytes, wait: float = 1) -> bytes:
    """Sends bytes, and returns what comes. Where nothing comes, the server waits for more: it is told that there is none."""
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as connection:
        answer = b""
        try:
            connection.sendall(content)
        except OSError:
            pass
        for is_last in (False, True):
            try:
                while part := connection.recv(65_536):
                    answer += part
                return answer
            except TimeoutError:
                if is_last or answer:
                    return answer
                try:
                    connection.shutdown(socket.SHUT_WR)
                except OSError:
                    return answer
            except OSError:
                return answer
        return answer


def status_of(answer: bytes) -> int:
    """The status of an answer; 0 where there is none."""
    match = re.match(rb"HTTP/1\.[01] (\d{3})", answer)
    return int(match[1]) if match else 0


def requests(outcome: Outcome, look: Look) -> None:
    """Each is refused, and the server answers the next one that is right."""
    host, cookie, port = look.host, look.cookie, look.port

    def alive(words: str) -> None:
        answer = look.get("/")
        outcome.check(
            answer.status == 200 and answer.seconds < 5, f"after {words}, a page is answered with {answer.status} in {answer.seconds:.1f} s"
        )

    def lines(*fields: str, first: str = "GET /contacts HTTP/1.1") -> bytes:
        return "\r\n".join((first, *fields, "Connection: close", "", "")).encode("latin-1")

    good = raw(port, lines(f"Host: {host}", f"Cookie: {cookie}"))
    outcome.check(status_of(good) == 200 and b"N0CALL" in good or b"<h1>Contacts" in good, "a right request is answered")
    other_cookie = cookie[:-4] + ("AAAA" if not cookie.endswith("AAAA") else "BBBB")
    name = cookie.split("=")[0]
    refused = {
        "another host": lines(f"Host: evil.example:{port}", f"Cookie: {cookie}"),
        "localhost": lines(f"Host: localhost:{port}", f"Cookie: {cookie}"),
        "the host without a port": lines("Host: 127.0.0.1", f"Cookie: {cookie}"),
        "a host that goes on": lines(f"Host: {host}.evil.example", f"Cookie: {cookie}"),
        "the loopback by another number": lines(f"Host: 127.1:{port}", f"Cookie: {cookie}"),
        "no host": lines(f"Cookie: {cookie}"),
        "an empty host": lines("Host: ", f"Cookie: {cookie}"),
        "two hosts": lines(f"Host: {host}", "Host: evil.example", f"Cookie: {cookie}"),
        "two hosts, the right one last": lines("Host: evil.example", f"Host: {host}", f"Cookie: {cookie}"),
        "the right host twice": lines(f"Host: {host}", f"Host: {host}", f"Cookie: {cookie}"),
        "another host in the target": lines("Host: evil.example", f"Cookie: {cookie}", first=f"GET http://{host}/contacts HTTP/1.1"),
        "HTTP/1.0 without a host": lines(f"Cookie: {cookie}", first="GET /contacts HTTP/1.0"),
        "no cookie": lines(f"Host: {host}"),
        "an empty cookie": lines(f"Host: {host}", f"Cookie: {name}="),
        "another cookie": lines(f"Host: {host}", f"Cookie: {other_cookie}"),
        "a part of the cookie": lines(f"Host: {host}", f"Cookie: {cookie[:-1]}"),
        "the cookie by another name": lines(f"Host: {host}", "Cookie: " + cookie.replace(name, "other", 1)),
        "another token": lines(f"Host: {host}", first="GET /?token=" + "A" * 32 + " HTTP/1.1"),
        "an empty token": lines(f"Host: {host}", first="GET /?token= HTTP/1.1"),
        "the token at another host": lines("Host: evil.example", first="GET " + look.address[len(look.base) :] + " HTTP/1.1"),
        "the token on another page": lines(f"Host: {host}", first="GET /contacts" + look.address[len(look.base) + 1 :] + " HTTP/1.1"),
        "another site": lines(f"Host: {host}", f"Cookie: {cookie}", "Sec-Fetch-Site: cross-site"),
        "the same site": lines(f"Host: {host}", f"Cookie: {cookie}", "Sec-Fetch-Site: same-site"),
        "a strange site": lines(f"Host: {host}", f"Cookie: {cookie}", "Sec-Fetch-Site: evil"),
        "two sites": lines(f"Host: {host}", f"Cookie: {cookie}", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"),
    }
    for path in ("/live", "/style.css", "/record/qso/x/proof", "/map.svg", "/verify?start=1"):
        refused[f"{path} without a cookie"] = lines(f"Host: {host}", first=f"GET {path} HTTP/1.1")
        refused[f"{path} at another host"] = lines("Host: evil.example", f"Cookie: {cookie}", first=f"GET {path} HTTP/1.1")
    for words, content in refused.items():
        answer = raw(port, content)
        # The style sheet has nothing of the log in it; everything else is refused.
        outcome.check(status_of(answer) in (0, 400, 401, 403, 404, 421), f"{words}: answered with {status_of(answer)}")
        outcome.check(
            b"<h1>Contacts" not in answer and b"Set-Cookie" not in answer and b"data: {" not in answer, f"{words}: something was shown"
        )
    alive("refused requests")
    form = "event=x&whole=1"
    for words, fields in {
        "a form without an origin": (),
        "a form of another origin": ("Origin: http://evil.example",),
        "a form of no origin": ("Origin: null",),
        "a form of another port": (f"Origin: http://127.0.0.1:{port - 1}",),
        "a form by another name": (f"Origin: http://localhost:{port}",),
        "a form by TLS": (f"Origin: https://{host}",),
        "a form of two origins": (f"Origin: http://{host}", "Origin: http://evil.example"),
        "a form where nothing may be written": (f"Origin: http://{host}",),
        "a form of another site": (f"Origin: http://{host}", "Sec-Fetch-Site: cross-site"),
    }.items():
        for action in ("undo", "revert", "choose", "restore", "mark", "unknown"):
            answer = raw(
                port,
                lines(
                    f"Host: {host}",
                    f"Cookie: {cookie}",
                    f"Content-Length: {len(form)}",
                    "Content-Type: application/x-www-form-urlencoded",
                    *fields,
                    first=f"POST /write/{action} HTTP/1.1",
                )
                + form.encode(),
            )
            outcome.check(status_of(answer) in (403, 404), f"{words}, {action}: answered with {status_of(answer)}")
    for method in ("OPTIONS", "PUT", "TRACE", "DELETE", "PATCH", "CONNECT", "HEADER", "get", "PROPFIND"):
        answer = raw(port, lines(f"Host: {host}", f"Cookie: {cookie}", first=f"{method} /contacts HTTP/1.1"))
        outcome.check(status_of(answer) in (0, 400, 405, 501), f"{method} is answered with {status_of(answer)}")
        outcome.check(b"Access-Control-Allow" not in answer and cookie.encode() not in answer, f"{method} gives something away")
    head = raw(port, lines(f"Host: {host}", f"Cookie: {cookie}", first="HEAD /contacts HTTP/1.1"))
    outcome.check(status_of(head) == 200 and head.endswith(b"\r\n\r\n"), "HEAD has no body")
    alive("other methods")
    for path in (
        "/../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/....//....//etc/passwd",
        "/..\\..\\etc\\passwd",
        "/%c0%ae%c0%ae/etc/passwd",
        "/style.css/../../identity",
        "/identity",
        "/log.mdb",
        "/style.css%00.html",
        "/./identity",
        "//etc/passwd",
        "/files/identity",
        "/Assets/script.js",
        "/%2fetc%2fpasswd",
    ):
        answer = raw(port, lines(f"Host: {host}", f"Cookie: {cookie}", first=f"GET {path} HTTP/1.1"))
        outcome.check(status_of(answer) in (0, 400, 404) and b"root:" not in answer, f"{path} is answered with {status_of(answer)}")
    garbage = {
        "HTTP/0.9": b"GET /\r\n",
        "nothing": b"",
        "a line end": b"\r\n\r\n\r\n",
        "TLS": bytes.fromhex("16030100a5010000a10303") + os.urandom(160),
        "noise": random.Random(1).randbytes(100_000),
        "NUL": b"\x00" * 1000,
        "no version": b"GET /contacts\r\nHost: " + host.encode() + b"\r\n\r\n",
        "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "HTTP/9": lines(f"Host: {host}", first="GET / HTTP/9.9"),
        "a folded field": lines(f"Host: {host}", "Cookie: a=b", f" {cookie}"),
        "a blank before the colon": lines(f"Host : {host}", f"Cookie: {cookie}"),
        "a field without a name": lines(f"Host: {host}", ": x", f"Cookie: {cookie}"),
        "NUL in a field": lines(f"Host: {host}\x00", f"Cookie: {cookie}"),
        "a bare line end": lines(f"Host: evil.example\nHost: {host}"),
        "a long line": b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\n\r\n",
        "a long field": lines(f"Host: {host}", "X: " + "a" * 1_000_000),
        "many fields": lines(f"Host: {host}", *(f"X-{number}: {'a' * 100}" for number in range(10_000))),
        "a long cookie": lines(f"Host: {host}", "Cookie: " + "a=b; " * 100_000),
        "two lengths": lines(
            f"Host: {host}", f"Cookie: {cookie}", "Content-Length: 5", "Content-Length: 6", first="POST /write/undo HTTP/1.1"
        )
        + b"hello",
        "a length below zero": lines(f"Host: {host}", f"Cookie: {cookie}", "Content-Length: -5", first="POST /write/undo HTTP/1.1"),
        "a length and pieces": lines(
            f"Host: {host}", f"Cookie: {cookie}", "Content-Length: 5", "Transfer-Encoding: chunked", first="POST /write/undo HTTP/1.1"
        )
        + b"0\r\n\r\nGET /contacts HTTP/1.1\r\n\r\n",
        "a wrong piece": lines(f"Host: {host}", f"Cookie: {cookie}", "Transfer-Encoding: chunked", first="POST /write/undo HTTP/1.1")
        + b"ffffffffffffffff\r\nx",
        "a long form": lines(
            f"Host: {host}", f"Cookie: {cookie}", f"Origin: http://{host}", "Content-Length: 1000000", first="POST /write/undo HTTP/1.1"
        )
        + b"a" * 1_000_000,
        "a form without an end": lines(
            f"Host: {host}", f"Cookie: {cookie}", f"Origin: http://{host}", "Content-Length: 99999999999", first="POST /write/undo HTTP/1.1"
        )
        + b"a" * 100_000,
    }
    for words, content in garbage.items():
        answer = raw(port, content)
        statuses = {int(found) for found in re.findall(rb"HTTP/1\.[01] (\d{3})", answer)}
        outcome.check(statuses <= {400, 401, 403, 404, 405, 411, 413, 414, 421, 431, 501, 505}, f"{words}: answered with {statuses}")
        outcome.check(b"<h1>Contacts" not in answer, f"{words}: something was shown")
        alive(words)
    crowd(outcome, look, alive)


def crowd(outcome: Outcome, look: Look, alive) -> None:
    """Slow ones, silent ones and many at once keep nobody else waiting."""
    slow = [socket.create_connection(("127.0.0.1", look.port), timeout=5) for _ in range(20)]
    for connection in slow:
        connection.sendall(b"GET /contacts HTTP/1.1\r\nHo")
    for _ in range(3):
        for connection in slow:
            try:
                connection.sendall(b"s")
            except OSError:
                pass
        alive("slow requests")
    for connection in slow:
        connection.close()
    before = look.descriptors()[0]
    many = []
    for _ in range(100):
        try:
            many.append(socket.create_connection(("127.0.0.1", look.port), timeout=5))
        except OSError:
            break
    request = f"GET / HTTP/1.1\r\nHost: {look.host}\r\nCookie: {look.cookie}\r\nConnection: close\r\n\r\n".encode()
    answered = 0
    for connection in many:
        try:
            connection.sendall(request)
        except OSError:
            pass
    for connection in many:
        try:
            answered += status_of(connection.recv(65_536)) == 200
        except OSError:
            pass
        # No goodbye: the connection is reset.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    outcome.check(answered >= 32, f"of 100 requests at once, {answered} were answered")
    time.sleep(0.5)
    alive("100 connections at once")
    silent = [socket.create_connection(("127.0.0.1", look.port), timeout=5) for _ in range(30)]
    listening = []
    for _ in range(10):
        connection = socket.create_connection(("127.0.0.1", look.port), timeout=5)
        connection.sendall(f"GET /live HTTP/1.1\r\nHost: {look.host}\r\nCookie: {look.cookie}\r\n\r\n".encode())
        listening.append(connection)
    alive("30 silent and 10 listening connections")
    for connection in silent + listening:
        connection.close()
    end = time.monotonic() + 5
    while time.monotonic() < end and look.descriptors()[0] > before + 1:
        time.sleep(0.1)
    outcome.check(look.descriptors()[0] <= before + 1, f"descriptors: {before} before the crowd, {look.descriptors()[0]} after it")


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def ports(outcome: Outcome, program: Program, store: str, running: Look) -> None:
    """The usual port, another one while that is in use, or the one that is asked for, and no other."""
    first = running
    if is_free(USUAL_PORT):
        first = Look(program, store)
        outcome.equal(first.port, USUAL_PORT, "the port where the usual one is free")
    second = Look(program, store)
    outcome.check(second.port not in (USUAL_PORT, running.port), f"another port while {USUAL_PORT} is in use, not {second.port}")
    outcome.equal(second.get("/").status, 200, "the status of a page at another port")
    third = program.start(
        store, "look", "--no-open", "--port", str(second.port), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
    )
    try:
        said = third.communicate(timeout=30)[0].decode()
    except subprocess.TimeoutExpired:
        third.kill()
        said = "it went on"
    outcome.equal(third.returncode, 75, "the status where the port that was asked for is in use")
    outcome.check(f"The port {second.port} cannot be had." in said, f"what is said where a port is in use: {said[:200]}")
    for look in {first, second} - {running}:
        look.stop()


def run(outcome: Outcome, options, shared) -> None:
    listener = Listener()
    folder = os.path.join(shared.folder, "hostile")
    os.mkdir(folder)
    hostile = Hostile(shared.program, folder, outcome, options.seed, options.values, listener.port, options.seconds < 300)
    outcome.part = "hostile, the store"
    began = time.monotonic()
    hostile.make()
    stored = hostile.values.number
    look = Look(shared.program, hostile.store)
    try:
        asker = Asker(look, outcome, secrets_of(hostile.store))
        outcome.part = "hostile, pages"
        made = time.monotonic()
        pages = hostile.pages(asker)
        outcome.check(asker.shown > stored // 4, f"of {stored} values, the pages show {asker.shown}")
        outcome.check(len(pages) > 100, f"{len(pages)} pages were found")
        # What would be found: a page with a value that is not escaped.
        planted = look.get("/").body.replace(b"</main>", b"<p><img src=x onerror=zq1x></p><b></main>")
        outcome.check(len(markup.problems(planted, MARKER)) >= 3, "a planted value is found in a page")
        walked = time.monotonic()
        outcome.part = "hostile, parameters"
        hostile.parameters(asker, pages, options.values // 20)
        asked = time.monotonic()
        outcome.part = "hostile, browser"
        hostile.in_browser(shared.browser, look, pages, listener)
        seen = time.monotonic()
        outcome.part = "hostile, requests"
        requests(outcome, look)
        ports(outcome, shared.program, hostile.store, look)
        outcome.part = "hostile"
        outcome.note(
            f"{hostile.values.number} values, {hostile.refused} commands refused theirs; {len(pages)} pages, {asker.count} answers; store {made - began:.0f} s, pages {walked - made:.0f} s, "
            f"parameters {asked - walked:.0f} s, browser {seen - asked:.0f} s, requests {time.monotonic() - seen:.0f} s"
        )
        outcome.check(look.is_running, "groundwave look still runs")
    finally:
        shared.browser.leave()
        look.stop()
        listener.stop()
