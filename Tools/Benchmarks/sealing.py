"""Sealing: a transfer through a folder against the same one open, the keys of a log, a roster of many devices."""

from programs import Runs, engine, figure
from rows import Bench


def measure(bench: Bench) -> None:
    row = bench.table("sealing")
    events = bench.scale(10_000, 1_000)

    def transfer(kind: str) -> Runs:
        return Runs(lambda: engine("seal-transfer", bench.folder / f"seal-{kind}", events, kind))

    sealed, plain = transfer("sealed"), transfer("open")
    row(
        "sealing: a push and a pull of 10,000 events", "ms", "at most 1.1", sealed.reading(), plain.reading(), "open",
    )
    row(
        "sealing: bytes of these", "bytes", "at most 1.03", sealed.reading("bytes"), plain.reading("bytes"), "open",
    )
    keys = Runs(lambda: engine("seal-keys", 20))
    row("sealing: the key of an epoch, by the last of 20 devices", "ms", "under 5", keys.reading())
    row("sealing: the key of a passphrase", "ms", "about 500", keys.reading("passphrase"))
    row(
        "sealing: what a roster of 100 devices costs an idle pass", "ms", "under 10",
        lambda: figure(engine("seal-roster", bench.folder / "seal-roster", 100)),
    )
