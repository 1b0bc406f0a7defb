#!/usr/bin/env python3
"""A SeaweedFS of its own: see object_server.py."""
import json

from object_server import KEY, SECRET, free_ports, serve


def start(store, programs):
    master, volume, filer, port = free_ports(4, also=10000)
    rights = {"identities": [{"name": "tests", "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
                              "actions": ["Admin", "Read", "Write", "List"]}]}
    store.write("rights.json", json.dumps(rights))
    # It makes these whatever its folder is, and leaves them behind when it is killed.
    ports = {"master": master, "volume": volume, "filer": filer, "s3": port}
    store.leftovers = [f"/tmp/seaweedfs-{part}-{number}.sock" for part, number in ports.items()]
    store.leftovers += [f"/tmp/seaweedfs-{part}-grpc-{number + 10000}.sock" for part, number in ports.items()]
    store.start(
        programs["weed"], f"-logdir={store.folder}", "server", f"-dir={store.folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
        "-master.telemetry=false", "-master.volumeSizeLimitMB=128", "-volume.max=32", f"-master.port={master}",
        f"-volume.port={volume}", "-filer", f"-filer.port={filer}", "-s3", f"-s3.port={port}",
        "-s3.port.iceberg=0", "-s3.port.lance=0", f"-s3.config={store.path('rights.json')}")
    store.wait_for(f"http://127.0.0.1:{port}/status")
    return {"port": port, "filer": filer}


serve("seaweedfs", ["weed"], start)
