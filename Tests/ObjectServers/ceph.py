#!/usr/bin/env python3
"""The object gateway of a Ceph of its own, with one disk, which is a file: see object_server.py.

The settings are those of a cluster that holds each object once and trusts whoever reaches it.
"""
import os
import uuid

from object_server import KEY, SECRET, free_ports, serve

PROGRAMS = ["ceph", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"]


def start(store, programs):
    # The disk takes several ports from the last one on, so the others are before it.
    monitor, port, first = sorted(free_ports(3))
    cluster, disk = uuid.uuid4(), uuid.uuid4()
    address = f"[v1:127.0.0.1:{monitor}]"
    for name in ("mon", "osd", "gateway"):
        os.mkdir(store.path(name))
    store.write("ceph.conf", f"""[global]
fsid = {cluster}
mon initial members = a
mon host = {address}
monmap = {store.path("monmap")}
auth cluster required = none
auth service required = none
auth client required = none
ms bind msgr2 = false
ms bind port min = {first}
ms bind port max = {first + 100}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
run dir = {store.folder}
admin socket = {store.folder}/$name.socket
log file = {store.folder}/$name.log
crash dir = {store.folder}/crash
mon cluster log file = {store.folder}/cluster.log
mon data = {store.folder}/mon
osd data = {store.folder}/osd
rgw data = {store.folder}/gateway
osd objectstore = bluestore
bluestore block size = {4 << 30}
osd memory target = {896 << 20}
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
mon allow pool size one = true
mon data avail warn = 1
mon data avail crit = 1
rgw frontends = beast endpoint=127.0.0.1:{port}
rgw thread pool size = 64
""")
    os.environ["CEPH_CONF"] = store.path("ceph.conf")
    store.run(programs["monmaptool"], "--create", "--addv", "a", address, "--fsid", str(cluster), store.path("monmap"))
    store.run(programs["ceph-mon"], "--mkfs", "-i", "a", "--monmap", store.path("monmap"))
    store.start(programs["ceph-mon"], "-f", "-i", "a")
    # A monitor that has just started refuses commands for a while ("problem getting command descriptions"); with the same
    # uuid the command has no effect a second time.
    store.run(programs["ceph"], "osd", "new", str(disk), seconds=120)
    store.run(programs["ceph-osd"], "--mkfs", "-i", "0", "--osd-uuid", str(disk))
    store.start(programs["ceph-osd"], "-f", "-i", "0")
    store.start(programs["radosgw"], "-f", "-n", "client.gateway")
    store.run(
        programs["radosgw-admin"], "user", "create", "--uid", "tests", "--display-name", "tests", "--access-key", KEY,
        "--secret", SECRET)
    store.wait_for(f"http://127.0.0.1:{port}/")
    return {"port": port}


serve("ceph", PROGRAMS, start)
