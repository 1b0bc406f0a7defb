import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRecords

/// Records of a kind in an order of their own, with the places of their rows, to be read again.
///
/// They are lent by the reader whose state the places are of: see ``ViewReader/withRecords(of:_:where:_:)``.
package struct FoundRecords: ~Copyable {
    fileprivate let kind: String
    fileprivate var records: [(position: Position, id: RecordID, place: Place?)] = []

    fileprivate mutating func append(_ id: RecordID, _ place: Place?, _ values: borrowing ShownValues) {
        records.append((values.firstPosition, id, place))
    }
}

extension ViewReader {
    /// Lends those records of `kind` for which `isAsked` returns `true` to `body`, in the order in which they were first
    /// written here.
    ///
    /// Memory: 40 bytes for each of them.
    package func withRecordsInOrder<Result>(
        of kind: String, where isAsked: (borrowing ShownValues) throws -> Bool,
        _ body: (borrowing FoundRecords) throws -> Result
    ) throws -> Result {
        var found = FoundRecords(kind: kind)
        try forEachRow(of: kind) { id, place, values in
            if try isAsked(values) { found.append(id, place, values) }
            return true
        }
        found.records.sort { ($0.position, $0.id) < ($1.position, $1.id) }
        return try body(found)
    }

    /// As ``withRecordsInOrder(of:where:_:)``, of the records with these ids alone, and in their order unless
    /// `isByPosition`.
    package func withRecords<Result>(
        of kind: String, _ ids: [RecordID], isByPosition: Bool, where isAsked: (borrowing ShownValues) throws -> Bool,
        _ body: (borrowing FoundRecords) throws -> Result
    ) throws -> Result {
        var found = FoundRecords(kind: kind)
        var values = shownValues(of: kind)
        var key = RecordKey.of(kind: kind, RecordID(high: 0, low: 0))
        for id in ids {
            RecordKey.change(&key, to: id)
            var place: Place?
            guard try read(id, of: kind, under: key, into: &values, &place), try isAsked(values) else { continue }
            found.append(id, place, values)
        }
        if isByPosition { found.records.sort { ($0.position, $0.id) < ($1.position, $1.id) } }
        return try body(found)
    }

    /// Yields the values that `found` show, in their order.
    ///
    /// - Complexity: Less than a microsecond for each, and no allocation, as long as `body` does not keep the values.
    package func forEachShown(
        in found: borrowing FoundRecords, _ body: (RecordID, borrowing ShownValues) throws -> Void
    ) throws {
        var values = shownValues(of: found.kind)
        var key = RecordKey.of(kind: found.kind, RecordID(high: 0, low: 0))
        var unused: Place?
        for index in found.records.indices {
            let ahead = index + Self.lead
            if ahead < found.records.count, let place = found.records[ahead].place { transaction.prefetch(at: place) }
            let (_, id, place) = found.records[index]
            RecordKey.change(&key, to: id)
            if let place {
                try transaction.withBytes(at: place) { try decode($0, under: key.span.bytes, into: &values.state) }
            } else {
                guard try read(id, of: found.kind, under: key, into: &values, &unused) else { continue }
            }
            try body(id, values)
        }
    }

    /// So many records before its turn, the row of one is asked for.
    private static let lead = 4
}
