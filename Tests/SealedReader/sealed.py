#!/usr/bin/env python3
"""Opens objects of a sealed log with its passphrase. Written from Docs/SealedFormat.md alone; shares no code with Groundwave.

  sealed.py open KEYFILE OBJECT NAME --passphrase-file FILE    prints the content of the object with the plain name NAME
  sealed.py name KEYFILE SEALED... --passphrase-file FILE      prints the plain names of objects with the names SEALED

Exits with 1 and a sentence if anything is not as it should be. Needs the package cryptography.
"""

import argparse
import hashlib
import hmac
import pathlib
import re
import struct
import sys
import unicodedata

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def check(holds: bool, sentence: str) -> None:
    if not holds:
        sys.exit(f"refused: {sentence}")


def derived(key: bytes, info: bytes, salt: bytes = b"", size: int = 32) -> bytes:
    return HKDF(hashes.SHA256(), size, salt, info).derive(key)


def id_of(key: bytes) -> bytes:
    return hashlib.sha256(b"groundwave epoch" + key).digest()[:16]


def padded(size: int) -> int:
    exponent = size.bit_length() - 1  # No content has less than 4 bytes, those of its length.
    step = 1 << (exponent - exponent.bit_length())
    return -(-size // step) * step


def open_object(data: bytes, name: str, log: bytes, keys: dict[bytes, bytes], also: bytes = b"") -> bytes:
    check(len(data) >= 72, "the object is too short")
    check(data[:4] == b"GWX1", "the object is not a sealed one")
    check(data[4:20] in keys, "the object is of an epoch whose key is not in the key file")
    key = derived(keys[data[4:20]], b"groundwave object", salt=data[20:52])
    try:
        plain = ChaCha20Poly1305(key).decrypt(bytes(12), data[52:], data[:52] + log + name.encode() + also)
    except InvalidTag:
        check(False, "the object was changed, or is of another log or name")
    size = struct.unpack("<I", plain[:4])[0]
    check(padded(size + 4) == len(plain) and not any(plain[4 + size :]), "the padding of the object is wrong")
    return plain[4 : 4 + size]


def unwrapped(wrap: bytes, private: bytes, info: bytes) -> bytes | None:
    """HPKE in base mode, RFC 9180: X25519, HKDF-SHA256, ChaCha20-Poly1305."""

    def extract(salt: bytes, suite: bytes, label: bytes, secret: bytes) -> bytes:
        return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + secret, "sha256")

    def expand(key: bytes, suite: bytes, label: bytes, info: bytes, size: int) -> bytes:
        return hmac.digest(key, struct.pack(">H", size) + b"HPKE-v1" + suite + label + info + b"\1", "sha256")[:size]

    mine = X25519PrivateKey.from_private_bytes(private)
    try:
        shared = mine.exchange(X25519PublicKey.from_public_bytes(wrap[:32]))
    except ValueError:
        return None  # The shared secret is zero.
    kem, suite = b"KEM\x00\x20", b"HPKE\x00\x20\x00\x01\x00\x03"
    both = wrap[:32] + mine.public_key().public_bytes_raw()
    secret = expand(extract(b"", kem, b"eae_prk", shared), kem, b"shared_secret", both, 32)
    schedule = b"\0" + extract(b"", suite, b"psk_id_hash", b"") + extract(b"", suite, b"info_hash", info)
    secret = extract(secret, suite, b"secret", b"")
    nonce = expand(secret, suite, b"base_nonce", schedule, 12)
    try:
        return ChaCha20Poly1305(expand(secret, suite, b"key", schedule, 32)).decrypt(nonce, wrap[32:], b"")
    except InvalidTag:
        return None


def open_key_file(data: bytes, passphrase: str) -> tuple[bytes, bytes, dict[bytes, bytes]]:
    """Returns the log, the key of names, and the keys of all epochs by their ids."""
    check(59 <= len(data) <= 128 << 10 and data[:4] == b"GWK1", "the key file is none")
    size, epoch, cost, salt, count = struct.unpack("<I16sB32sH", data[4:59])
    end = 59 + 80 * count
    check(size == len(data) and 1 <= count <= 258 and end < size, "the lengths of the key file do not add up")
    check(15 <= cost <= 18, "the key file asks for parameters of scrypt that are not allowed")
    text = unicodedata.normalize("NFKC", passphrase).encode()
    check(1 <= len(text) <= 1024, "the passphrase is empty or too long")
    private = hashlib.scrypt(text, salt=salt, n=1 << cost, r=8, p=1, maxmem=1 << 29, dklen=32)
    opened = (unwrapped(data[at : at + 80], private, b"groundwave epoch" + epoch) for at in range(59, end, 80))
    key = next(filter(None, opened), None)
    check(key is not None, "the passphrase does not open the key file")
    check(id_of(key) == epoch, "the key file has the key of another epoch")
    plain = open_object(data[end:], "keys", bytes(16), {epoch: key}, also=hashlib.sha256(data[:end]).digest())
    told, mac_key = plain[:48] + hashlib.sha256(plain[48:80]).digest(), derived(private, b"groundwave root")
    mac = hmac.digest(mac_key, b"groundwave root" + told, "sha256")
    check(hmac.compare_digest(mac, plain[144:176]), "whoever made the key file does not know the passphrase")
    check(plain[176:178] == struct.pack("<H", count), "the key file has another number of wraps than of recipients")
    former = plain[180 + 33 * count :]
    keys = {former[at : at + 16]: former[at + 16 : at + 48] for at in range(0, len(former), 48)}
    check(plain[178 + 33 * count : 180 + 33 * count] == struct.pack("<H", len(keys)), "the former keys are not as many")
    ordered = epoch not in keys and list(keys) == sorted(keys)
    check(ordered and all(id_of(keys[name]) == name for name in keys), "the former keys break a rule")
    return plain[:16], plain[48:80], {**keys, epoch: key}


def plain_name(sealed: str, key: bytes) -> str:
    def block(data: bytes, info: bytes) -> bytes:
        return Cipher(algorithms.AES(derived(key, info)), modes.ECB()).decryptor().update(data)

    def replica(match: re.Match) -> str:
        number = sum(LETTERS.index(letter) << 5 * place for place, letter in enumerate(reversed(match[0])))
        opened = int.from_bytes(block((number >> 2).to_bytes(16, "big"), b"groundwave replica names"), "big") << 2
        return "".join(LETTERS[opened >> 5 * place & 31] for place in range(25, -1, -1))

    def time(match: re.Match) -> str:
        opened = int(match[0]) - int.from_bytes(derived(key, b"groundwave times", size=8), "little") % (8 * 10**14)
        check(opened >= 0, "the name has a time before 1970")
        return f"{opened:015}"

    if sealed in ("groundwave-sealed", "groundwave-sealed-again"):
        return sealed.replace("sealed", "log")
    store, snapshot = r"stores/[0-9A-Z]{26}/(catalog|\d{20}\.segment|[0-9a-f]{32}\.pack)", r"\d{15}-[0-9a-f]{32}"
    form = rf"{store}|snapshots/heads/{snapshot}\.head|snapshots/parts/{snapshot}-\d{{4}}\.part"
    check(re.fullmatch(form, sealed, re.ASCII) is not None, "no object has such a name")
    sealed = re.sub(r"(?<=^stores/)[^/]+", replica, sealed)
    sealed = re.sub(r"(?<=[/-])[0-9a-f]{32}(?=[.-])", lambda m: block(bytes.fromhex(m[0]), b"groundwave hash names").hex(), sealed)
    return re.sub(r"(?<=/)\d{15}(?=-)", time, sealed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["open", "name"])
    parser.add_argument("key_file", type=pathlib.Path)
    parser.add_argument("arguments", nargs="+")
    parser.add_argument("--passphrase-file", type=pathlib.Path, required=True)
    given = parser.parse_args()
    phrase = given.passphrase_file.read_text(encoding="utf-8").rstrip("\n")
    log, names_key, keys = open_key_file(given.key_file.read_bytes(), phrase)
    if given.command == "name":
        sys.exit(print("\n".join(plain_name(name, names_key) for name in given.arguments)))
    sys.stdout.buffer.write(open_object(pathlib.Path(given.arguments[0]).read_bytes(), given.arguments[1], log, keys))
