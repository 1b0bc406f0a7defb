import GroundwaveADIF
import GroundwaveRecords

/// The values that a contact takes over from duplicates of it.
///
/// | field | becomes |
/// |---|---|
/// | missing in the contact | the value of the first duplicate that has one |
/// | present in both | the contact's own value; a differing value of a duplicate is a ``Difference`` |
/// | a collection | the elements of all |
/// | a register (frequency and band, mode and submode) | missing parts come from a duplicate whose other parts agree |
///
/// A field with a conflict or with a withheld value is not changed.
public struct ContactMerge {
    /// A value of a dropped contact that the kept contact does not show.
    public struct Difference: Hashable, Sendable {
        /// The ADIF field.
        public let field: String
        /// The value of the kept contact; `nil` if it has none.
        public let kept: [UInt8]?
        /// The value of the dropped contact.
        public let dropped: [UInt8]
    }

    /// The operations that complete the kept contact: at least one of them writes a head.
    ///
    /// A delete whose author has not seen this merge therefore cannot hide the contact: if two devices merge one pair
    /// in opposite directions, both contacts stay visible instead of neither.
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

    /// Creates a merge that keeps `record`, a contact.
    public init(keeping record: Record) { keep = record }

    /// Takes over the values of `record`, a dropped contact, that the kept contact is missing.
    ///
    /// - Returns: The ADIF fields that were taken over or completed, in the order of the record.
    public mutating func absorb(_ record: Record) -> [String] {
        taken.removeAll()
        for field in record.fields where field.key != .life {
            guard case .number(let number) = field.key, let schema = QSOKind.schema.field(number: number) else {
                absorbValue(of: field, field.key.plainName)
                continue
            }
            if schema.policy == .union {
                absorbElements(of: field, schema)
            } else if !schema.members.isEmpty {
                absorbMembers(of: field, schema)
            } else if !Self.identities.contains(number) {
                absorbValue(of: field, schema.isInternal ? nil : schema.name)
            }
        }
        return taken
    }

    /// The import key and the order of the fields belong to each contact alone.
    private static let identities: Set<UInt32> = [QSOKind.Number.order, QSOKind.Number.importKey]

    /// Returns the value of a field or register after the merge.
    private func value(_ key: FieldKey) -> [UInt8]? { values[key] ?? keep[key]?.value }

    private func mayWrite(_ key: FieldKey) -> Bool {
        keep[key].map { !$0.isConflict && !$0.shown.isWithheld } ?? true
    }

    private mutating func write(_ value: [UInt8], _ key: FieldKey) {
        if values.updateValue(value, forKey: key) == nil { order.append(key) }
    }

    private mutating func absorbValue(of field: Record.Field, _ name: String?) {
        guard let new = field.value, !new.isEmpty, value(field.key)?.isEmpty ?? true, mayWrite(field.key) else {
            return
        }
        write(new, field.key)
        if let name { taken.append(name) }
    }

    private mutating func absorbMembers(of field: Record.Field, _ schema: FieldSchema) {
        guard let bytes = field.value, mayWrite(field.key) else { return }
        let new = Register(decoding: bytes, memberCount: schema.members.count)
        var merged = Register(decoding: value(field.key) ?? [], memberCount: schema.members.count)
        var names: [String] = []
        for (index, part) in new.values.enumerated() {
            guard let part, !part.isEmpty else { continue }
            if let own = merged.values[index], !own.isEmpty {
                // Parts of two different registers combined would be a value that neither contact had.
                guard ContactKey.folded(own) == ContactKey.folded(part) else { return }
            } else {
                merged.values[index] = part
                names.append(schema.members[index])
            }
        }
        guard !names.isEmpty, Self.agrees(merged, schema) else { return }
        write(merged.encode(), field.key)
        taken += names
    }

    /// Whether a frequency lies in the band of the same register; true for all other registers.
    private static func agrees(_ register: Register, _ schema: FieldSchema) -> Bool {
        guard schema.number == QSOKind.Number.frequency || schema.number == QSOKind.Number.frequencyReceived,
            let frequency = register.values[0], let band = register.values[1]
        else { return true }
        func text(_ bytes: [UInt8]) -> String { String(decoding: ContactKey.folded(bytes), as: UTF8.self) }
        return Frequency(megahertz: text(frequency)).flatMap { Band(containing: $0) } == Band(named: text(band))
    }

    private mutating func absorbElements(of field: Record.Field, _ schema: FieldSchema) {
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

    /// Returns the values of `record`, a dropped contact, that the kept contact will not show, in the order of the
    /// record.
    ///
    /// Call it after ``take(_:)`` for all dropped contacts, since a later one may complete what an earlier one could
    /// not.
    public func differences(to record: Record) -> [Difference] {
        QSOKind.schema.values(of: record).compactMap { name, dropped in
            guard !dropped.isEmpty, QSOKind.schema.policy(of: QSOKind.schema.key(for: name)) != .union else {
                return nil
            }
            let kept = shown(name)
            return kept == dropped ? nil : Difference(field: name, kept: kept, dropped: dropped)
        }
    }

    /// Returns the value that the kept contact will show for an ADIF field.
    private func shown(_ name: String) -> [UInt8]? {
        let key = QSOKind.schema.key(for: name)
        guard let register = QSOKind.schema.register(of: name), let index = register.members.firstIndex(of: name) else {
            return value(key)
        }
        return Register(decoding: value(key) ?? [], memberCount: register.members.count).values[index]
    }
}
