import GroundwaveEvents

/// A type whose values a field of a ``TypedRecord`` can have, and the elements of a list.
///
/// Text, whole numbers, truth values, days, `Decimal`, `Date`, bytes and the ids of records are such types. An enumeration with texts as raw
/// values becomes one by naming this protocol; if it is `CaseIterable`, other texts are refused.
public protocol RecordValue: Equatable, Sendable {
    /// What is written.
    static var valueType: ValueType { get }
    /// The value that `bytes` encode; `nil` if they encode none.
    init?(valueBytes bytes: [UInt8])
    /// The bytes that encode the value. Equal values have equal bytes.
    var valueBytes: [UInt8] { get }
}

extension RecordValue where Self: LosslessStringConvertible {
    /// The value that the text `bytes` describes.
    public init?(valueBytes bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        self.init(text)
    }

    /// The description of the value, in UTF-8.
    public var valueBytes: [UInt8] { Array(description.utf8) }
}

extension String: RecordValue {
    /// Text.
    public static var valueType: ValueType { .text() }
}

extension Int64: RecordValue {
    /// A whole number.
    public static var valueType: ValueType { .integer }
}

extension Int: RecordValue {
    /// A whole number.
    public static var valueType: ValueType { .integer }
}

extension Bool: RecordValue {
    /// A truth value.
    public static var valueType: ValueType { .boolean }
}

extension CalendarDay: RecordValue, LosslessStringConvertible {
    /// A day.
    public static var valueType: ValueType { .day }
}

extension RecordID: RecordValue {
    /// The id of a record.
    public static var valueType: ValueType { .record }

    /// The id with these letters.
    public init?(valueBytes bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        self.init(valueText: text)
    }

    /// The 26 letters of the id.
    public var valueBytes: [UInt8] { Array(description.utf8) }

    /// The id, if `text` is written as an id is stored, so that equal ids have equal texts.
    init?(valueText text: String) {
        self.init(text: text)
        if description != text { return nil }
    }
}

extension [UInt8]: RecordValue {
    /// Bytes.
    public static var valueType: ValueType { .bytes() }

    /// The bytes themselves.
    public init?(valueBytes bytes: [UInt8]) { self = bytes }

    /// The bytes themselves.
    public var valueBytes: [UInt8] { self }
}

extension RecordValue where Self: RawRepresentable, RawValue == String {
    /// Text.
    public static var valueType: ValueType { .text() }

    /// The value of this raw value; `nil` for another text.
    public init?(valueBytes bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        self.init(rawValue: text)
    }

    /// The raw value, in UTF-8.
    public var valueBytes: [UInt8] { Array(rawValue.utf8) }
}

extension RecordValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// One of the raw values.
    public static var valueType: ValueType { .choice(allCases.map(\.rawValue)) }
}
