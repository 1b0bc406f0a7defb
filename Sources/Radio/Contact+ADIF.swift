import GroundwaveADIF
import GroundwaveEvents
import GroundwaveRecords

extension Record {
    /// The ADIF fields of a contact: those of its source in their order, then those added since. Each name occurs once.
    ///
    /// Values that were not edited are the bytes of the source. Internal fields are left out.
    public var adifFields: [(name: FieldName, value: [UInt8])] {
        let values = QSOKind.schema.values(of: self).map { (name: FieldName($0.name), value: $0.value) }
        var rest: [FieldName: [UInt8]] = Dictionary(values, uniquingKeysWith: { first, _ in first })
        var fields: [(name: FieldName, value: [UInt8])] = []
        if let order = self[.number(QSOKind.Number.order)]?.value {
            for name in FieldOrder(decoding: order).names {
                if let value = rest.removeValue(forKey: name) {
                    fields.append((name, value))
                } else if QSOKind.collections.contains(name.name), self[.number(UInt32(name.number))] == nil {
                    // A list without elements has no heads, so only the order shows that the source had it.
                    fields.append((name, []))
                }
            }
        }
        for (name, _) in values {
            if let value = rest.removeValue(forKey: name) { fields.append((name, value)) }
        }
        return fields
    }

    /// Returns the text that a contact shows for an ADIF field; `nil` if it has none.
    public func text(_ name: FieldName) -> String? {
        QSOKind.schema.value(of: name.name, in: self).map { ValueText(decoding: $0[...]).string }
    }

    /// The session that a contact belongs to; `nil` if it belongs to none.
    public var session: RecordID? {
        self[.number(QSOKind.Number.session)]?.value.flatMap { $0.count == 16 ? RecordID($0) : nil }
    }
}
