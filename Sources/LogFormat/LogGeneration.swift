import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

/// The identity of a log's present file. Every rewrite draws a new one; commits do not change it.
///
/// A rewrite may change or remove the content of any event: everything computed from events belongs to the generation
/// that they were read from, and is invalid in the next one. Positions, tokens and vectors belong to the epoch, and
/// stay valid. The generation is local to one file: it is not part of a digest, not signed, and not sent to peers.
public struct LogGeneration: Hashable, Sendable {
    /// The number of files this log has had, from 1. A log that is restored from another file continues the count if
    /// it can.
    public let number: UInt64
    /// A random number: tells two copies apart that continue from the same file.
    public let name: UInt64

    package static let key = [UInt8]("generation".utf8)
    /// The size of a stored generation in bytes: number (8), name (8).
    package static let byteCount = 16

    /// The generation of a file that replaces one of generation `previous`; of a new log if that is `nil`.
    package init(after previous: LogGeneration?) {
        number = (previous?.number ?? 0) &+ 1
        // Not from the injected random source: a log that is rewritten twice with one seed must get two names.
        name = .random(in: 0 ... .max)
    }

    /// Reads the generation stored in `bytes` at `offset`, ``byteCount`` bytes long.
    package init(at offset: Int, of bytes: RawSpan) {
        number = bytes.uint64(at: offset)
        name = bytes.uint64(at: offset + 8)
    }

    package init?(_ row: RawSpan) {
        guard row.byteCount == Self.byteCount else { return nil }
        self.init(at: 0, of: row)
    }
}

extension ByteWriter {
    /// Appends a generation: number and name, 8 bytes each.
    package mutating func append(_ generation: LogGeneration) {
        append(littleEndian: generation.number)
        append(littleEndian: generation.name)
    }
}

/// The content of a log: the generation of its file, and the number of its late events.
///
/// Results computed from events belong to the content that they were read from, and are invalid for another one. If
/// only late events were added, the results can be updated: only the records that these events touch are recomputed.
public struct LogContent: Hashable, Sendable {
    /// The generation of the log's file.
    public let generation: LogGeneration
    /// The number of the latest late event; 0 for none.
    public let late: UInt64

    /// The size of a stored content in bytes: generation (16), late (8).
    package static let byteCount = LogGeneration.byteCount + 8

    /// Creates the content of `generation` with `late` late events.
    package init(generation: LogGeneration, late: UInt64) {
        (self.generation, self.late) = (generation, late)
    }

    /// Reads the content stored in `bytes` at `offset`, ``byteCount`` bytes long.
    package init(at offset: Int, of bytes: RawSpan) {
        generation = LogGeneration(at: offset, of: bytes)
        late = bytes.uint64(at: offset + LogGeneration.byteCount)
    }
}

extension ByteWriter {
    /// Appends a content: generation and number of late events.
    package mutating func append(_ content: LogContent) {
        append(content.generation)
        append(littleEndian: content.late)
    }
}
