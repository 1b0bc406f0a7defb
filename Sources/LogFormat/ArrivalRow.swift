import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

/// A row of the arrivals table: when the events of one commit arrived. Its key is the position of the first of them.
package struct ArrivalRow: Hashable {
    package let arrival: Arrival
    /// The number of events that arrived then, at least one.
    ///
    /// It guards against matching a stale row to newer events, if a page of the table is older than the rest of the
    /// file.
    package let count: UInt64

    package init(_ arrival: Arrival, count: UInt64) {
        self.arrival = arrival
        self.count = count
    }

    package init?(_ bytes: RawSpan) {
        guard bytes.byteCount > Self.fixedSize else { return nil }
        var reader = ByteReader(at: Self.fixedSize)
        guard let count = try? reader.varint(in: bytes), count > 0, reader.offset == bytes.byteCount else { return nil }
        self.count = count
        arrival = Arrival(
            wallMilliseconds: Int64(bitPattern: bytes.uint64(at: 0)),
            monotonicMilliseconds: Int64(bitPattern: bytes.uint64(at: 8)), boot: bytes.extracting(16..<32).toArray())
    }

    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: Self.fixedSize + 2)
        writer.append(littleEndian: arrival.wallMilliseconds)
        writer.append(littleEndian: arrival.monotonicMilliseconds)
        writer.append(contentsOf: arrival.boot)
        writer.append(varint: count)
        return writer.bytes
    }

    /// The size of all fields except the count, in bytes.
    private static let fixedSize = 32
}

extension LogTables {
    /// Stores that the events of `positions` arrived at `arrival`; nothing if `positions` is empty.
    package func put(
        _ arrival: Arrival, of positions: Range<Position>, in transaction: borrowing WriteTransaction
    ) throws {
        if positions.isEmpty { return }
        let row = ArrivalRow(arrival, count: positions.upperBound - positions.lowerBound)
        try transaction.append(row.bytes.span.bytes, for: positions.lowerBound, in: arrivals)
    }
}
