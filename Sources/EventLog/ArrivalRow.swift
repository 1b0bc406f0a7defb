import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

/// A row of the table of arrivals: when the events of one commit came, under the position of the first of them.
struct ArrivalRow: Hashable {
    let arrival: Arrival
    /// How many events came then, at least one.
    ///
    /// So a row is not taken for that of later events, where the page that has theirs is not what was written last.
    let count: UInt64

    init(_ arrival: Arrival, count: UInt64) {
        self.arrival = arrival
        self.count = count
    }

    init?(_ bytes: RawSpan) {
        guard bytes.byteCount > Self.fixedSize else { return nil }
        var reader = ByteReader(at: Self.fixedSize)
        guard let count = try? reader.varint(in: bytes), count > 0, reader.offset == bytes.byteCount else { return nil }
        self.count = count
        arrival = Arrival(
            wallMilliseconds: Int64(bitPattern: bytes.uint64(at: 0)),
            monotonicMilliseconds: Int64(bitPattern: bytes.uint64(at: 8)), boot: bytes.extracting(16..<32).toArray())
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: Self.fixedSize + 2)
        writer.append(littleEndian: arrival.wallMilliseconds)
        writer.append(littleEndian: arrival.monotonicMilliseconds)
        writer.append(contentsOf: arrival.boot)
        writer.append(varint: count)
        return writer.bytes
    }

    /// Bytes of all but the count.
    private static let fixedSize = 32
}

extension EventLog {
    /// Notes that the events of `positions` came at `arrival`; nothing where there are none.
    static func put(
        _ arrival: Arrival, of positions: Range<Position>, in transaction: borrowing WriteTransaction,
        _ tables: LogTables
    ) throws {
        if positions.isEmpty { return }
        let row = ArrivalRow(arrival, count: positions.upperBound - positions.lowerBound)
        try transaction.append(row.bytes.span.bytes, for: positions.lowerBound, in: tables.arrivals)
    }

    /// When this store got the event at `position`; `nil` where there is none.
    public func arrival(of position: Position) throws -> Arrival? {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            guard position >= 1, position < (try Self.state(in: transaction, tables.meta).nextPosition) else {
                return nil
            }
            let row = try transaction.withLast(atOrBefore: position, in: tables.arrivals) { key, value in
                (first: UInt64(keyBytes: key), row: ArrivalRow(value))
            }
            guard let first = row?.first, let row = row?.row, position - first < row.count else {
                throw EventLogError.damaged(LogTable.arrivals.row)
            }
            return row.arrival
        }
    }
}
