import GroundwaveByteCoding
import GroundwaveEvents

/// What the values of a field are. A value is always stored as it was written: a type decides what a writer of this program
/// may write, never what is kept of other programs.
public enum ValueType: Hashable, Sendable {
    /// Any bytes.
    case any
    /// UTF-8 text of at most `limit` bytes.
    case text(limit: Int = ChangeLimits.valueBytes)
    /// A whole number from −2⁶³ to 2⁶³ − 1, in decimal digits without a plus sign: `-12`.
    case integer
    /// A decimal number of at most 38 digits: `-12.50`. Zeros at its end are kept.
    case decimal
    /// A day of the Gregorian calendar, from year 0 to 9999: `2026-05-01` (ISO 8601).
    case day
    /// A moment, in UTC: `2026-05-01T12:00:00Z`, with a fraction of up to 9 digits or without (RFC 3339).
    case moment
    /// `true` or `false`.
    case boolean
    /// The id of a record, of whichever kind: its 26 letters. Whether there is such a record is not judged.
    case record
    /// One of these texts.
    case choice([String])
    /// Bytes, at most `limit` of them.
    case bytes(limit: Int = ChangeLimits.valueBytes)

    /// The name of the type in a description: one word.
    package var word: String {
        switch self {
        case .any: "any"
        case .text: "text"
        case .integer: "integer"
        case .decimal: "decimal"
        case .day: "day"
        case .moment: "moment"
        case .boolean: "boolean"
        case .record: "record"
        case .choice: "choice"
        case .bytes: "bytes"
        }
    }

    /// The type of this word, without its limit; ``any`` for a word of a later version, and for choices.
    package init(word: String) {
        let types: [ValueType] = [.text(), .integer, .decimal, .day, .moment, .boolean, .record, .bytes()]
        self = types.first { $0.word == word } ?? .any
    }

    /// What is wrong with `value`, as the end of a sentence that begins with the field: `is not a day, such as 2026-05-01`;
    /// `nil` if it is of this type.
    public func problem(with value: [UInt8]) -> String? {
        switch self {
        case .any: return nil
        case .bytes(let limit): return Self.excess(of: value, over: limit)
        case .text(let limit):
            return Self.text(value) == nil ? "is not text in UTF-8" : Self.excess(of: value, over: limit)
        case .integer:
            return Self.text(value).flatMap(Self.integer) == nil ? "is not a whole number" : nil
        case .decimal:
            return Self.isDecimal(value) ? nil : "is not a decimal number, such as 12.50"
        case .day:
            return Self.text(value).flatMap(CalendarDay.init) == nil ? "is not a day, such as 2026-05-01" : nil
        case .moment:
            return Self.isMoment(value) ? nil : "is not a moment in UTC, such as 2026-05-01T12:00:00Z"
        case .boolean:
            return ["true", "false"].contains(Self.text(value)) ? nil : "is neither true nor false"
        case .record:
            return Self.text(value).flatMap(RecordID.init(valueText:)) == nil
                ? "is not the id of a record, which has 26 letters" : nil
        case .choice(let choices):
            return choices.contains { $0.utf8.elementsEqual(value) }
                ? nil : "is none of: \(choices.joined(separator: ", "))"
        }
    }

    private static func excess(of value: [UInt8], over limit: Int) -> String? {
        value.count <= limit ? nil : "has \(value.count) bytes; the maximum is \(limit)"
    }

    private static func text(_ value: [UInt8]) -> String? { String(validating: value, as: UTF8.self) }

    /// The whole number `text` if it is written as one is stored, so that equal numbers have equal texts.
    static func integer(_ text: String) -> Int64? { Int64(text).flatMap { "\($0)" == text ? $0 : nil } }

    /// Whether `value` is an optional minus sign, 1 to 38 digits without a needless zero in front, and perhaps a point with
    /// digits on both sides.
    static func isDecimal(_ value: [UInt8]) -> Bool {
        let digits = value.first == UInt8(ascii: "-") ? value[1...] : value[...]
        let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }) else {
            return false
        }
        return parts.reduce(0) { $0 + $1.count } <= 38 && (parts[0].count == 1 || parts[0].first != UInt8(ascii: "0"))
    }

    /// Whether `value` is a date, `T`, a time without leap second, perhaps a fraction, and `Z`.
    static func isMoment(_ value: [UInt8]) -> Bool {
        guard value.count >= 20, value.last == UInt8(ascii: "Z"), value[10] == UInt8(ascii: "T"),
            CalendarDay(String(decoding: value[..<10], as: UTF8.self)) != nil
        else { return false }
        let time = value[11..<19].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let limits = [24, 60, 60]
        let isTime =
            time.count == 3
            && zip(time, limits).allSatisfy { part, limit in
                part.count == 2 && part.allSatisfy(isDigit) && Int(String(decoding: part, as: UTF8.self))! < limit
            }
        let fraction = value[19..<(value.count - 1)]
        return isTime
            && (fraction.isEmpty
                || fraction.first == UInt8(ascii: ".") && (2...10).contains(fraction.count)
                    && fraction.dropFirst().allSatisfy(isDigit))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
