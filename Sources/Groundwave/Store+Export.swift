import ADIF
import Events
import Foundation
import Projections
import Radio
import Records

extension Store {
    /// Hands out the contacts of `query` in the order in which they were first written down here: the order of an
    /// export, the same every time.
    ///
    /// Memory: 24 bytes a contact; the records are read one by one.
    public func forEachContactInOrder(_ query: ContactQuery, _ body: (Record) throws -> Void) throws {
        try read { view in
            var order: [(position: Position, id: RecordID)] = []
            try view.forEachContact(query) { record in
                order.append((record.firstPosition, record.id))
                return true
            }
            order.sort { ($0.position, $0.id) < ($1.position, $1.id) }
            for (_, id) in order {
                if let record = try view.record(QSOKind.name, id) { try body(record) }
            }
        }
    }

    /// Writes the contacts of `query` as ADI: a header of ours, then the fields of each as they came.
    ///
    /// - Parameters:
    ///   - created: The moment that the header says, in seconds since 1970.
    ///   - sink: Takes the bytes piece by piece.
    /// - Returns: How many contacts were written.
    public func exportADI(
        _ query: ContactQuery, created: Int64, to sink: ([UInt8]) throws -> Void
    ) throws -> Int {
        var bytes: [UInt8] = []
        var count = 0
        ADIWriter.append(
            ADIWriter.makeHeader(programVersion: Groundwave.version, createdTimestamp: created), to: &bytes)
        try forEachContactInOrder(query) { record in
            var fields = ADIFFields()
            for (name, value) in record.adifFields { fields.append(name, value: value) }
            ADIWriter.append(fields, to: &bytes)
            count += 1
            if bytes.count > 1 << 18 {
                try sink(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        try sink(bytes)
        return count
    }
}

/// What this library is.
public enum Groundwave {
    /// The version of library and program.
    public static let version = "0.1.0"
}
