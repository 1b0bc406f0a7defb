import ByteCoding
import Events
import LMDB

/// Which file of a log it is. Every rewrite draws another one; a commit changes nothing of it.
///
/// A rewrite may change or remove the content of any event: whatever was computed from events belongs to the generation
/// that they were read from, and ends with it. Positions, tokens and vectors belong to the epoch, and stay. A generation
/// is of one file: it is in no digest, nothing signs it, and it does not travel.
public struct LogGeneration: Hashable, Sendable {
    /// How many files this log has had, from 1. A log that is restored from another file goes on counting where it can.
    public let number: UInt64
    /// Random: two files that go on from one, as copies do, have two names.
    public let name: UInt64

    static let key = [UInt8]("generation".utf8)
    /// Bytes of a generation where it is kept: number (8), name (8).
    package static let byteCount = 16

    /// The generation of a file that takes the place of one of `previous`; of a new log where that is `nil`.
    init(after previous: LogGeneration?) {
        number = (previous?.number ?? 0) &+ 1
        // Not from the surroundings: a log that is rewritten twice from one seed is two files all the same.
        name = .random(in: 0 ... .max)
    }

    /// The generation that `bytes`, as many as ``byteCount``, hold from `offset` on.
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
    /// - Throws: ``EventLogError/damaged(_:)`` where the file does not say it.
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
