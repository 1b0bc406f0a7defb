import GroundwaveEvents

/// A projection: tables that an application makes of what records show, kept up to date with every change, wherever it came
/// from.
///
/// Each record gives rows and sums, as it stands: shown or hidden, with the values that are shown and those that are
/// withheld. Rows lie in order of their keys, those of different records beside each other: a first, a last or a best is
/// read from the rows of its key. Sums under one key are added up over all records, and taken back when a record no
/// longer gives them.
///
/// ```swift
/// enum WorkedStates: Projection {
///     static let name = "worked-states"
///     static let kinds = ["qso"]
///     static func project(_ kind: String, _ id: RecordID, _ record: borrowing ShownValues, into rows: inout ProjectedRows) {
///         guard record.isVisible, let state = record.text("STATE") else { return }
///         rows.add([.text(state)])
///         rows.add(sums: [1], to: [.text(state)])
///     }
/// }
/// ```
///
/// The tables lie in the views. They are rebuilt with them, can be read as of a past point, are compared by
/// ``Store/compareWithReplay()``, and never leave this device. A program that is opened without the projection leaves its
/// tables behind; the next one that has it brings them up to date.
public protocol Projection: Sendable {
    /// The name, by which it is read: at most 64 bytes.
    static var name: String { get }
    /// Increased when ``project(_:_:_:into:)`` makes other rows of the same record: the tables are then built anew. 1
    /// if not declared.
    static var version: UInt32 { get }
    /// The kinds of the records that it is made of.
    static var kinds: [String] { get }

    /// Adds the rows of one record, which was not erased.
    ///
    /// Called for every change of a record, on any thread, and again for the state before the change; it must depend on
    /// nothing but its parameters. It sees nothing of the order in which events arrived, so the tables are the same on every
    /// device with the same events.
    static func project(
        _ kind: String, _ id: RecordID, _ record: borrowing ShownValues, into rows: inout ProjectedRows)
}

extension Projection {
    /// 1.
    public static var version: UInt32 { 1 }
}

/// The rows that one record gives to a ``Projection``.
public struct ProjectedRows: Sendable {
    var entries: IndexEntries

    init(_ entries: consuming IndexEntries) { self.entries = entries }

    /// The number of the table of rows of a projection. That of its sums is ``IndexEntries/sums``.
    package static let table: UInt8 = 1

    /// Adds a row of this record. Of two rows with one key, the later one counts.
    ///
    /// - Parameters:
    ///   - key: At most 400 bytes are used: see ``ProjectionKey``.
    ///   - value: At most 1,000 bytes are kept.
    public mutating func add(_ key: ProjectionKey, value: [UInt8] = []) {
        // Behind its values, a key ends with 0, so that it lies before those that begin with the same values.
        entries.add(key.bytes + [0], value, to: Self.table)
    }

    /// Adds numbers to the sums under `key`, place by place. They wrap around instead of overflowing.
    ///
    /// - Parameter sums: At most 125 numbers are used.
    public mutating func add(sums: [Int64], to key: ProjectionKey) {
        let sums = Sums(sums)
        if !sums.numbers.isEmpty { entries.add(key.bytes, sums.bytes, to: IndexEntries.sums) }
    }
}
