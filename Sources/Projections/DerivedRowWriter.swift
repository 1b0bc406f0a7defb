import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords

/// Writes the rows that derivations make of records: removes old ones at once, and collects new ones, to be written in order
/// of their keys.
struct DerivedRowWriter {
    private var new = RowList()

    /// Collects the rows of a record that had none before.
    mutating func add(_ rows: IndexEntries, of derivation: UInt16, _ record: RecordID) {
        new.append(rows, of: derivation, record)
    }

    /// Collects rows that were made elsewhere.
    mutating func add(_ range: Range<Int>, of other: RowList) { new.append(range, of: other) }

    /// Replaces the rows `before` of a record by `after`.
    mutating func replace(
        _ before: IndexEntries, by after: IndexEntries, of derivation: UInt16, _ record: RecordID,
        _ rows: inout RowWriter, _ transaction: borrowing WriteTransaction
    ) throws {
        if before.isEmpty { return add(after, of: derivation, record) }
        if before.isSame(as: after) { return }
        try before.forEach { index, key, value in
            if index == IndexEntries.sums {
                let taken = Sums(value).negated.bytes
                return new.append(key, taken.span.bytes, to: index, of: derivation, record)
            }
            if after.contains(index, key, value) { return }
            try rows.removeDerived(DerivedKey.of(derivation, index, key, record), transaction)
        }
        after.forEach { index, key, value in
            if index != IndexEntries.sums, before.contains(index, key, value) { return }
            new.append(key, value, to: index, of: derivation, record)
        }
    }

    /// Writes the collected rows.
    ///
    /// - Parameter isEmpty: Whether the table had no rows: then they are appended.
    mutating func finish(
        isEmpty: Bool, _ rows: inout RowWriter, _ transaction: borrowing WriteTransaction
    ) throws {
        var pending: (key: [UInt8], sums: Sums)?
        try new.forEachInOrder { key, value in
            if let sums = pending, sums.key != key {
                try rows.add(sums.sums, for: sums.key, isLast: isEmpty, transaction)
                pending = nil
            }
            guard key[2] == IndexEntries.sums else {
                return try rows.addDerived(value, for: key, isLast: isEmpty, transaction)
            }
            pending = (key, pending?.sums.adding(Sums(value)) ?? Sums(value))
        }
        if let pending { try rows.add(pending.sums, for: pending.key, isLast: isEmpty, transaction) }
        new.removeAll()
    }
}
