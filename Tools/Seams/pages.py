"""Which pages of an LMDB file are in use, by the tables of Docs/FileFormat.md; and how to damage them in place."""
import os
import struct

SIZE = 4096
META, BRANCH, LEAF, OVERFLOW = 8, 1, 2, 4
NO_PAGE = 2**64 - 1


class Pages:
    """The pages of a file as it was at one moment."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.count = len(self.data) // SIZE
        self.live = {0: META, 1: META} if self.count > 1 else {}
        metas = [struct.unpack_from("<QQQ", self.data, page * SIZE + 128) for page in range(min(2, self.count))
                 if struct.unpack_from("<I", self.data, page * SIZE + 16)[0] == 0xBEEFC0DE]
        if metas:
            self._walk(max(metas, key=lambda meta: meta[2])[0])

    def _walk(self, page):
        start = page * SIZE
        if page == NO_PAGE or page in self.live or start + SIZE > len(self.data):
            return
        number, flags, lower = struct.unpack_from("<Q2xHH", self.data, start)
        if number != page or flags not in (BRANCH, LEAF) or not 16 <= lower <= SIZE:
            return
        self.live[page] = flags
        for (slot,) in struct.iter_unpack("<H", self.data[start + 16:start + (lower & ~1)]):
            if slot > SIZE - 8:
                return
            low, kind, key = struct.unpack_from("<IHH", self.data, start + slot)
            after = start + slot + 8 + key
            if flags == BRANCH:
                self._walk(low | kind << 32)
            elif kind == 1:
                first = struct.unpack_from("<Q", self.data, after)[0]
                self.live.update(dict.fromkeys(range(first, first + (15 + low) // SIZE + 1), OVERFLOW))
            elif kind == 2 and low == 48:
                self._walk(struct.unpack_from("<Q", self.data, after + 40)[0])

    def page(self, number):
        return self.data[number * SIZE:(number + 1) * SIZE]

    def of_kind(self, *kinds):
        return sorted(page for page, kind in self.live.items() if kind in kinds and page < self.count)


def overwrite(path, page, content):
    """Writes over a page in place: the file stays the same one, as when a disk or another program damages it."""
    with open(path, "r+b") as file:
        file.seek(page * SIZE)
        file.write(content)


# Each takes the path, an earlier copy of the file, and a generator; does it, and says what it did.

def zeros(path, _, generator):
    pages = Pages(path)
    page = some(pages, generator)
    overwrite(path, page, bytes(SIZE))
    return f"zeros on page {page} ({named(pages, page)})"


def noise(path, _, generator):
    pages = Pages(path)
    page = some(pages, generator)
    length = generator.choice((SIZE, SIZE, 64, 1))
    offset = generator.randrange(0, SIZE - length + 1)
    content = bytearray(pages.page(page))
    while content == pages.page(page):
        content[offset:offset + length] = generator.randbytes(length)
    overwrite(path, page, bytes(content))
    return f"{length} bytes of noise at {offset} of page {page} ({named(pages, page)})"


def swapped(path, _, generator):
    pages = Pages(path)
    one = some(pages, generator)
    other = one
    while other == one:
        other = generator.randrange(pages.count)
    overwrite(path, one, pages.page(other))
    overwrite(path, other, pages.page(one))
    return f"pages {one} ({named(pages, one)}) and {other} ({named(pages, other)}) swapped"


def stale(path, earlier, generator):
    pages = Pages(path)
    before = [earlier[number * SIZE:(number + 1) * SIZE] for number in range(len(earlier) // SIZE)]
    # Pages 0 and 1 take turns: put back alone, the older one is a state that the file had. The newer one is a loss.
    changed = [page for page in pages.live if page < len(before) and before[page] != pages.page(page)]
    if not changed:
        return zeros(path, earlier, generator)
    page = generator.choice(sorted(changed))
    overwrite(path, page, before[page])
    return f"page {page} ({named(pages, page)}) as it was earlier"


def truncated(path, _, generator):
    size = os.path.getsize(path)
    to = generator.choice((generator.randrange(size), generator.randrange(size // SIZE) * SIZE, size - SIZE))
    with open(path, "r+b") as file:
        file.truncate(to)
    return f"truncated from {size} to {to} bytes"


KINDS = {"zeros": zeros, "noise": noise, "swapped": swapped, "stale": stale, "truncated": truncated}


def some(pages, generator):
    """Mostly a leaf in use; at times any page that is in use; at times any page."""
    choice = generator.random()
    kinds = (LEAF,) if choice < 0.6 else (LEAF, BRANCH, OVERFLOW, META)
    found = pages.of_kind(*kinds) if choice < 0.9 else []
    return generator.choice(found or range(pages.count))


def named(pages, page):
    return {META: "meta", BRANCH: "branch", LEAF: "leaf", OVERFLOW: "overflow", None: "free"}[pages.live.get(page)]
