import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

/// The tables of late events, opened only when needed.
package struct LateTables {
    package let late: CheckedTable<UInt64>
    package let filled: CheckedTable<UInt64>

    package init(in transaction: borrowing some ReadableTransaction & ~Copyable) throws {
        late = try CheckedTable(.late, in: transaction)
        filled = try CheckedTable(.filled, in: transaction)
    }
}

/// A row of `late`: the position (8), then the frame that is valid there.
package enum LateRow {
    /// The offset of the frame in a row.
    package static let frameOffset = 8

    /// Passes the content of a row to `body`: the position, and the frame that is valid there.
    package static func withFrame<Result>(
        in row: RawSpan, _ body: (_ position: Position, _ bytes: RawSpan) throws -> Result
    ) throws -> Result {
        guard row.byteCount > frameOffset else { throw EventLogError.damaged(LogTable.late.row) }
        return try body(row.uint64(at: 0), row.extracting(frameOffset..<row.byteCount))
    }

    /// Parses a row of `filled`: the arrival number of a late event.
    package static func number(_ row: RawSpan) throws -> UInt64 {
        guard row.byteCount == 8 else { throw EventLogError.damaged(LogTable.filled.row) }
        return row.uint64(at: 0)
    }
}
