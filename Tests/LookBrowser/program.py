"""The program under test: its commands, and the server of `groundwave look`."""

import http.client
import json
import os
import re
import subprocess
import threading
import time

PATIENCE = 60


class Program:
    """Runs commands of groundwave in a world of their own: no setting of the person reaches them."""

    def __init__(self, path: str, folder: str) -> None:
        self.path = path
        self.folder = folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("GROUNDWAVE_")}
        self.environment.update(GROUNDWAVE_STATE=os.path.join(folder, "state"), XDG_DATA_HOME=os.path.join(folder, "data"), TZ="UTC")

    def run(self, store: str, *arguments: str, status: tuple[int, ...] = (0,), data: bytes | None = None) -> str:
        """Runs a command on a store, and returns what it printed. Any other status is an error."""
        result = subprocess.run(
            [self.path, *arguments, "--store", store],
            env=self.environment,
            input=data,
            check=False,
            stdin=subprocess.DEVNULL if data is None else None,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
        )
        if result.returncode not in status:
            words = (result.stderr or result.stdout).decode("utf-8", "replace").strip()
            raise RuntimeError(f"groundwave {' '.join(arguments)[:200]} ended with {result.returncode}: {words[:300]}")
        return result.stdout.decode("utf-8", "replace")

    def json(self, store: str, *arguments: str, status: tuple[int, ...] = (0,)) -> dict:
        """Runs a command, and returns its JSON."""
        return json.loads(self.run(store, *arguments, "--json", status=status))

    def try_run(self, store: str, *arguments: str) -> int:
        """Runs a command that may be refused, and returns its status."""
        return subprocess.run(
            [self.path, *arguments, "--store", store],
            env=self.environment,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
        ).returncode

    def start(self, store: str, *arguments: str, **options) -> subprocess.Popen:
        """Starts a command that goes on by itself."""
        return subprocess.Popen([self.path, *arguments, "--store", store], env=self.environment, **options)


class Answer:
    """An answer of the server."""

    def __init__(self, status: int, headers: list[tuple[str, str]], body: bytes, seconds: float) -> None:
        self.status = status
        self.headers = headers
        self.body = body
        self.seconds = seconds

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")


class Look:
    """A running `groundwave look`, asked without a browser."""

    def __init__(self, program: Program, store: str, *arguments: str) -> None:
        self.process = program.start(
            store, "look", "--no-open", *arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True
        )
        self.said: list[str] = []
        found = threading.Event()
        self.address = ""

        def listen() -> None:
            for line in self.process.stdout:
                self.said.append(line)
                match = re.search(r"http://\S+token=[^\s\"]+", line)
                if match and not self.address:
                    self.address = match.group(0)
                    found.set()
            found.set()

        threading.Thread(target=listen, daemon=True).start()
        found.wait(30)
        if not self.address:
            self.process.kill()
            raise RuntimeError("groundwave look did not start: " + "".join(self.said)[:300])
        self.base = self.address.split("/?")[0]
        self.host = self.base.split("//")[1]
        self.port = int(self.host.split(":")[1])
        self.cookie = ""
        first = self.ask(self.address[len(self.base) :])
        self.cookie = first.header("Set-Cookie").split(";")[0]
        if first.status != 303 or not self.cookie:
            raise RuntimeError(f"the first address was answered with {first.status}")

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, headers: dict[str, str] | None = None, timeout: float = 30
    ) -> Answer:
        """Asks once, and follows nothing."""
        began = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            fields = {"Cookie": self.cookie} if self.cookie else {}
            fields.update(headers or {})
            connection.request(method, path, body, fields)
            response = connection.getresponse()
            content = response.read()
            return Answer(response.status, response.getheaders(), content, time.monotonic() - began)
        finally:
            connection.close()

    def get(self, path: str, timeout: float = 30) -> Answer:
        """Asks for a page, and follows redirections within the server."""
        answer = self.ask(path, timeout=timeout)
        for _ in range(5):
            if answer.status != 303:
                break
            place = answer.header("Location")
            if not place.startswith("/") or place.startswith("//"):
                raise RuntimeError(f"{path} leads away, to {place[:100]}")
            answer = self.ask(place, timeout=timeout)
        return answer

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def stop(self) -> None:
        """Ends it as Ctrl-C does."""
        if self.is_running:
            self.process.send_signal(2)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)

    # What the kernel says of the process (proc(5)); nothing where there is no /proc.

    def private_kibibytes(self) -> int:
        """Memory that is of this process alone, without pages of files."""
        try:
            with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
                return sum(int(line.split()[1]) for line in file if line.startswith("RssAnon:"))
        except OSError:
            return 0

    def descriptors(self) -> tuple[int, int]:
        """The number of its open descriptors, and of those that are connections of TCP."""
        folder = f"/proc/{self.process.pid}/fd"
        try:
            with open(f"/proc/{self.process.pid}/net/tcp", encoding="ascii") as file:
                # State 01 is ESTABLISHED, 08 CLOSE_WAIT; column 9 is the inode.
                connections = {row.split()[9] for row in file if row.split()[3] in ("01", "08")}
            count = open_connections = 0
            for name in os.listdir(folder):
                count += 1
                try:
                    target = os.readlink(os.path.join(folder, name))
                except OSError:
                    continue
                open_connections += target.startswith("socket:[") and target[8:-1] in connections
            return count, open_connections
        except OSError:
            return 0, 0
