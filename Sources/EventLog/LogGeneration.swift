import ByteCoding
import Events
import LMDB

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

    static let key = [UInt8]("generation".utf8)
    /// The size of a stored generation in bytes: number (8), name (8).
    package static let byteCount = 16

    /// The generation of a file that replaces one of generation `previous`; of a new log if that is `nil`.
    init(after previous: LogGeneration?) {
        number = (previous?.number ?? 0) &+ 1
        // Not from the injected random source: a log that is rewritten twice with one seed must get two names.
        name = .random(in: 0 ... .max)
    }

    /// Reads the generation stored in `bytes` at `offset`, ``byteCount`` bytes long.
    package init(at offset: Int, of bytes: RawSpan) {
        number = bytes.uint64(at: offset)
        name = bytes.uint64(at: offset + 8)
    }

    init?(_ row: RawSpan) {
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

extension EventLog {
    /// The generation of the file that is at the path now. Cost: a look-up, about 1 us.
    ///
    /// - Throws: ``EventLogError/damaged(_:)`` if the row is missing or malformed.
    public func generation() throws -> LogGeneration {
        try read { transaction in
            try Self.generation(in: transaction, CheckedTable<[UInt8]>(.meta, in: transaction))
        }
    }

    static func generation(
        in transaction: borrowing some Reading & ~Copyable, _ meta: CheckedTable<[UInt8]>
    ) throws -> LogGeneration {
        guard let row = try transaction.withValue(LogGeneration.key, in: meta, { LogGeneration($0) }) ?? nil else {
            throw EventLogError.damaged("the generation of the log")
        }
        return row
    }
}
