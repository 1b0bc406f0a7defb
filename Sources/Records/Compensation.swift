import GroundwaveEvents

/// What makes a record say what it would say without some of its events.
///
/// Both states are folds of the same history: one of all of it, one without the events that are taken back. So what the
/// taken-back events replaced needs no searching for: it stands in the second one.
///
/// - What the taken-back events wrote, and nothing newer stands on top of, goes.
/// - What they replaced comes back as heads, all of them: a conflict that they settled is one again.
/// - Of collections only their own additions go, and what they removed comes back.
/// - A record that they made is hidden, unless others wrote to it since: then it stays whole.
/// - What others wrote since stays; a record that they hid stays hidden, and keeps what it says.
public struct Compensation {
    /// The operations, for one event; none where nothing is left to take back.
    public private(set) var operations: [FieldOperation] = []
    /// Whether something of the taken-back events stays, because others have written on it since.
    public private(set) var isPartial = false

    private let isTakenBack: (EventID) -> Bool

    /// - Parameters:
    ///   - record: The record as it is.
    ///   - other: The record without the events; `nil` where nothing is left of it.
    ///   - isNew: Whether the events that are taken back made the record.
    ///   - isTakenBack: Whether an event is one of them.
    public init(of record: Record, to other: Record?, isNew: Bool, isTakenBack: @escaping (EventID) -> Bool) {
        self.isTakenBack = isTakenBack
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
            // What somebody else deleted since stays hidden, with what it says.
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
            restoreValue(field.key, field.heads.filter { !$0.isElement }, to: heads.filter { !$0.isElement })
            restoreElements(field.key, field.heads.filter(\.isElement), to: heads.filter(\.isElement))
        }
    }

    /// - Parameter other: The heads without the events, the one that is shown last.
    private mutating func restoreValue(_ field: FieldKey, _ heads: [Record.Head], to other: [Record.Head]) {
        let own = heads.filter { isTakenBack($0.id.event) }
        let kept = Set(heads.map(\.id))
        var lost = other.filter { !kept.contains($0.id) }
        guard !own.isEmpty else {
            // Others have replaced what was written here.
            if !lost.isEmpty { isPartial = true }
            return
        }
        // Reverting what was reverted already: a value in the place of the same value.
        if Set(own.map(\.value)) == Set(lost.map(\.value)) { return }
        var names = own.map(\.id)
        guard let shown = other.last else {
            operations.append(FieldOperation(.clear, field, supersedes: names))
            return
        }
        // What is put back is written now, and would show over what was written by others before. So where one of
        // theirs is to show, or alone is left, it is written again behind the others: a head is also what tells a later
        // undo that this was done here.
        if lost.isEmpty || kept.contains(shown.id) {
            names = heads.map(\.id)
            lost = other
        }
        // One event can write one clear of a field; several say the same. A value that is withheld cannot come back.
        var seen: Set<[UInt8]> = []
        let values = Array(lost.reversed().compactMap(\.value).filter { seen.insert($0).inserted }.reversed())
        let hasClear = lost.contains { $0.value == nil }
        if values.count + (hasClear ? 1 : 0) == 1 {
            let value = values.first
            return operations.append(
                FieldOperation(value == nil ? .clear : .set, field, supersedes: names, value: value))
        }
        if hasClear { operations.append(FieldOperation(.clear, field, supersedes: names)) }
        for (place, value) in values.enumerated() {
            let supersedes = place == 0 && !hasClear ? names : []
            operations.append(FieldOperation(.candidate, field, supersedes: supersedes, value: value))
        }
    }

    private mutating func restoreElements(_ field: FieldKey, _ heads: [Record.Head], to other: [Record.Head]) {
        let own = heads.filter { isTakenBack($0.id.event) }
        let kept = Set(heads.map(\.id))
        let lost = other.filter { !kept.contains($0.id) }
        let (here, wanted) = (Set(heads.map(\.value)), Set(lost.map(\.value)))
        let gone = own.filter { !wanted.contains($0.value) }
        if !gone.isEmpty { operations.append(FieldOperation(.remove, field, supersedes: gone.map(\.id))) }
        for value in lost.map(\.value) where !here.contains(value) {
            if let value { operations.append(FieldOperation(.add, field, value: value)) }
        }
    }

    /// Takes back the deletes: with what is written anyway, or else by showing the record again.
    private mutating func show(_ record: Record, _ deletions: [HeadID]) {
        if let place = operations.firstIndex(where: { $0.code != .remove }) {
            operations[place].supersedes += deletions
        } else {
            let life = record[.life]?.heads.map(\.id) ?? []
            operations.append(FieldOperation(.revive, .life, supersedes: life + deletions))
        }
    }
}

extension Record {
    /// Whether one of its values is of an event that `isAuthor` says yes to.
    fileprivate func hasValue(by isAuthor: (EventID) -> Bool) -> Bool {
        fields.contains { field in field.key != .life && field.heads.contains { isAuthor($0.id.event) } }
    }
}
