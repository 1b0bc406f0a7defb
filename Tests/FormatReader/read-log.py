#!/usr/bin/env python3
"""Prints the events of a log.mdb in order of position, one JSON object a line. Made from Docs/FileFormat.md alone.

read-log.py log.mdb                 exit code 1 and a sentence where the log cannot be read to its end
read-log.py log.mdb --flips FILE    for each line "offset xor" of FILE, of the log with this one byte changed: the
                                    SHA-256 of what the first form prints, or the sentence
"""
import functools, hashlib, json, struct, sys

SIZES, NO_PAGE = (4096, 8192, 16384, 32768), 2**64 - 1
CHECKED = b"runs heads arrivals trees nodes erased signed waiting streams base meta holes lacking late filled".split()
CRC_TABLE = [functools.reduce(lambda crc, _: crc >> 1 ^ 0x82F63B78 * (crc & 1), range(8), n) for n in range(256)]

class Unreadable(Exception): """Why a log cannot be read, as a sentence."""

def need(condition, sentence):
    if not condition: raise Unreadable(sentence)

def crc32c(data):
    return functools.reduce(lambda crc, n: crc >> 8 ^ CRC_TABLE[(crc ^ n) & 0xFF], data, 0xFFFFFFFF) ^ 0xFFFFFFFF

def newest_meta(data):
    """Page size and root of the main tree, by the valid meta page with the highest transaction."""
    found = []
    for offset in (offset for offset in (0, *SIZES) if len(data) >= offset + 152):
        number, flags, magic, version, size = struct.unpack_from("<Q2xH4xII16xI", data, offset)
        root, _, transaction = struct.unpack_from("<QQQ", data, offset + 128)
        if (number, flags, magic, version) == (offset > 0, 8, 0xBEEFC0DE, 1) and size in SIZES and offset in (0, size):
            found.append((transaction, size, root))
    need(found, "neither meta page is one")
    return max(found)[1:]

def entries(data, size, number, seen):
    """Key, flags and value of each leaf entry below page `number`, in order."""
    start = number * size
    need(number > 1 and start + size <= len(data), f"page {number} does not lie in the file")
    need(number not in seen and not seen.add(number), f"page {number} is reached twice")
    page, flags, lower, upper = struct.unpack_from("<Q2xHHH", data, start)
    is_sound = page == number and flags in (1, 2) and 16 <= lower <= upper <= size and lower % 2 == 0
    need(is_sound, f"page {number} is no page of a tree")
    for (entry,) in struct.iter_unpack("<H", data[start + 16:start + lower]):
        need(upper <= entry <= size - 8, f"page {number} has an entry outside")
        low, flag, key_size = struct.unpack_from("<IHH", data, start + entry)
        if flags == 1:
            yield from entries(data, size, low | flag << 32, seen)
            continue
        split, end = entry + 8 + key_size, entry + 8 + key_size + (8 if flag == 1 else low)
        need(end <= size, f"page {number} has an entry that does not end in it")
        key, value = bytes(data[start + entry + 8:start + split]), bytes(data[start + split:start + end])
        if flag == 1:
            first = struct.unpack("<Q", value)[0] * size
            need(first + 16 + low <= len(data), f"a long value of page {number} does not lie in the file")
            header = struct.unpack_from("<Q2xHI", data, first)
            need(header == (first // size, 4, (15 + low) // size + 1), f"a long value of page {number} is none")
            value = bytes(data[first + 16:first + 16 + low])
        yield key, flag, value

@functools.lru_cache(maxsize=1 << 16)
def decode(frame):
    """The checksum of the frame before, that of this frame, and what is printed of it."""
    need(len(frame) >= 60 and frame[:4] == b"GWE1", "a frame does not start as one")
    length, previous, header, flags, shape = struct.unpack_from("<IIHHI", frame, 4)
    need(length == len(frame) and flags in (0, 1, 4) and 24 + header + shape <= length, "a frame has impossible lengths")
    crc = crc32c(frame[:-4])
    need(frame[-4:] == struct.pack("<I", crc), "a frame has another checksum than its bytes")
    replica, sequence, stamp, rest, count = struct.unpack_from("<16sQQHH", frame, 20)
    need(header == 36 + 32 * (count & 0x7FFF), "a header has another length than its parts")
    observed = [(a.hex(), n, b.hex()) for a, n, b in struct.iter_unpack("<16sQ8s", frame[56:20 + header])]
    shape, values = frame[20 + header:20 + header + shape], frame[20 + header + shape:-4]
    values = ("lost", "") if flags == 4 else ("withheld", values.hex()) if flags else (
        "hash", hashlib.sha256(values).hexdigest())
    return previous, crc, dict(replica=replica.hex(), sequence=sequence, stamp=stamp, rest=rest, observed=observed,
                               observesAll=count >> 15, shape=shape.hex(), values=values)

@functools.lru_cache(maxsize=1 << 16)
def check_row(number, key, value):
    need(value[-4:] == struct.pack("<I", crc32c(bytes([number]) + key + value[:-4])), "a row is not what was written")

def lines(data):
    size, main = newest_meta(data)
    tables = {key: value for key, flag, value in entries(data, size, main, set()) if flag == 2 and len(value) == 48}
    need(b"events" in tables, "there is no table of events")
    late, filled = {}, {}
    for number, name in enumerate(CHECKED, 1):
        need(name in tables, f"there is no table of {name.decode()}")
        root = struct.unpack_from("<Q", tables[name], 40)[0]
        for key, _, value in entries(data, size, root, set()) if root != NO_PAGE else []:
            check_row(number, key, value)
            if name == b"late": late[struct.unpack(">Q", key)[0]] = struct.unpack_from("<Q", value)[0], value[8:-4]
            if name == b"filled": filled[struct.unpack(">Q", key)[0]] = struct.unpack_from("<Q", value)[0]
    root, before = struct.unpack_from("<Q", tables[b"events"], 40)[0], 0
    for position, (key, _, frame) in enumerate(entries(data, size, root, set()) if root != NO_PAGE else [], 1):
        need(key == struct.pack(">Q", position), f"position {position} has no event")
        previous, crc, event = decode(frame)
        need(previous == before, f"the event at position {position} does not follow the one before it")
        before = crc
        if position in filled:
            place, frame = late.pop(filled.pop(position), (0, b""))
            _, _, came = decode(frame)
            is_same = all(came[part] == event[part] for part in ("replica", "sequence"))
            need(place == position and is_same and event["values"][0] in ("lost", "withheld"),
                 f"what came late at position {position} is not the event there")
            event = came
        yield json.dumps({"position": position, **event})
    need(not late and not filled, "an event came late for a position that is not there")

def main(path, flag=None, flips=None):
    data = bytearray(open(path, "rb").read())
    if flag is None:
        return print(*lines(data), sep="\n")
    for offset, xor in (map(int, line.split()) for line in open(flips)):
        data[offset] ^= xor
        try:
            print(hashlib.sha256("\n".join(lines(data)).encode()).hexdigest())
        except Unreadable as error:
            print(error)
        data[offset] ^= xor

try:
    main(*sys.argv[1:])
except (Unreadable, OSError, TypeError, RecursionError) as error:
    sys.exit(f"{error}.")
