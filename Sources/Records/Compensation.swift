import GroundwaveEvents

/// The operations that make a record show what it would show without some of its events.
///
/// Both states are folds of the same history: one of all events, one without the reverted events. So what the
/// reverted events replaced needs no search: it is in the second state.
///
/// - What the reverted events wrote is removed, unless something newer has superseded it.
/// - What they replaced comes back as heads, all of them: a conflict that they resolved is a conflict again. What an
///   import source had written comes back in its name, so that it still yields to what a person writes.
/// - In a collection only their own additions are removed, and what they removed comes back.
/// - A record that they created is hidden, unless others have written to it since: then it stays complete.
/// - What others have written since stays; a record that others have hidden stays hidden, and keeps its values.
public struct Compensation {
    /// The operations in the name of the person who reverts, for one event.
    public private(set) var operations: [FieldOperation] = []
    /// The operations in the name of import sources, an event for each source.
    public private(set) var restored: [(writer: Writer, operations: [FieldOperation])] = []
    /// The heads whose values the operations write again.
    public private(set) var repeated: [Record.Head] = []

    /// In whose name values come back.
    public struct Writer: Hashable, Comparable, Sendable {
        /// The import source; `nil` for the person who reverts.
        let source: SourceID?
        let isTrusted: Bool

        /// An order, so that one revert writes its events in one order.
        public static func < (left: Self, right: Self) -> Bool {
            (left.source?.rawValue ?? 0, left.isTrusted ? 1 : 0) < (
                right.source?.rawValue ?? 0, right.isTrusted ? 1 : 0
            )
        }
    }
    /// Whether something of the reverted events stays, because others have written over it since.
    public private(set) var isPartial = false

    private let isTakenBack: (EventID) -> Bool

    /// Whether nothing is left to revert.
    public var isEmpty: Bool { operations.isEmpty && restored.isEmpty }

    /// Returns the changes that revert, for one batch; none if ``isEmpty``.
    ///
    /// - Parameter related: The records whose values ``repeated`` repeat.
    public func changes(of kind: String, _ record: RecordID, related: [RecordID]) -> [Change] {
        (operations.isEmpty ? [] : [Change(kind: kind, record: record, related: related, operations: operations)])
            + restored.map {
                Change(
                    kind: kind, record: record, source: $0.writer.source, isTrusted: $0.writer.isTrusted,
                    related: related, operations: $0.operations)
            }
    }

    /// Finds the operations for one record.
    ///
    /// - Parameters:
    ///   - record: The record with all events.
    ///   - other: The record without the reverted events; `nil` if nothing is left of it.
    ///   - isNew: Whether the reverted events created the record.
    ///   - isTakenBack: Whether an event is a reverted one.
    public init(of record: Record, to other: Record?, isNew: Bool, isTakenBack: @escaping (EventID) -> Bool) {
        self.isTakenBack = isTakenBack
        // Nothing comes back of what was erased, and an empty record is none.
        if record.isErased { return }
        let isLeft = other?.fields.contains { !$0.heads.isEmpty && $0.key != .life } ?? false
        if isNew, isLeft {
            isPartial = true
        } else if isNew || other?.isVisible != true {
            if record.isVisible {
                operations = [FieldOperation(.delete, .life, supersedes: record.coveredByDelete)]
            } else if !isNew {
                isPartial = record.hasValue(by: isTakenBack)
            }
        } else if let other {
            let deletions = record.deletions.filter { isTakenBack($0.event) }.map { HeadID($0.event) }
            // A record that others have deleted since stays hidden, with its values.
            if !record.isVisible, deletions.isEmpty {
                isPartial = record.hasValue(by: isTakenBack)
                return
            }
            restore(record, to: other)
            if !record.isVisible { show(record, deletions) }
        }
    }

    private mutating func restore(_ record: Record, to other: Record) {
        for field in record.fields where field.key != .life {
            let heads = other[field.key]?.heads ?? []
            restoreValue(of: field, field.heads.filter { !$0.isElement }, to: heads.filter { !$0.isElement })
            restoreElements(field.key, field.heads.filter(\.isElement), to: heads.filter(\.isElement))
        }
    }

    /// - Parameter other: The heads without the reverted events, with the shown head last.
    private mutating func restoreValue(of field: Record.Field, _ heads: [Record.Head], to other: [Record.Head]) {
        let own = heads.filter { isTakenBack($0.id.event) }
        let kept = Set(heads.map(\.id))
        var lost = other.filter { !kept.contains($0.id) }
        guard !own.isEmpty else {
            // Others have replaced what the reverted events wrote.
            if !lost.isEmpty { isPartial = true }
            return
        }
        // Already reverted: the restored values would equal the present ones.
        if Set(own.map(\.value)) == Set(lost.map(\.value)) { return }
        var names = own.map(\.id)
        guard let shown = other.last else {
            let source = field.policy == .sources ? own.last?.source ?? .undo : nil
            return write(
                [FieldOperation(.clear, field.key, supersedes: names)], by: Writer(source: source, isTrusted: false))
        }
        // Restored values are written now, and would be shown over earlier values of others. So if a value of others
        // is to be shown, or if only such values are left, it is written again after the rest. The new head also lets
        // a later undo detect that this revert was done. Of sources that spoke of the field at one time the first stamp
        // decides, which none of those has that are written again.
        if lost.isEmpty || kept.contains(shown.id) || field.policy == .sources && !shown.isDecision {
            names = heads.map(\.id)
            lost = other
        }
        let writers = Dictionary(grouping: lost) { Writer(source: $0.source, isTrusted: $0.isTrusted) }
        for (writer, heads) in writers.sorted(by: { $0.key < $1.key }) {
            var written = Self.operations(restoring: heads, field.key)
            written[0].supersedes = names
            names = []
            repeated += heads
            write(written, by: writer)
        }
    }

    private mutating func write(_ written: [FieldOperation], by writer: Writer) {
        if writer.source == nil {
            operations += written
        } else if let place = restored.firstIndex(where: { $0.writer == writer }) {
            restored[place].operations += written
        } else {
            restored.append((writer, written))
        }
    }

    /// Returns the operations that write the values of `heads` of one author again; at least one.
    private static func operations(restoring heads: [Record.Head], _ field: FieldKey) -> [FieldOperation] {
        // One event can write one clear of a field, which stands for all. A withheld value cannot be restored. Of persons the
        // last one is shown, of sources the first one.
        var seen: Set<[UInt8]> = []
        let sorted = heads.sorted(by: Record.Head.shows)
        let isOfPersons = heads[0].isDecision
        let ranked = (isOfPersons ? sorted.reversed() : sorted).filter {
            $0.value.map { seen.insert($0).inserted } ?? false
        }
        let valued = isOfPersons ? ranked.reversed() : ranked
        func set(_ code: OperationCode, _ head: Record.Head) -> FieldOperation {
            let since = isOfPersons ? nil : heads.filter { $0.value == head.value }.map(\.since).min()
            return FieldOperation(code, field, value: head.value, since: since)
        }
        let clears = heads.contains { $0.value == nil } ? [FieldOperation(.clear, field)] : []
        if clears.isEmpty, valued.count == 1 { return valued.map { set(.set, $0) } }
        return clears + valued.map { set(.candidate, $0) }
    }

    private mutating func restoreElements(_ field: FieldKey, _ heads: [Record.Head], to other: [Record.Head]) {
        let own = heads.filter { isTakenBack($0.id.event) }
        let kept = Set(heads.map(\.id))
        let lost = other.filter { !kept.contains($0.id) }
        let (here, wanted) = (Set(heads.map(\.value)), Set(lost.map(\.value)))
        let removed = own.filter { !wanted.contains($0.value) }
        if !removed.isEmpty { operations.append(FieldOperation(.remove, field, supersedes: removed.map(\.id))) }
        for value in lost.map(\.value) where !here.contains(value) {
            if let value { operations.append(FieldOperation(.add, field, value: value)) }
        }
        repeated += lost
    }

    /// Supersedes the deletes: in an operation that is written anyway, or else in one that revives the record.
    private mutating func show(_ record: Record, _ deletions: [HeadID]) {
        if let index = operations.firstIndex(where: { $0.code != .remove }) {
            operations[index].supersedes += deletions
        } else if !restored.isEmpty {
            restored[0].operations[0].supersedes += deletions
        } else {
            let life = record[.life]?.heads.map(\.id) ?? []
            operations.append(FieldOperation(.revive, .life, supersedes: life + deletions))
        }
    }
}

extension Record {
    /// Whether one of its values was written by an event for which `isAuthor` returns true.
    fileprivate func hasValue(by isAuthor: (EventID) -> Bool) -> Bool {
        fields.contains { field in field.key != .life && field.heads.contains { isAuthor($0.id.event) } }
    }
}
