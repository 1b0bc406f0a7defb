import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// What a batch changes in what records show, as opposed to what its author wrote.
enum StandingChanges {
    /// A record that some events touch.
    struct Touched {
        let kind: String
        let record: RecordID
        /// The first of the events.
        let event: EventID
        let isImported: Bool
    }

    /// Returns the records that the events at `positions` touch, each once, in the order of their first events. Those that
    /// an erasure names beside its own record are among them; those that only samples were added to are not.
    static func touched(by positions: ClosedRange<Position>, in log: EventLog) throws -> [Touched] {
        var found: [Touched] = []
        var known: Set<WriteBatch.RecordName> = []
        for position in positions {
            _ = try log.withEvent(at: position) { frame, bytes in
                for touched in self.touched(by: frame, bytes)
                where known.insert(.init(kind: touched.kind, id: touched.record)).inserted {
                    found.append(touched)
                }
            }
        }
        return found
    }

    /// Returns the records with events whose stamps count differently since `declaring` has changed which clocks are
    /// declared as wrong, but for those in `others`, in the order of their first such events.
    static func restamped(
        from before: ClockDeclarations, to after: ClockDeclarations, by declaring: Touched, besides others: [Touched],
        in log: EventLog
    ) throws -> [Touched] {
        var found: [Touched] = []
        var known = Set(others.map { WriteBatch.RecordName(kind: $0.kind, id: $0.record) })
        for range in try log.events(stampedFrom: after.differences(from: before)) {
            try log.scan(range) { _, frame, bytes in
                for touched in self.touched(by: frame, bytes)
                where known.insert(.init(kind: touched.kind, id: touched.record)).inserted {
                    found.append(
                        Touched(
                            kind: touched.kind, record: touched.record, event: declaring.event, isImported: false))
                }
                return true
            }
        }
        return found
    }

    /// Returns the records that an event touches; none if it cannot be read, or adds to a series.
    private static func touched(by frame: Frame, _ bytes: RawSpan) -> [Touched] {
        let shape = bytes.extracting(frame.shape)
        guard !frame.isLost,
            let reader = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes)),
            reader.block == nil
        else { return [] }
        let kind = String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self)
        return ([reader.record] + reader.related(in: shape)).map {
            Touched(kind: kind, record: $0, event: frame.id, isImported: reader.source != nil)
        }
    }

    /// Returns the change of one record; `nil` if it shows the same as before.
    static func change(
        _ touched: Touched, from before: Record?, to after: Record?, _ store: Store
    ) throws -> ChangeSet.RecordChange? {
        let schema = try store.views.schema(of: touched.kind)
        let standings = (before: standing(of: before), after: standing(of: after))
        // An erasure also names ids that no record has had.
        if standings == (.absent, .erased) { return nil }
        var fields: [AuditEntry.FieldChange] = []
        if let operation = operation(from: standings.before, to: standings.after) {
            fields.append(
                .init(field: "", before: nil, after: nil, operation: operation, withheld: nil, withheldBefore: nil))
        }
        if standings.after != .erased {
            let old = try Self.fields(of: before, schema, store.log)
            let new = try Self.fields(of: after, schema, store.log)
            for name in new.names + old.names.filter({ new[$0] == nil }) where old[name] != new[name] {
                let (was, now) = (old[name], new[name])
                fields.append(
                    .init(
                        field: name, before: was?.value, after: now?.value,
                        operation: now == nil ? .clear : .set, withheld: now?.withheld, withheldBefore: was?.withheld))
            }
        }
        let conflicts = conflicts(in: after, schema)
        let changed = conflicts.symmetricDifference(Self.conflicts(in: before, schema))
        if fields.isEmpty && changed.isEmpty && standings.before == standings.after { return nil }
        return ChangeSet.RecordChange(
            event: touched.event, kind: touched.kind, record: touched.record, isImported: touched.isImported,
            before: standings.before, after: standings.after, fields: fields, conflicts: conflicts,
            changedConflicts: changed)
    }

    private static func standing(of record: Record?) -> ChangeSet.Standing {
        guard let record else { return .absent }
        return record.isErased ? .erased : record.isVisible ? .shown : record.deletions.isEmpty ? .absent : .hidden
    }

    /// What happened to a whole record; `nil` if it stands as before, or is new.
    private static func operation(
        from before: ChangeSet.Standing, to after: ChangeSet.Standing
    ) -> OperationCode? {
        if before == after { return nil }
        switch after {
        case .erased: return .erase
        case .hidden: return .delete
        case .shown: return before == .hidden ? .revive : nil
        case .absent: return nil
        }
    }

    private static func conflicts(in record: Record?, _ schema: KindSchema?) -> Set<String> {
        Set((record?.fields ?? []).filter(\.isConflict).map { schema?.name(of: $0.key) ?? $0.key.plainName })
    }

    /// What a field shows.
    private struct Shown: Equatable {
        var value: [UInt8]?
        var withheld: Withholding?
    }

    /// The fields of a record in order, by name.
    private struct Fields {
        var names: [String] = []
        private var shown: [String: Shown] = [:]

        subscript(name: String) -> Shown? { shown[name] }

        mutating func add(_ name: String, _ field: Shown) {
            if shown.updateValue(field, forKey: name) == nil { names.append(name) }
        }
    }

    private static func fields(of record: Record?, _ schema: KindSchema?, _ log: EventLog) throws -> Fields {
        var fields = Fields()
        guard let record else { return fields }
        for field in record.fields where field.shown.isWithheld {
            let withheld = try log.withholding(of: field.shown.id.event)
            let members = schema?.members(of: field.key) ?? []
            let name = schema?.name(of: field.key) ?? field.key.plainName
            for name in members.isEmpty ? [name] : members { fields.add(name, Shown(withheld: withheld)) }
        }
        if let schema {
            for (name, value) in schema.values(of: record) { fields.add(name, Shown(value: value)) }
        } else {
            for field in record.fields {
                if let value = field.value { fields.add(field.key.plainName, Shown(value: value)) }
            }
        }
        return fields
    }
}
