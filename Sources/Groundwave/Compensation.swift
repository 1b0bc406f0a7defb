import Events
import Records

/// Finds the operations that take back what a batch did to one record, as far as nothing newer stands on top.
///
/// An undo writes heads of its own, and the step before it must find its work in them. So a head **stands for** those
/// that it put back: the head of an undo for the one that the undone write had replaced, and so on. Likewise a delete
/// that an undo wrote stands for the delete that the undone write had taken away. What stands for nothing, the clear
/// of a field that had been empty, is nobody's work and in nobody's way.
struct Compensation {
    let reader: BatchReader
    let kind: String
    let record: Record
    /// What is taken back.
    private let steps: [BatchContents.Step]
    private let events: Set<EventID>
    private let positions: ClosedRange<Position>

    /// - Parameter contents: A batch that touched `record`.
    init(of contents: BatchContents, on record: Record, _ reader: BatchReader) {
        self.reader = reader
        self.record = record
        kind = record.kind
        steps = contents.steps[.init(kind: record.kind, id: record.id)] ?? []
        events = Set(steps.map(\.event))
        positions = contents.batch.position...(contents.batch.position + UInt64(contents.batch.count) - 1)
    }

    /// The operations; none where nothing is left to take back.
    ///
    /// A record that the batch made is hidden, unless somebody touched it since: then it stays whole.
    func operations() throws -> [Operation] {
        let isNew = record.firstPosition >= positions.lowerBound
        if try isNew || !replacedDeletions(by: steps).isEmpty {
            guard record.isVisible, try !isTouchedSince() else { return [] }
            return [Operation(.delete, .life, supersedes: record.coveredByDelete)]
        }
        if steps.contains(where: { $0.change.operations.contains { $0.code == .delete } }) { return try showingAgain() }
        return record.isVisible ? try restoring(steps) : []
    }

    /// What takes back the batch's delete: where an undo hid the record instead of taking values back, these too.
    private func showingAgain() throws -> [Operation] {
        for deletion in record.deletions where try stands(deletion.event, for: events) {
            var operations: [Operation] = []
            if !events.contains(deletion.event), let origin = try reader.contents(with: deletion.event)?.origin,
                let hidden = try steps(of: origin)
            {
                operations = try Self(self, takingBack: hidden).restoring(hidden)
            }
            let name = HeadID(deletion.event)
            if let place = operations.firstIndex(where: { $0.code != .remove }) {
                operations[place].supersedes.append(name)
                return operations
            }
            let life = record[.life]?.heads.map(\.id) ?? []
            return operations + [Operation(.revive, .life, supersedes: life + [name])]
        }
        return []
    }

    private init(_ other: Self, takingBack steps: [BatchContents.Step]) {
        reader = other.reader
        kind = other.kind
        record = other.record
        positions = other.positions
        self.steps = steps
        events = Set(steps.map(\.event))
    }

    /// What gives each field the values that the batch replaced.
    private func restoring(_ steps: [BatchContents.Step]) throws -> [Operation] {
        var fields: [FieldKey] = []
        for step in steps {
            for operation in step.change.operations where operation.field != .life && !fields.contains(operation.field)
            {
                fields.append(operation.field)
            }
        }
        return try fields.flatMap { try restoringValue(of: $0) + restoringElements(of: $0) }
    }

    private func restoringValue(of field: FieldKey) throws -> [Operation] {
        let heads = record[field]?.heads.filter { !$0.isElement } ?? []
        let own = try heads.filter { try lineage(of: $0.id, field).contains { events.contains($0.event) } }.map(\.id)
        if own.isEmpty { return [] }
        let replaced = try self.replaced(by: steps, in: field)
        guard let first = replaced.first else { return [Operation(.clear, field, supersedes: own)] }
        if replaced.count == 1 {
            return [Operation(first.value == nil ? .clear : .set, field, supersedes: own, value: first.value)]
        }
        return replaced.enumerated().map { place, operation in
            let code: OperationCode = operation.value == nil ? .clear : .candidate
            return Operation(code, field, supersedes: place == 0 ? own : [], value: operation.value)
        }
    }

    private func restoringElements(of field: FieldKey) throws -> [Operation] {
        let live = try (record[field]?.heads.filter(\.isElement) ?? []).map { try lineage(of: $0.id, field) }
        let added = live.filter { $0.contains { events.contains($0.event) } }.map { $0[0] }
        let removed = try self.removed(by: steps, in: field).filter { dot in !live.contains { $0.contains(dot.name) } }
        return (added.isEmpty ? [] : [Operation(.remove, field, supersedes: added)])
            + removed.map { Operation(.add, field, value: $0.value) }
    }

    /// Whether any head was written later than the batch, by anything but what was taken back since.
    private func isTouchedSince() throws -> Bool {
        for field in record.fields {
            for head in field.heads where head.position > positions.upperBound {
                let line = try lineage(of: head.id, field.key)
                if line.contains(where: { events.contains($0.event) }) { continue }
                guard let root = line.last, try reader.contents(with: root.event)?.origin == nil else { continue }
                if try reader.position(of: root.event) ?? 0 > positions.upperBound { return true }
            }
        }
        return false
    }
}

// What stands for what.
extension Compensation {
    /// `head`, the head it put back, the one that this put back, and so on.
    private func lineage(of head: HeadID, _ field: FieldKey) throws -> [HeadID] {
        var line = [head]
        while let next = try putBack(by: line[line.count - 1], field) { line.append(next) }
        return line
    }

    /// The head that an undo put back by writing `head`; `nil` where it was no undo, or put back nothing.
    private func putBack(by head: HeadID, _ field: FieldKey) throws -> HeadID? {
        guard let contents = try reader.contents(with: head.event), let origin = contents.origin,
            var undone = try steps(of: origin),
            let own = contents.steps[name]?.first(where: { $0.event == head.event })?.change,
            let operation = own.operation(writing: head.index, field: field)
        else { return nil }
        // What took back a delete may have given back values too, which the undo that hid the record had left.
        for deletion in own.operations.flatMap(\.supersedes) where try reader.isDeletion(deletion.event) {
            if let origin = try reader.contents(with: deletion.event)?.origin { undone += try steps(of: origin) ?? [] }
        }
        if operation.code == .add {
            return try removed(by: undone, in: field).first { $0.value == operation.value }?.name
        }
        let place = own.operations.filter { $0.field == field && $0.code != .add && $0.code != .remove }
            .firstIndex(of: operation)
        let replaced = try self.replacedHeads(by: undone, in: field)
        return place.flatMap { $0 < replaced.count ? replaced[$0].name : nil }
    }

    /// Whether the delete `event` is one of `targets`, or stands for one.
    private func stands(_ event: EventID, for targets: Set<EventID>) throws -> Bool {
        if targets.contains(event) { return true }
        guard let origin = try reader.contents(with: event)?.origin, let undone = try steps(of: origin) else {
            return false
        }
        return try replacedDeletions(by: undone).contains { try stands($0, for: targets) }
    }

    private var name: WriteBatch.RecordName { .init(kind: kind, id: record.id) }

    private func steps(of event: EventID) throws -> [BatchContents.Step]? {
        try reader.contents(with: event)?.steps[name]
    }

    /// The deletes that `steps` took away, by showing the record again or by writing on it.
    private func replacedDeletions(by steps: [BatchContents.Step]) throws -> [EventID] {
        var deletions: [EventID] = []
        for step in steps {
            for operation in step.change.operations where operation.code != .delete {
                for head in operation.supersedes where !deletions.contains(head.event) {
                    if try reader.isDeletion(head.event) { deletions.append(head.event) }
                }
            }
        }
        return deletions
    }

    /// The operations that wrote what `steps` replaced in a field of one value: a clear first, then the others.
    private func replaced(by steps: [BatchContents.Step], in field: FieldKey) throws -> [Operation] {
        try replacedHeads(by: steps, in: field).map(\.operation)
    }

    private func replacedHeads(
        by steps: [BatchContents.Step], in field: FieldKey
    ) throws -> [(name: HeadID, operation: Operation)] {
        var heads: [(name: HeadID, operation: Operation)] = []
        for name in superseded(by: steps, in: field, where: { $0 != .add && $0 != .remove }) {
            guard let operation = try reader.operation(writing: name, field), operation.code != .add else { continue }
            heads.append((name, operation))
        }
        // One event can write one clear of a field only; several say the same.
        let cleared = heads.first { $0.operation.value == nil }
        return (cleared.map { [$0] } ?? []) + heads.filter { $0.operation.value != nil }
    }

    /// The elements that `steps` took out of a collection.
    private func removed(
        by steps: [BatchContents.Step], in field: FieldKey
    ) throws -> [(name: HeadID, value: [UInt8])] {
        try superseded(by: steps, in: field, where: { $0 == .remove }).compactMap { name in
            try reader.operation(writing: name, field)?.value.map { (name, $0) }
        }
    }

    /// The heads of others that `steps` name in a field.
    private func superseded(
        by steps: [BatchContents.Step], in field: FieldKey, where isIncluded: (OperationCode) -> Bool
    ) -> [HeadID] {
        let own = Set(steps.map(\.event))
        return steps.flatMap { $0.change.operations }.filter { $0.field == field && isIncluded($0.code) }
            .flatMap(\.supersedes).filter { !own.contains($0.event) }
    }
}
