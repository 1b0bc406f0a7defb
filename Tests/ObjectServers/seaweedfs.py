#!/usr/bin/env python3
"""A SeaweedFS of its own for one process of tests, on this machine only.

    seaweedfs.py

The first line on standard output is a JSON object: the port, or why there is none. It ends with standard input, also if the
process that reads it was killed: then the server is killed, and its folder goes.
"""
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

KEY, SECRET = "TESTKEY", "TESTSECRET"


def program():
    """weed, from PATH or from the tools of the checkout that this file lies in."""
    found = shutil.which("weed")
    folder = os.path.dirname(os.path.abspath(__file__))
    while not found and folder != "/":
        found = shutil.which("weed", path=os.path.join(folder, ".build-tools/bin"))
        folder = os.path.dirname(folder)
    return found


def free_ports(count):
    """Ports that are free, and with them those 10,000 above, which the server uses too."""
    ports, held = [], []
    while len(ports) < count:
        first = socket.socket()
        first.bind(("127.0.0.1", 0))
        port = first.getsockname()[1]
        # Ports that the system gives to others meanwhile lie above 32768.
        number = 12000 + port % 10000
        pair = [first]
        try:
            for each in (number, number + 10000):
                held_port = socket.socket()
                pair.append(held_port)
                held_port.bind(("127.0.0.1", each))
            ports.append(number)
        except OSError:
            pass
        held += pair
    for each in held:
        each.close()
    return ports


def dies_with_parent():
    """On Linux the server is killed if this process is."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (AttributeError, OSError):
        pass


def main():
    weed = program()
    if not weed:
        return print(json.dumps({"missing": "weed is not installed"}), flush=True)
    if "--look" in sys.argv:
        return print(json.dumps({"weed": weed}), flush=True)
    folder = tempfile.mkdtemp(prefix="seaweedfs.")
    rights = {"identities": [{"name": "tests", "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
                              "actions": ["Admin", "Read", "Write", "List"]}]}
    with open(os.path.join(folder, "rights.json"), "w", encoding="utf-8") as file:
        json.dump(rights, file)
    master, volume, filer, s3 = free_ports(4)
    with open(os.path.join(folder, "log"), "wb") as log:
        server = subprocess.Popen(
            [weed, "server", f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-master.telemetry=false",
             "-master.volumeSizeLimitMB=128", "-volume.max=32", f"-master.port={master}", f"-volume.port={volume}",
             "-filer", f"-filer.port={filer}", "-s3", f"-s3.port={s3}", "-s3.port.iceberg=0", "-s3.port.lance=0",
             f"-s3.config={folder}/rights.json"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=dies_with_parent)
    try:
        end = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{s3}/status", timeout=5).close()
                break
            except (OSError, urllib.error.URLError):
                if server.poll() is not None or time.monotonic() > end:
                    with open(os.path.join(folder, "log"), encoding="utf-8", errors="replace") as log:
                        words = log.read()[-2000:]
                    return print(json.dumps({"failed": f"SeaweedFS does not start: {words}"}), flush=True)
                time.sleep(0.05)
        print(json.dumps({"port": s3, "process": server.pid}), flush=True)
        sys.stdin.read()
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)
    return None


main()
