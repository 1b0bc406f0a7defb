import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

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
        in transaction: borrowing some ReadableTransaction & ~Copyable, _ meta: CheckedTable<[UInt8]>
    ) throws -> LogGeneration {
        guard let row = try transaction.withValue(LogGeneration.key, in: meta, { LogGeneration($0) }) ?? nil else {
            throw EventLogError.damaged("the generation of the log")
        }
        return row
    }

    /// Returns the present content of the log: it changes with every rewrite and every late event, and not with
    /// appends.
    ///
    /// Cost: two look-ups, about 1 us.
    ///
    /// - Throws: ``EventLogError/damaged(_:)`` if a row is missing or malformed.
    public func content() throws -> LogContent {
        try read { transaction in
            try Self.content(in: transaction, CheckedTable<[UInt8]>(.meta, in: transaction))
        }
    }

    static func content(
        in transaction: borrowing some ReadableTransaction & ~Copyable, _ meta: CheckedTable<[UInt8]>
    ) throws -> LogContent {
        LogContent(
            generation: try generation(in: transaction, meta),
            late: try lastLate(in: transaction, CheckedTable<UInt64>(.late, in: transaction)))
    }
}
