import GroundwaveADIF
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// Compares the records of a file with the stored contacts, and determines the changes that the file brings.
///
/// A record is matched by an equal service id, else by its key: the n-th occurrence in the file is the n-th contact
/// with that key. For a known contact, only values that the *file* has changed are written, each beside those of persons and
/// other sources: which one is shown is decided where it is read (``MergePolicy/sources``).
///
/// | the file's value of a field | becomes |
/// |---|---|
/// | equals the last assertion of this source, and no head of it says something else | nothing |
/// | says no more than the source's own value, or if there is none, than what is shown (``Fineness``) | an assertion |
/// | else | the source's own value, since when its first one was there |
///
/// An export of this program asserts nothing: what it says is news only where the contact has never had that value.
///
/// A frequency, mode, time or position is compared part by part: parts that are missing or coarser in the file are kept. A
/// hidden contact stays hidden, unless an undo hid it: importing the
/// file again restores what an undone import had brought. An erased contact stays erased, whatever program wrote the file
/// (``ContactIDs``).
public struct ImportComparison {
    /// The result for a record of the file.
    package enum Outcome: Sendable {
        /// A contact that was not stored yet.
        case new(NewContact)
        /// A contact that is restored after an undo.
        case restored(Change)
        /// A stored contact, whose record in the file has changed.
        case updated(Change)
        /// A stored contact, for which the file contains nothing new.
        case unchanged
        /// As ``unchanged``, but the source has not said this before: it is stored, and nothing else is shown.
        case asserted(Change)
        /// A contact that is hidden here, and stays hidden.
        case hidden
        /// A contact that was erased here, and stays so. The id is the contact's own, or one that was erased with it.
        case erased(RecordID)
    }

    /// The result for the value of a field, where a file has another one than the stored contact showed.
    public enum FieldOutcome: String, CaseIterable, Hashable, Sendable {
        /// The contact had none.
        case filled
        /// It says more than the former one: a time with seconds.
        case refined
        /// It replaces a former one that said something else.
        case corrected
        /// The stored value says more, and is still shown: also where the file has none.
        case kept
        /// It says something else than the stored value, which is still shown.
        case contradicted
    }

    /// The result for each field and member of the last record whose values are others than the contact showed, in the order of the file.
    private(set) package var fieldOutcomes: [(field: String, outcome: FieldOutcome)] = []

    /// Returns the values that a field of a contact has ever had.
    package typealias FormerValues = (RecordID, FieldKey) throws -> [[UInt8]]

    let source: SourceID
    private let isTrusted: Bool
    let ids: ContactIDs
    private let session: RecordID?
    private let undos: EventSet
    private let again: RecordID?
    private let formerValues: FormerValues?
    /// Whether any contact was erased here.
    package var hasErased = false
    /// The number of records with each key in the file so far; keys with different stations are counted separately.
    private var occurrences: [ContactKey: Int] = [:]
    /// The contacts that records of the file were matched to.
    private(set) var met: Set<RecordID> = []
    /// What the last records have added to the two properties above: those that may have to be compared again.
    private var latest: [(key: ContactKey, id: RecordID)] = []

    /// Creates a comparison with the earlier assertions of `source`.
    ///
    /// - Parameters:
    ///   - isTrusted: Whether what the file says counts as what a person says.
    ///   - ids: The ids of imported contacts in this log.
    ///   - undos: The events that undid other events.
    ///   - again: A random id, if contacts that were erased here are to be taken in as new ones, with ids made from it.
    ///   - formerValues: Given if the file is an export of this program.
    package init(
        source: SourceID, isTrusted: Bool = false, ids: ContactIDs, session: RecordID? = nil,
        undos: EventSet = EventSet(), again: RecordID? = nil, formerValues: FormerValues? = nil
    ) {
        self.ids = ids
        self.isTrusted = isTrusted
        self.undos = undos
        self.again = again
        self.formerValues = formerValues
        self.source = source
        self.session = session
    }

    /// The contact that the last record was matched to, stored or new; `nil` before the first one.
    package var lastContact: RecordID? { latest.last?.id }

    /// The number of records that were compared since the last call of ``keep(_:)``.
    package var count: Int { latest.count }

    /// Forgets the records after the first `count` of those that may have to be compared again, which will be: the views
    /// were found damaged, or show something else by now.
    package mutating func forget(after count: Int) {
        for (key, id) in latest[count...] {
            occurrences[key, default: 1] -= 1
            met.remove(id)
        }
        latest.removeSubrange(count...)
    }

    /// Keeps the matches of the first `count` records, which will not be compared again.
    package mutating func keep(_ count: Int) { latest.removeFirst(count) }

    /// Compares the next record of the file, which has a call. Costs reading the row of a contact that an import made with
    /// the same key and nobody else has, and for any other record also an index look-up.
    ///
    /// - Parameter contact: Room for a contact of `view`, used again for each record.
    package mutating func compare(
        _ imported: ImportedRecord, in view: borrowing ViewReader, _ contact: inout ShownValues
    ) throws -> Outcome {
        fieldOutcomes.removeAll(keepingCapacity: true)
        let occurrence = occurrences[imported.key, default: 0]
        var id = freeID(imported.key, occurrence)
        var isThere = try view.read(id, of: QSOKind.name, into: &contact)
        // No other contact is preferred to the first one that an import made with this key: none is looked for.
        if occurrence > 0 || !isThere || !isFirst(contact, of: imported) {
            if let found = try find(imported, in: view, &contact) {
                (id, isThere) = (found, true)
            } else if isThere {
                _ = try view.read(id, of: QSOKind.name, into: &contact)
            }
        }
        let erased =
            try isThere ? (contact.state.isErased ? id : nil) : erasedID(imported.key, occurrence, in: view)
        if erased != nil, let again { (id, isThere) = (ContactIDs.id(id, again: again), false) }
        occurrences[imported.key] = occurrence + 1
        met.insert(id)
        latest.append((imported.key, id))
        if let erased, again == nil { return .erased(erased) }
        func change(_ operations: [FieldOperation]) -> Change {
            Change(kind: QSOKind.name, record: id, source: source, isTrusted: isTrusted, operations: operations)
        }
        guard isThere else {
            return .new(
                NewContact(
                    id, imported, occurrence: occurrence, session: session, source: source, isTrusted: isTrusted))
        }
        if contact.isVisible, saysNothingNew(imported, contact) { return .unchanged }
        let record = contact.record(QSOKind.name, id)
        let (operations, isUpdate) = try news(in: imported, record, contact)
        guard record.isVisible else {
            guard !record.deletions.isEmpty, record.deletions.allSatisfy({ undos.contains($0.event) }) else {
                return .hidden
            }
            let show = FieldOperation(.revive, .life, supersedes: record.superseded(by: .life))
            return .restored(change([show] + operations))
        }
        if operations.isEmpty { return .unchanged }
        return isUpdate ? .updated(change(operations)) : .asserted(change(operations))
    }

    private func value(of record: Record, after operation: FieldOperation) -> [UInt8]? {
        record.value(after: operation, by: source, isTrusted: isTrusted, schema: QSOKind.schema)
    }

    /// Whether a contact shows, byte by byte, what the file says, and the source has said it before or says nothing
    /// (an export of this program): the most frequent case, of which no ``Record`` is made. Never if the file has lists.
    private func saysNothingNew(_ imported: ImportedRecord, _ contact: borrowing ShownValues) -> Bool {
        let isSaid =
            formerValues != nil
            || contact.names.knownOrdinal(of: source).map { contact.state.isWritten(onlyBy: $0) } ?? false
        guard isSaid, imported.collections.isEmpty else { return false }
        let bytes = imported.bytes
        for value in imported.values {
            let known = value.number > 0 ? value.number : contact.names.knownOrdinal(of: imported.key(of: value))
            guard let known, contact.shows(bytes.span.bytes.extracting(value.range), in: known) else { return false }
        }
        return true
    }

    private mutating func news(
        in imported: ImportedRecord, _ record: Record, _ contact: borrowing ShownValues
    ) throws -> (operations: [FieldOperation], isUpdate: Bool) {
        let source = contact.names.knownOrdinal(of: source) ?? 0
        var operations: [FieldOperation] = []
        for value in imported.values {
            let (key, value) = (imported.key(of: value), Array(imported.bytes[value.range]))
            let ordinal = contact.names.knownOrdinal(of: key)
            let isAsserted = source == 0 ? nil : ordinal.flatMap { contact.state.asserts(value, of: $0, by: source) }
            let new = news(value, of: key, record, isAsserted: isAsserted ?? false)
            note(value, of: key, record, after: new)
            operations += new
        }
        for (key, elements) in imported.collections {
            operations += news(of: elements, key, record, contact.state, source)
        }
        if let formerValues {
            try operations.removeAll { operation in
                guard let value = operation.value else { return false }
                return try formerValues(record.id, operation.field).contains(value)
            }
        }
        let isUpdate = operations.contains { operation in
            if operation.code != .set { return !operation.code.isAssertion }
            return value(of: record, after: operation) != record[operation.field]?.value
        }
        if !isUpdate { return (operations, false) }
        let order = imported.order
        let key = FieldKey.number(QSOKind.Number.order)
        // New fields of the file get their position; a file with fewer fields does not remove positions.
        let former = FieldOrder(decoding: record[key]?.value ?? [])
        let isLonger = FieldOrder(decoding: order).names.count > former.names.count
        if isLonger, record[key]?.value != order {
            operations.append(FieldOperation(.set, key, supersedes: record.superseded(by: key), value: order))
        }
        return (operations, true)
    }

    /// Returns the operations for a value of the file: a head beside those of persons and other sources, in the place of those
    /// of its own that it changes.
    ///
    /// - Parameter isAsserted: Whether it is what this source said last. Then it is news only beside a head of the source that
    ///   says something else: another device imported another file of it.
    private func news(
        _ value: [UInt8], of key: FieldKey, _ record: Record, isAsserted: Bool
    ) -> [FieldOperation] {
        let field = record[key]
        let assertion = FieldOperation(.assert, key, value: value)
        if isTrusted {
            let shown = field?.value ?? []
            let wanted = Self.contradicts(shown, value, of: key) ? value : Self.refined(shown, by: value, of: key)
            if wanted == shown { return isAsserted ? [] : [assertion] }
            let set = FieldOperation(.set, key, supersedes: record.superseded(by: key), value: wanted)
            return wanted == value ? [set] : [set, assertion]
        }
        let own = (field?.heads.filter { $0.source == source } ?? []).sorted(by: Record.Head.shows)
        if own.isEmpty, isAsserted { return [] }
        let known = own.isEmpty ? [field?.value ?? []] : own.map { $0.value ?? [] }
        if known.contains(where: { $0 == value || Self.refined($0, by: value, of: key) == $0 }) {
            return isAsserted ? [] : [assertion]
        }
        let said = own.isEmpty ? [] : known.dropFirst().reduce(known[0]) { Self.refined($0, by: $1, of: key) }
        let wanted = Self.refined(said, by: value, of: key)
        if wanted == said { return isAsserted ? [] : [assertion] }
        // Of a register, what only gains a part stays beside it: the part is said now, and the rest since then.
        let replaced = own.filter { !Self.keeps(wanted, $0.value ?? [], of: key) }
        let since = replaced.filter { $0.value?.isEmpty == false }.map(\.since).min()
        let set = FieldOperation(.set, key, supersedes: replaced.map(\.id), value: wanted, since: since)
        return wanted == value ? [set] : [set, assertion]
    }

    /// Whether all parts of a register that `old` has are the same in `new`; never for a plain field or for no part.
    private static func keeps(_ new: [UInt8], _ old: [UInt8], of key: FieldKey) -> Bool {
        let members = QSOKind.schema.members(of: key)
        let parts = Register(decoding: old, memberCount: members.count)
        return !parts.isEmpty
            && zip(parts.values, Register(decoding: new, memberCount: members.count).values).allSatisfy { old, new in
                old == nil || old == new
            }
    }

    /// Whether two values of a field, or of a part of a register, say different things.
    private static func contradicts(_ one: [UInt8], _ other: [UInt8], of key: FieldKey) -> Bool {
        parts(one, other, of: key).contains { name, one, other in
            !one.isEmpty && !other.isEmpty && !Fineness.covers(one, other, of: name)
                && !Fineness.covers(other, one, of: name)
        }
    }

    /// Returns two values of a field by its parts: one of a plain field, and those of a register that either has.
    private static func parts(
        _ one: [UInt8], _ other: [UInt8], of key: FieldKey
    ) -> [(name: FieldName, one: [UInt8], other: [UInt8])] {
        let members = QSOKind.schema.members(of: key)
        if members.isEmpty { return [(FieldName(QSOKind.schema.name(of: key)), one, other)] }
        func values(_ bytes: [UInt8]) -> [[UInt8]?] { Register(decoding: bytes, memberCount: members.count).values }
        return zip(members, zip(values(one), values(other))).compactMap { name, values in
            values.0 == nil && values.1 == nil ? nil : (FieldName(name), values.0 ?? [], values.1 ?? [])
        }
    }

    /// Notes what became of the parts of a value of the file.
    private mutating func note(_ value: [UInt8], of key: FieldKey, _ record: Record, after operations: [FieldOperation])
    {
        let shown = record[key]?.value ?? []
        if shown == value || QSOKind.schema.isInternal(key) { return }
        let after = operations.first { $0.code == .set }.map { self.value(of: record, after: $0) ?? [] } ?? shown
        let news = Self.parts(shown, after, of: key)
        let isPart = !QSOKind.schema.members(of: key).isEmpty
        for (name, shown, value) in Self.parts(shown, value, of: key) where shown != value {
            let after = news.first { $0.name == name }?.other ?? []
            func covers(_ one: [UInt8], _ other: [UInt8]) -> Bool { Fineness.covers(one, other, of: name) }
            // Values that say the same have no outcome, nor has a part of a register that the file does not have.
            if covers(shown, value), value.isEmpty ? isPart : covers(value, shown) { continue }
            let outcome: FieldOutcome =
                if after == shown {
                    covers(shown, value) ? .kept : .contradicted
                } else if shown.isEmpty {
                    .filled
                } else {
                    covers(after, shown) ? .refined : .corrected
                }
            fieldOutcomes.append((name.name, outcome))
        }
    }

    /// Returns what a source says that has said `old` and now says `new`: parts of a register that are missing or coarser now
    /// stay.
    private static func refined(_ old: [UInt8], by new: [UInt8], of key: FieldKey) -> [UInt8] {
        let members = QSOKind.schema.members(of: key)
        guard !members.isEmpty else {
            return Fineness.covers(old, new, of: FieldName(QSOKind.schema.name(of: key))) ? old : new
        }
        var merged = Register(decoding: old, memberCount: members.count)
        for (place, part) in Register(decoding: new, memberCount: members.count).values.enumerated() {
            guard let part, !Fineness.covers(merged.values[place] ?? [], part, of: FieldName(members[place])) else {
                continue
            }
            merged.values[place] = part
        }
        return merged.encode()
    }

    /// Returns operations that add the elements that the contact is missing, unless they were removed here, and that
    /// remove the elements that this source added earlier and no longer has.
    private func news(
        of elements: [[UInt8]], _ key: FieldKey, _ record: Record, _ state: RecordState, _ source: UInt32
    ) -> [FieldOperation] {
        guard case .number(let number) = key, let field = QSOKind.schema.field(number: number) else { return [] }
        func identity(_ element: [UInt8]) -> String { field.identity(String(decoding: element, as: UTF8.self)) }
        let heads = record[key]?.heads ?? []
        let present = Set(heads.compactMap(\.value).map(identity))
        let wanted = Set(elements.map(identity))
        var operations: [FieldOperation] = []
        let dropped = heads.filter { $0.source == self.source && !wanted.contains(identity($0.value ?? [])) }
        if !dropped.isEmpty { operations.append(FieldOperation(.remove, key, supersedes: dropped.map(\.id))) }
        for element in elements {
            if source != 0, state.assertsElement(element, of: number, by: source) { continue }
            let isKnown = present.contains(identity(element)) || state.anySourceAssertsElement(element, of: number)
            operations.append(FieldOperation(isKnown ? .assertElement : .add, key, value: element))
        }
        return operations
    }

    /// Returns the number of contacts with earlier assertions of the source that the file no longer contains. They
    /// are kept.
    package func absentCount(in view: borrowing ViewReader) throws -> Int {
        var count = 0
        let prefix = ContactIndex.bigEndian(source.rawValue)
        try view.forEachEntry(of: QSOKind.name, index: ContactIndex.source, prefix: prefix) { _, id in
            if !met.contains(id) { count += 1 }
            return true
        }
        return count
    }
}
