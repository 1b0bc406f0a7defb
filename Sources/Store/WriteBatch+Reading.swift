import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

// A batch sees what it has collected: its changes are folded on top of the stored state, as the views will fold them.
extension WriteBatch {
    /// Returns a record as it will be if the batch is written now; `nil` if there is none.
    ///
    /// The heads that this batch writes have provisional names, positions behind the last event, and the greatest stamp: do
    /// not keep them. They may be superseded in this batch only.
    ///
    /// - Throws: An error of reading, which `write` throws as a ``StoreError``: let it pass.
    /// - Complexity: A look-up, and the changes that this batch makes to the record.
    public mutating func record(_ kind: String, _ id: RecordID) throws -> Record? {
        let name = RecordName(kind: kind, id: id)
        touch(name)
        let own = changes(of: name)
        if own.isEmpty { return try views.read { try $0.record(kind, id) } }
        return try views.read { view in
            var (state, names) = (try view.state(of: kind, id) ?? RecordState(), view.names)
            // Only for nonces, which nothing shows.
            var generator = generator
            for (index, change) in own {
                try state.fold(
                    change, of: id, as: event(index), position: view.position + 1 + Position(index), &names, &generator)
            }
            return Record(kind: kind, id: id, state: state, names: names, schema: try view.schema(of: kind))
        }
    }

    /// Adds to operations that were composed by an older view of a record the heads that this batch has written since: an
    /// author has seen what the same batch says.
    mutating func supersedeOwnHeads(by operations: [FieldOperation], of name: RecordName) throws -> [FieldOperation] {
        guard !changes(of: name).isEmpty, let record = try record(name.kind, name.id) else { return operations }
        return operations.map { operation in
            guard operation.code == .set || operation.code == .clear else { return operation }
            var operation = operation
            operation.supersedes += record.superseded(by: operation.field).filter {
                ProvisionalEvent.isName(of: $0.event) && !operation.supersedes.contains($0)
            }
            return operation
        }
    }

    /// Throws if `change`, the next one of this batch, supersedes what another batch was about to write.
    func checkHeads(of change: Change) throws {
        let event = event(changeCount)
        for head in change.operations.lazy.flatMap(\.supersedes)
        where ProvisionalEvent.isName(of: head.event) && event.distance(to: head.event) == nil {
            throw StoreError(
                .usage, "This refers to a \(change.kind) as another batch saw it before it was written.",
                hint: "Read the record again.")
        }
    }
}

extension RecordState {
    /// Folds a change that was not appended yet.
    fileprivate mutating func fold(
        _ change: Change, of record: RecordID, as event: ProvisionalEvent, position: Position, _ names: inout Names,
        _ generator: inout Surroundings.Generator
    ) throws {
        var draft = DraftBatch()
        draft.append(change, by: event.id.replica, as: event, using: &generator)
        try draft.withEvent(at: 0) { shape, values in
            var reader = try ChangeReader(shape: shape, isWithheld: false, by: WrittenNames(of: event.id))
            try reader.skipNote(in: values)
            try fold(
                &reader, of: record, shape: shape, values: values, event: event.id, stamp: Stamp(rawValue: .max),
                position: position, names: &names)
        }
    }
}
