import GroundwaveADIF
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// Compares the records of a file with what is there: what of it is news, and nothing else.
///
/// A record is known again by an equal service id, else by its key, the n-th occurrence in the file being the n-th
/// contact with that key. Of a contact that is known, only what the *file* has changed is written, so a local correction
/// survives:
///
/// | the file's value of a field | becomes |
/// |---|---|
/// | is what this source said last time | nothing |
/// | is shown already, or what another source said, or stands where a person wrote and this source never spoke | the word of the source, which shows nowhere |
/// | else | the value |
///
/// A frequency, mode or time with parts that the file lacks keeps these parts. A hidden contact stays as it is, unless
/// it was an undo that hid it: what an undone import had brought, the file brings again.
public struct ImportComparison {
    /// What a record of the file turned out to be.
    public enum Outcome: Sendable {
        /// A contact that was not there.
        case new(Change)
        /// A contact that is there, and whose record in the file has changed.
        case updated(Change)
        /// A contact that is there, and of which the file says nothing new.
        case unchanged
        /// As ``unchanged``, but the source says it for the first time: its word is kept.
        case heard(Change)
        /// A contact that is hidden here, and stays so.
        case hidden
        /// A record that is no contact.
        case rejected(reason: String)
    }

    private let source: SourceID
    private let session: RecordID?
    private let undos: EventSet
    /// How many records with this key the file had so far; the station counts, where it is given.
    private var occurrences: [ContactKey: Int] = [:]
    /// The contacts that the file's records were.
    private var met: Set<RecordID> = []
    /// What the slice at work has added to the two above.
    private var slice: [(key: ContactKey, id: RecordID)] = []

    /// A comparison with what `source` said before.
    ///
    /// - Parameter undos: The events that took others back.
    public init(source: SourceID, session: RecordID? = nil, undos: EventSet = EventSet()) {
        self.undos = undos
        self.source = source
        self.session = session
    }

    /// Begins a slice of the file's records. Where the one before was not ended, it is forgotten: then the views were
    /// found damaged on the way, and its records come again.
    public mutating func beginSlice() {
        for (key, id) in slice {
            occurrences[key, default: 1] -= 1
            met.remove(id)
        }
        slice.removeAll(keepingCapacity: true)
    }

    /// Ends a slice: what its records were counts.
    public mutating func endSlice() { slice.removeAll(keepingCapacity: true) }

    /// What the next record of the file is. Cost: an index look-up, and for a contact that is there its row.
    public mutating func compare(_ record: ADIFRecord, in view: borrowing ViewReader) throws -> Outcome {
        guard record.fields.text(.call) != nil else { return .rejected(reason: "no-call") }
        let imported = ImportedRecord(record)
        let occurrence = occurrences[imported.key, default: 0]
        let id = try find(imported, in: view) ?? Self.recordID(source, imported.key, occurrence)
        occurrences[imported.key] = occurrence + 1
        met.insert(id)
        slice.append((imported.key, id))
        guard let state = try view.state(of: QSOKind.name, id) else {
            return .new(
                Change(
                    kind: QSOKind.name, record: id, source: source,
                    operations: imported.operations(occurrence: occurrence, session: session?.bytes)))
        }
        let operations = news(in: imported, id, state, view)
        guard state.isVisible else {
            let record = Record(kind: QSOKind.name, id: id, state: state, names: view.names, schema: QSOKind.schema)
            guard !record.deletions.isEmpty, record.deletions.allSatisfy({ undos.contains($0.event) }) else {
                return .hidden
            }
            let show = FieldOperation(.revive, .life, supersedes: record.superseded(by: .life))
            return .new(Change(kind: QSOKind.name, record: id, source: source, operations: [show] + operations))
        }
        if operations.isEmpty { return .unchanged }
        let change = Change(kind: QSOKind.name, record: id, source: source, operations: operations)
        return operations.allSatisfy(\.code.isWord) ? .heard(change) : .updated(change)
    }

    /// The id of an imported contact: two devices that import one file meet in one record.
    static func recordID(_ source: SourceID, _ key: ContactKey, _ occurrence: Int) -> RecordID {
        let bytes = ContactIndex.bigEndian(source.rawValue) + key.bytes + key.station
        let hash = (bytes + ContactIndex.bigEndian(UInt64(occurrence))).withSpan { Hash256(hashing: $0) }
        return RecordID(high: hash.id.high, low: hash.id.low)
    }

    /// The contact that a record of the file is, among those that no earlier record was.
    ///
    /// Of several that a service gave one id, the one that this source spoke of: where two contacts were merged, the
    /// hidden one is what the file goes on speaking of, not the one that took over its id. Of several with one key, the
    /// least occurrence; of equal ones, which two devices made apart, the one that this source made.
    private func find(_ imported: ImportedRecord, in view: borrowing ViewReader) throws -> RecordID? {
        for (field, service) in imported.serviceIDs {
            var found: RecordID?
            let key = ContactIndex.serviceKey(field, service)
            try view.forEachEntry(of: QSOKind.name, index: ContactIndex.service, prefix: key) { entry, id in
                guard entry.byteCount == key.count, !met.contains(id) else { return true }
                let state = try view.state(of: QSOKind.name, id)
                let isOwn = state.map { ShownValues($0, view.names).sources.contains(source) } ?? false
                if found == nil || isOwn { found = id }
                return !isOwn
            }
            if let found { return found }
        }
        var candidates: [(occurrence: Int, rank: Int, id: RecordID)] = []
        try view.forEachEntry(of: QSOKind.name, index: ContactIndex.key, prefix: imported.key.bytes) { _, id in
            if !met.contains(id), let state = try view.state(of: QSOKind.name, id) {
                let values = ShownValues(state, view.names)
                let station = values.value(UInt32(FieldName.stationCallsign.number)) ?? []
                if imported.key.mayBeSameStation(as: ContactKey.folded(station)) {
                    let number = values.value(QSOKind.Number.importKey).flatMap { ImportedKey(Array($0)) }?.occurrence
                    let isOwn = number.map { Self.recordID(source, imported.key, $0) == id } ?? false
                    candidates.append((number ?? .max, isOwn ? 0 : 1, id))
                }
            }
            return true
        }
        return candidates.min { $0 < $1 }?.id
    }

    private func news(
        in imported: ImportedRecord, _ id: RecordID, _ state: RecordState, _ view: borrowing ViewReader
    ) -> [FieldOperation] {
        let names = view.names
        let source = names.knownOrdinal(of: source) ?? 0
        let shown = ShownValues(state, names)
        let isSame =
            imported.collections.isEmpty && state.isWritten(onlyBy: source)
            && imported.values.allSatisfy { key, value in
                names.knownOrdinal(of: key).flatMap { shown.value($0) }?.elementsEqual(value) ?? false
            }
        if isSame { return [] }
        let record = Record(kind: QSOKind.name, id: id, state: state, names: names, schema: QSOKind.schema)
        var operations: [FieldOperation] = []
        for (key, value) in imported.values {
            let ordinal = names.knownOrdinal(of: key)
            let said = source == 0 ? nil : ordinal.flatMap { state.said(value, of: $0, by: source) }
            if said == true { continue }
            let isOthersWord = said == nil && ordinal.map { state.anySourceSaid(value, of: $0, but: source) } ?? false
            operations += news(value, of: key, record[key]?.shown, record, isFirst: said == nil, isKnown: isOthersWord)
        }
        for (key, elements) in imported.collections {
            operations += news(of: elements, key, record, state, source)
        }
        if operations.allSatisfy(\.code.isWord) { return operations }
        let order = FieldOrder(imported.order).bytes
        let key = FieldKey.number(QSOKind.Number.order)
        // Fields that are new in the file get their place; a file with fewer fields does not take places away.
        let isLonger = imported.order.count > FieldOrder(decoding: record[key]?.shown.value ?? []).names.count
        if isLonger, record[key]?.shown.value != order {
            operations.append(FieldOperation(.set, key, supersedes: record.superseded(by: key), value: order))
        }
        return operations
    }

    /// What a value that this source did not say last time becomes.
    ///
    /// - Parameters:
    ///   - isFirst: Whether the source never said anything of the field.
    ///   - isKnown: Whether another source said just this.
    private func news(
        _ value: [UInt8], of key: FieldKey, _ shown: Record.Head?, _ record: Record, isFirst: Bool, isKnown: Bool
    ) -> [FieldOperation] {
        let word = FieldOperation(.say, key, value: value)
        let isByHand = isFirst && shown != nil && shown?.source == nil
        if isKnown { return [word] }
        let wanted = Self.value(value, of: key, over: shown, keepingShown: isByHand)
        guard shown == nil || shown?.value != wanted else { return [word] }
        guard let wanted else { return [word] }
        let set = FieldOperation(.set, key, supersedes: record.superseded(by: key), value: wanted)
        return wanted == value ? [set] : [set, word]
    }

    /// The value to be shown: of a register the parts that the file lacks stay, and where a person wrote only what is
    /// missing is filled in. `nil` where a person cleared the field.
    private static func value(
        _ value: [UInt8], of key: FieldKey, over shown: Record.Head?, keepingShown: Bool
    ) -> [UInt8]? {
        guard let shown else { return value }
        guard case .number(let number) = key, let old = shown.value,
            let field = QSOKind.schema.field(number: number), !field.members.isEmpty
        else { return keepingShown ? shown.value : value }
        let count = field.members.count
        var merged = Register(decoding: old, memberCount: count)
        for (place, part) in Register(decoding: value, memberCount: count).values.enumerated() {
            if let part, !keepingShown || merged.values[place] == nil { merged.values[place] = part }
        }
        return merged.encode()
    }

    /// Elements that the file has and the contact has not, unless they were removed here; and elements that this source
    /// brought and has dropped.
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
            if source != 0, state.saidElement(element, of: number, by: source) { continue }
            let isKnown = present.contains(identity(element)) || state.anySourceSaidElement(element, of: number)
            operations.append(FieldOperation(isKnown ? .sayElement : .add, key, value: element))
        }
        return operations
    }

    /// How many contacts the source has spoken of before that the file no longer has. They stay.
    public func absentCount(in view: borrowing ViewReader) throws -> Int {
        var count = 0
        let prefix = ContactIndex.bigEndian(source.rawValue)
        try view.forEachEntry(of: QSOKind.name, index: ContactIndex.source, prefix: prefix) { _, id in
            if !met.contains(id) { count += 1 }
            return true
        }
        return count
    }
}
