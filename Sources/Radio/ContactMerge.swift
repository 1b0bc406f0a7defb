import GroundwaveADIF
import GroundwaveRecords

/// What one contact takes over from others that turned out to be the same.
///
/// | of a field | becomes |
/// |---|---|
/// | that the contact lacks | the value of the first of the others that has one |
/// | that both have | the contact's own value; another one of the others is a ``Difference`` |
/// | that is a collection | the elements of all |
/// | of a register (frequency and band, mode and submode) | its missing parts, from one that says nothing else in the parts that both have |
///
/// A field that waits for a decision, and one whose value was erased, stay as they are.
public struct ContactMerge {
    /// A value of a contact that goes which the one that stays does not show.
    public struct Difference: Hashable, Sendable {
        /// The ADIF field.
        public let field: String
        /// What the contact that stays says; `nil` where it says nothing.
        public let kept: [UInt8]?
        /// What the contact that goes says.
        public let dropped: [UInt8]
    }

    /// What makes the contact that stays whole: at least one of them writes a head.
    ///
    /// So a delete whose author did not see this merge cannot hide the contact: two devices that merge one pair in
    /// opposite directions end with both contacts shown, not with none.
    public var operations: [FieldOperation] {
        let writes = order.compactMap { key in
            values[key].map { FieldOperation(.set, key, supersedes: keep[key]?.heads.map(\.id) ?? [], value: $0) }
        }
        let adds = elements.map { FieldOperation(.add, $0.key, value: $0.value) }
        if !writes.isEmpty || !adds.isEmpty { return writes + adds }
        return [FieldOperation(.revive, .life, supersedes: keep[.life]?.heads.map(\.id) ?? [])]
    }

    private let keep: Record
    private var order: [FieldKey] = []
    private var values: [FieldKey: [UInt8]] = [:]
    private var taken: [String] = []
    private var elements: [(key: FieldKey, value: [UInt8])] = []

    /// A merge that keeps `record`, a contact.
    public init(keeping record: Record) { keep = record }

    /// Takes over what `record`, a contact that goes, has and the one that stays lacks.
    ///
    /// - Returns: The ADIF fields that were taken over or completed, in the order of the record.
    public mutating func take(_ record: Record) -> [String] {
        taken.removeAll()
        for field in record.fields where field.key != .life {
            guard case .number(let number) = field.key, let schema = QSOKind.schema.field(number: number) else {
                takeValue(of: field, field.key.plainName)
                continue
            }
            if schema.policy == .union {
                takeElements(of: field, schema)
            } else if !schema.members.isEmpty {
                takeMembers(of: field, schema)
            } else if !Self.identities.contains(number) {
                takeValue(of: field, schema.isInternal ? nil : schema.name)
            }
        }
        return taken
    }

    /// What an import knew a contact by, and in which order its fields stood, is the contact's own.
    private static let identities: Set<UInt32> = [QSOKind.Number.order, QSOKind.Number.importKey]

    /// The value of a field or register as it will be shown.
    private func value(_ key: FieldKey) -> [UInt8]? { values[key] ?? keep[key]?.shown.value }

    private func mayWrite(_ key: FieldKey) -> Bool {
        keep[key].map { !$0.isConflict && !$0.shown.isWithheld } ?? true
    }

    private mutating func write(_ value: [UInt8], _ key: FieldKey) {
        if values.updateValue(value, forKey: key) == nil { order.append(key) }
    }

    private mutating func takeValue(of field: Record.Field, _ name: String?) {
        guard let new = field.shown.value, !new.isEmpty, value(field.key)?.isEmpty ?? true, mayWrite(field.key) else {
            return
        }
        write(new, field.key)
        if let name { taken.append(name) }
    }

    private mutating func takeMembers(of field: Record.Field, _ schema: FieldSchema) {
        guard let bytes = field.shown.value, mayWrite(field.key) else { return }
        let new = Register(decoding: bytes, memberCount: schema.members.count)
        var merged = Register(decoding: value(field.key) ?? [], memberCount: schema.members.count)
        var names: [String] = []
        for (place, part) in new.values.enumerated() {
            guard let part, !part.isEmpty else { continue }
            if let own = merged.values[place], !own.isEmpty {
                // Halves of two different statements say what nobody said.
                guard ContactKey.folded(own) == ContactKey.folded(part) else { return }
            } else {
                merged.values[place] = part
                names.append(schema.members[place])
            }
        }
        guard !names.isEmpty, Self.agrees(merged, schema) else { return }
        write(merged.encode(), field.key)
        taken += names
    }

    /// Whether a frequency lies in the band that stands beside it; of other registers nothing is known.
    private static func agrees(_ register: Register, _ schema: FieldSchema) -> Bool {
        guard schema.number == QSOKind.Number.frequency || schema.number == QSOKind.Number.frequencyReceived,
            let frequency = register.values[0], let band = register.values[1]
        else { return true }
        func text(_ bytes: [UInt8]) -> String { String(decoding: ContactKey.folded(bytes), as: UTF8.self) }
        return Frequency(megahertz: text(frequency)).flatMap { Band(containing: $0) } == Band(named: text(band))
    }

    private mutating func takeElements(of field: Record.Field, _ schema: FieldSchema) {
        func identity(_ value: [UInt8]) -> String { schema.identity(String(decoding: value, as: UTF8.self)) }
        var present = Set((keep[field.key]?.heads ?? []).compactMap(\.value).map(identity))
        present.formUnion(elements.filter { $0.key == field.key }.map { identity($0.value) })
        var isNew = false
        for value in field.heads.compactMap(\.value) where !value.isEmpty && present.insert(identity(value)).inserted {
            elements.append((field.key, value))
            isNew = true
        }
        if isNew { taken.append(schema.name) }
    }

    /// What `record`, a contact that goes, says and the one that stays will not show, in the order of the record.
    ///
    /// Asked once all were taken: a later one may complete what an earlier one could not.
    public func differences(to record: Record) -> [Difference] {
        QSOKind.schema.values(of: record).compactMap { name, dropped in
            guard !dropped.isEmpty, QSOKind.schema.policy(of: QSOKind.schema.key(for: name)) != .union else {
                return nil
            }
            let kept = shown(name)
            return kept == dropped ? nil : Difference(field: name, kept: kept, dropped: dropped)
        }
    }

    /// What the contact that stays will show for an ADIF field.
    private func shown(_ name: String) -> [UInt8]? {
        let key = QSOKind.schema.key(for: name)
        guard let register = QSOKind.schema.register(of: name), let place = register.members.firstIndex(of: name) else {
            return value(key)
        }
        return Register(decoding: value(key) ?? [], memberCount: register.members.count).values[place]
    }
}
