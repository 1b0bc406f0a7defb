import GroundwaveEvents

/// A field of a ``TypedRecord``: its number and name, and the property that holds its value.
public struct RecordField<Kind: TypedRecord>: Sendable {
    /// The field as the engine sees it.
    public let schema: FieldSchema
    /// Sets the property to what is shown; returns why not if that cannot be read.
    let read: @Sendable ((FieldSchema) -> FieldContent?, inout Kind) -> FieldProblem.Reason?
    /// The value of the property as it is assigned; `nil` for none.
    let write: @Sendable (Kind) -> [UInt8]?

    /// A field whose property always has a value.
    ///
    /// - Parameters:
    ///   - number: The number on the disk, from 1. It never changes its meaning and is never given to another field.
    ///   - name: The name people see, such as `DEVICE`.
    ///   - property: The property, such as `\.device`.
    ///   - policy: How concurrent writes are merged: ``MergePolicy/latest`` or ``MergePolicy/yields``.
    ///   - type: What may be written, if it is less than the type of the property allows, such as `.text(limit: 100)`.
    ///   - former: What earlier versions wrote instead.
    public init<Value: RecordValue>(
        _ number: UInt32, _ name: String, _ property: WritableKeyPath<Kind, Value> & Sendable,
        policy: MergePolicy = .latest, type: ValueType = Value.valueType, former: [FormerField<Value>] = []
    ) {
        self.init(FieldSchema(number, name, policy, type: type), former) { value, kind in
            if let value { kind[keyPath: property] = value }
        } write: {
            $0[keyPath: property].valueBytes
        }
    }

    /// A field whose property may have no value: `nil` clears the field.
    ///
    /// The parameters are those of the other initializers.
    public init<Value: RecordValue>(
        _ number: UInt32, _ name: String, _ property: WritableKeyPath<Kind, Value?> & Sendable,
        policy: MergePolicy = .latest, type: ValueType = Value.valueType, former: [FormerField<Value>] = []
    ) {
        self.init(FieldSchema(number, name, policy, type: type), former) { value, kind in
            kind[keyPath: property] = value
        } write: {
            $0[keyPath: property]?.valueBytes
        }
    }

    /// A list: what several devices add to it is all there (``MergePolicy/union``). Elements lie in the order in which they
    /// were added, equal ones once.
    ///
    /// - Parameters:
    ///   - number: The number on the disk, from 1. It never changes its meaning and is never given to another field.
    ///   - name: The name people see, such as `LABELS`.
    ///   - property: The property, such as `\.labels`.
    ///   - type: What an element may be, if it is less than the type of the property allows.
    ///   - identity: The form in which equal elements are the same, such as upper case.
    public init<Element: RecordValue>(
        _ number: UInt32, _ name: String, _ property: WritableKeyPath<Kind, [Element]> & Sendable,
        type: ValueType = Element.valueType, identity: @escaping @Sendable (String) -> String = { $0 }
    ) {
        let schema = FieldSchema(number, name, .union, type: type, identity: identity)
        self.schema = schema
        read = { content, kind in
            guard let content = content(schema) else {
                kind[keyPath: property] = []
                return nil
            }
            let elements = content.elements.map { ($0, Element(valueBytes: $0)) }
            kind[keyPath: property] = elements.compactMap(\.1)
            if content.isWithheld { return .withheld }
            return elements.first { $0.1 == nil }.map { .unreadable($0.0) }
        }
        write = { kind in
            let elements = Elements.once(kind[keyPath: property].map(\.valueBytes), of: schema)
            return elements.isEmpty ? nil : schema.list.join(elements)
        }
    }

    private init<Value: RecordValue>(
        _ schema: FieldSchema, _ former: [FormerField<Value>],
        set: @escaping @Sendable (Value?, inout Kind) -> Void, write: @escaping @Sendable (Kind) -> [UInt8]?
    ) {
        self.schema = schema
        self.write = write
        read = { content, kind in
            var shown = content(schema)
            var readers: [([UInt8]) -> Value?] = [Value.init(valueBytes:)]
            // What an earlier version wrote later than this one counts, as it would within one field.
            for field in former {
                if field.number == schema.number {
                    readers.append(field.read)
                } else if let other = content(FieldSchema(field.number, "")),
                    shown.map({ $0.stamp < other.stamp }) ?? true
                {
                    shown = other
                    readers = [field.read]
                }
            }
            guard let shown, !shown.isWithheld, let bytes = shown.elements.first else {
                set(nil, &kind)
                return shown?.isWithheld == true ? .withheld : nil
            }
            for read in readers {
                if let value = read(bytes) {
                    set(value, &kind)
                    return nil
                }
            }
            set(nil, &kind)
            return .unreadable(bytes)
        }
    }
}

/// What earlier versions of a program wrote instead of a field: it is read as a value of the field, and the log stays as it
/// is.
///
/// ```swift
/// // Version 1 had a price in field 3, such as `12,50 €`.
/// Field(7, "CENTS", \.cents, former: [.init(3) { cents(of: $0) }])
/// ```
///
/// Of the two fields the later write shows, whichever version of the program wrote it.
public struct FormerField<Value: RecordValue>: Sendable {
    let number: UInt32
    let read: @Sendable ([UInt8]) -> Value?

    /// - Parameters:
    ///   - number: The field that earlier versions wrote; that of the field itself if only the form of its values changed.
    ///   - read: The value that a text stood for, `nil` for none. It must be a pure function.
    public init(_ number: UInt32, _ read: @escaping @Sendable (String) -> Value?) {
        self.number = number
        self.read = { read(String(decoding: $0, as: UTF8.self)) }
    }
}

/// What a field shows.
struct FieldContent {
    /// The value, none for a clear; of a collection the elements.
    var elements: [[UInt8]]
    var stamp: Stamp
    var isWithheld: Bool
}

extension Record {
    /// What a field shows; `nil` if it was never written.
    func content(of schema: FieldSchema) -> FieldContent? { self[.number(schema.number)]?.content(schema) }
}

extension Record.Field {
    fileprivate func content(_ schema: FieldSchema) -> FieldContent {
        let isList = policy == .union
        return FieldContent(
            elements: isList ? Elements.shown(heads, of: schema) : value.map { [$0] } ?? [], stamp: shown.stamp,
            isWithheld: isList ? heads.contains(where: \.isWithheld) : shown.isWithheld)
    }
}

extension ShownValues {
    /// What a field shows; `nil` if it was never written.
    func content(of schema: FieldSchema) -> FieldContent? {
        state.heads.contains { $0.field == schema.number } ? field(schema.number).content(schema) : nil
    }
}
