import Foundation
import GroundwaveByteCoding
import GroundwaveRecords

extension Decimal: RecordValue {
    /// A decimal number.
    public static var valueType: ValueType { .decimal }

    /// The number that `bytes` write as ``ValueType/decimal`` says.
    public init?(valueBytes bytes: [UInt8]) {
        guard Self.valueType.problem(with: bytes) == nil else { return nil }
        self.init(string: String(decoding: bytes, as: UTF8.self), locale: Locale(identifier: "en_US_POSIX"))
    }

    /// The number in decimal digits, without zeros at its end.
    public var valueBytes: [UInt8] {
        var number = self
        return Array(NSDecimalString(&number, Locale(identifier: "en_US_POSIX")).utf8)
    }
}

extension Date: RecordValue {
    /// A moment.
    public static var valueType: ValueType { .moment }

    /// The moment that `bytes` write as ``ValueType/moment`` says, to the millisecond.
    public init?(valueBytes bytes: [UInt8]) {
        guard Self.valueType.problem(with: bytes) == nil else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let day = CalendarDay(String(text.prefix(10))) else { return nil }
        let time = text.utf8.dropFirst(11).prefix(8).split(separator: UInt8(ascii: ":")).map { Int64(Substring($0))! }
        let fraction = text.utf8.dropFirst(20).dropLast().prefix(3)
        let milliseconds = Int64(String(Substring(fraction)).padding(toLength: 3, withPad: "0", startingAt: 0)) ?? 0
        let days = CivilDate.day(year: Int64(day.year), month: Int64(day.month), day: Int64(day.day))
        let seconds = days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
        self.init(timeIntervalSince1970: Double(seconds) + Double(milliseconds) / 1000)
    }

    /// The moment, to the millisecond: `2026-05-01T12:00:00.250Z`. One outside of the years 0 to 9999 is not of the type, so
    /// that it is refused where it is written.
    public var valueBytes: [UInt8] {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        guard milliseconds.magnitude < 1e15 else { return Array("\(timeIntervalSince1970)".utf8) }
        let (days, rest) = CivilDate.floorDivided(Int64(milliseconds), 86_400_000)
        let date = CivilDate.date(ofDay: days)
        func padded(_ number: Int64, _ width: Int) -> String {
            String(repeating: "0", count: Swift.max(0, width - "\(number)".count)) + "\(number)"
        }
        let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { padded($0, 2) }.joined(separator: ":")
        let fraction = rest % 1000 == 0 ? "" : ".\(padded(rest % 1000, 3))"
        return Array("\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T\(time)\(fraction)Z".utf8)
    }
}
