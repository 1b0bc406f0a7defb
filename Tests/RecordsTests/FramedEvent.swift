import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers

/// One event as its bytes: what a log holds and a peer sends.
struct FramedEvent {
    let id: EventID
    let stamp: Stamp
    let bytes: [UInt8]

    /// Frames `change` as an author does: draft, then frame.
    init(_ id: EventID, at stamp: Stamp, _ change: Change, note: AuditNote = AuditNote(), nonce: UInt64 = 0) {
        var generator = SeededGenerator(seed: nonce)
        var draft = DraftBatch()
        draft.append(change, by: id.replica, note: note, using: &generator)
        self = draft.withEvent(at: 0) { shape, values in Self(id, at: stamp, shape: shape, values: values) }
    }

    /// Frames any shape and values, well formed or not.
    init(_ id: EventID, at stamp: Stamp, shape: RawSpan, values: RawSpan, isWithheld: Bool = false) {
        self.id = id
        self.stamp = stamp
        var writer = ByteWriter()
        writer.append(
            frame: EventHeader(id: id, stamp: stamp, rest: 0), shape: shape, values: values, isWithheld: isWithheld,
            after: 0)
        bytes = writer.bytes
    }

    /// The same event after its values were withheld: their hash stands in their place.
    func withheld() throws -> FramedEvent {
        try bytes.withSpan { bytes in
            let frame = try Frame(verifying: bytes)
            var hash = ByteWriter()
            hash.append(Hash256(hashing: bytes.extracting(frame.values)))
            return FramedEvent(
                id, at: stamp, shape: bytes.extracting(frame.shape), values: hash.bytes.span.bytes, isWithheld: true)
        }
    }

    /// Reads the whole change back.
    func change() throws -> Change {
        try bytes.withSpan { bytes in
            let frame = try Frame(verifying: bytes)
            return try Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                isWithheld: frame.isWithheld, by: frame.names(in: bytes))
        }
    }
}
