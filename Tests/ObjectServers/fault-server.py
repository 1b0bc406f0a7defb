#!/usr/bin/env python3
"""An object store in memory, as the tests need one: it checks signatures by code of its own, and does wrong what it is told.

    fault-server.py

The first line on standard output is a JSON object with the port. Each line on standard input is a JSON object with orders;
each is answered by a line. It ends with standard input.

Orders, all optional: "faults", a list of faults, each taken by the first request that fits ("method", and "contains" in the
path and query); "order", "bytes" or "folders", that of listings; "page", the most keys of a page; "overwrites"; "clock",
seconds that this clock is ahead; "objects", a JSON object of texts to store under keys; "forget", true to forget all objects.
The answer has the requests since the last order, and all keys.
"""
import datetime
import email.utils
import hashlib
import hmac
import json
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

KEY, SECRET = "TESTKEY", "TESTSECRET"
BUCKET = "bucket"
lock = threading.Lock()
objects = {}
state = {"faults": [], "order": "bytes", "page": 1000, "overwrites": False, "clock": 0, "requests": []}


def signature(request, body):
    """What the signature of a request must be, from what has arrived (AWS, Signature Version 4)."""
    fields = dict(
        part.strip().split("=", 1) for part in request.headers["Authorization"].split(" ", 1)[1].split(",")
    )
    key, scope = fields["Credential"].split("/", 1)
    names = fields["SignedHeaders"].split(";")
    path, _, query = request.path.partition("?")
    pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
    quoted = sorted((urllib.parse.quote(k, safe="-_.~"), urllib.parse.quote(v, safe="-_.~")) for k, v in pairs)
    lines = [
        request.command,
        urllib.parse.quote(urllib.parse.unquote(path), safe="/-_.~"),
        "&".join(f"{k}={v}" for k, v in quoted),
        "".join(f"{name}:{request.headers[name].strip()}\n" for name in names),
        ";".join(names),
        hashlib.sha256(body).hexdigest(),
    ]
    hashed = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    text = "\n".join(["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, hashed])
    derived = ("AWS4" + SECRET).encode()
    for part in scope.split("/"):
        derived = hmac.new(derived, part.encode(), hashlib.sha256).digest()
    return key, fields["Signature"], hmac.new(derived, text.encode(), hashlib.sha256).hexdigest()


def now():
    return time.time() + state["clock"]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Else each answer waits for the client's kernel to acknowledge its headers.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=None, announced=None):
        """Sends a complete answer; with `announced`, one that says another length, after which the connection ends."""
        headers = dict(headers or {})
        self.send_response_only(status)
        self.send_header("Date", email.utils.formatdate(now(), usegmt=True))
        if "Transfer-Encoding" not in headers:
            self.send_header("Content-Length", str(len(body) if announced is None else announced))
        for name, value in headers.items():
            self.send_header(name, value)
        if announced is not None:
            self.close_connection = True
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()

    def error(self, status, code=None, headers=None, **fields):
        inner = "".join(f"<{k}>{escape(v)}</{k}>" for k, v in {"Code": code, **fields}.items() if v)
        body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error>{inner}</Error>' if code else "<html>no</html>"
        self.answer(status, body.encode(), headers)

    def handle_one(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        with lock:
            state["requests"].append(
                {"method": self.command, "path": self.path, "conditional": self.headers.get("If-None-Match"),
                 "host": self.headers.get("Host")}
            )
            fault = next(
                (f for f in state["faults"]
                 if f.get("method", self.command) == self.command and f.get("contains", "") in self.path),
                None,
            )
            if fault:
                state["faults"].remove(fault)
        if fault and fault.get("effect"):
            with lock:
                self.perform(body, silent=True)
        if fault and self.misbehave(fault):
            return
        if "Authorization" not in self.headers:
            return self.error(403, "AccessDenied")
        key, given, right = signature(self, body)
        sent = datetime.datetime.strptime(self.headers["x-amz-date"], "%Y%m%dT%H%M%SZ")
        if key != KEY:
            return self.error(403, "InvalidAccessKeyId")
        if given != right or self.headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
            return self.error(403, "SignatureDoesNotMatch")
        if abs(sent.replace(tzinfo=datetime.timezone.utc).timestamp() - now()) > 900:
            return self.error(403, "RequestTimeTooSkewed")
        with lock:
            result = self.perform(body)
        status, content, headers, code = result
        if code:
            return self.error(status, code)
        self.answer(status, content, headers)

    do_GET = do_PUT = do_HEAD = do_DELETE = handle_one

    def misbehave(self, fault):
        """Does what a fault says; returns whether that was the answer."""
        kind = fault["kind"]
        if kind == "status":
            self.error(fault["status"], fault.get("code"), fault.get("headers"), **fault.get("fields", {}))
        elif kind == "reset":
            self.close_connection = True
        elif kind == "stall":
            time.sleep(fault.get("seconds", 30))
            self.close_connection = True
        elif kind == "stall-body":
            self.answer(200, b"some", announced=100)
            time.sleep(fault.get("seconds", 30))
        elif kind == "length":
            self.answer(fault.get("status", 200), fault["body"].encode(), announced=fault["announced"])
        elif kind == "body":
            self.answer(fault.get("status", 200), fault["body"].encode(), fault.get("headers"))
        elif kind == "endless":
            self.answer(200, headers={"Transfer-Encoding": "chunked"})
            self.close_connection = True
            try:
                while True:
                    # As fast as a good line, not as fast as memory.
                    time.sleep(0.002)
                    self.wfile.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            except OSError:
                pass
        elif kind == "pause":
            time.sleep(fault.get("seconds", 0.2))
            return False
        else:
            raise ValueError(kind)
        return True

    def perform(self, body, silent=False):
        """Returns status, body, headers and the code of an error."""
        path, _, query = self.path.partition("?")
        bucket, _, key = urllib.parse.unquote(path)[1:].partition("/")
        if bucket != BUCKET:
            return 404, b"", {}, "NoSuchBucket"
        if not key:
            return 200, self.listing(dict(urllib.parse.parse_qsl(query, keep_blank_values=True))), {}, None
        if self.command == "PUT":
            if key in objects and self.headers.get("If-None-Match") == "*" and not state["overwrites"]:
                return 412, b"", {}, "PreconditionFailed"
            objects[key] = body
            return 200, b"", {"ETag": '"of no use"'}, None
        if self.command == "DELETE":
            objects.pop(key, None)
            return 204, b"", {}, None
        if key not in objects:
            return 404, b"", {}, "NoSuchKey"
        content, asked = objects[key], self.headers.get("Range")
        if not asked:
            return 200, content, {}, None
        first, last = (int(number) for number in asked.removeprefix("bytes=").split("-"))
        if first >= len(content):
            return 416, b"", {}, "InvalidRange"
        last = min(last, len(content) - 1)
        return 206, content[first : last + 1], {"Content-Range": f"bytes {first}-{last}/{len(content)}"}, None

    def listing(self, query):
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        after = query.get("continuation-token", query.get("start-after", ""))
        entries = {}
        for key, content in objects.items():
            if not key.startswith(prefix):
                continue
            rest = key[len(prefix) :]
            if delimiter and delimiter in rest:
                entries[prefix + rest.split(delimiter)[0] + delimiter] = None
            else:
                entries[key] = len(content)

        def place(text):
            """Where a server sorts something: by its bytes, or part by part as a tree of folders."""
            return text if state["order"] == "bytes" else text.rstrip("/").split("/")

        def is_behind(text):
            if text.endswith("/") and after.startswith(text):
                # A folder is listed again only by a server that looks at the keys in it.
                return state["order"] == "bytes" and any(k.startswith(text) and k > after for k in objects)
            return place(text) > place(after)

        names = sorted((name for name in entries if is_behind(name)), key=place)
        limit = min(int(query.get("max-keys", 1000)), state["page"])
        page, parts = names[:limit], []
        encode = urllib.parse.quote if query.get("encoding-type") == "url" else escape
        for name in page:
            if entries[name] is None:
                parts.append(f"<CommonPrefixes><Prefix>{encode(name)}</Prefix></CommonPrefixes>")
            else:
                parts.append(f"<Contents><Key>{encode(name)}</Key><Size>{entries[name]}</Size></Contents>")
        more = len(names) > limit
        if more:
            token = page[-1] + ("\U0010FFFF" if page[-1].endswith("/") and state["order"] == "bytes" else "")
            parts.append(f"<NextContinuationToken>{escape(token)}</NextContinuationToken>")
        kind = "<EncodingType>url</EncodingType>" if encode is urllib.parse.quote else ""
        text = (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"{kind}<IsTruncated>{str(more).lower()}</IsTruncated>{''.join(parts)}</ListBucketResult>"
        )
        return text.encode()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A client that has gone away is what some tests are about."""


server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"port": server.server_address[1]}), flush=True)
for line in sys.stdin:
    orders = json.loads(line)
    with lock:
        if orders.pop("forget", False):
            objects.clear()
        for name, text in orders.pop("objects", {}).items():
            objects[name] = text.encode()
        said = {"requests": state["requests"], "keys": sorted(objects)}
        state["requests"] = []
        state.update(orders)
    print(json.dumps(said), flush=True)
