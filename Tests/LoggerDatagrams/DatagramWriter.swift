/// Writes values as Qt's documentation of its data stream has them: big-endian.
package struct DatagramWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append(number: UInt64, byteCount: Int) {
        for place in (0..<byteCount).reversed() { bytes.append(UInt8(number >> UInt64(8 * place) & 0xFF)) }
    }

    /// A QByteArray: its length, and its bytes; `nil` is null.
    package mutating func append(_ text: String?) {
        guard let text else { return append(number: 0xFFFF_FFFF, byteCount: 4) }
        append(number: UInt64(text.utf8.count), byteCount: 4)
        bytes += text.utf8
    }

    /// A QDateTime.
    ///
    /// - Parameter offset: Seconds east of UTC, of the third kind of time; `nil` for UTC.
    package mutating func append(_ moment: Moment?, offset: Int32? = nil, kind: UInt8? = nil) {
        append(number: moment.map { UInt64(bitPattern: $0.julianDay) } ?? 1 << 63, byteCount: 8)
        append(number: moment.map { UInt64($0.secondOfDay) * 1000 + 250 } ?? 0xFFFF_FFFF, byteCount: 4)
        bytes.append(kind ?? (offset == nil ? 1 : 2))
        if let offset { append(number: UInt64(UInt32(bitPattern: offset)), byteCount: 4) }
    }
}

/// A date and a time of day.
package struct Moment: Hashable, Sendable {
    package var year: Int, month: Int, day: Int
    package var hour: Int, minute: Int, second: Int

    package init(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// The Julian day that begins at noon of this date, by the formula of Fliegel and Van Flandern (1968).
    var julianDay: Int64 {
        let shift = (month - 14) / 12
        let years = 1461 * (year + 4800 + shift) / 4
        let months = 367 * (month - 2 - 12 * shift) / 12
        return Int64(years + months - 3 * ((year + 4900 + shift) / 100) / 4 + day - 32_075)
    }

    var secondOfDay: Int { (hour * 60 + minute) * 60 + second }

    /// `20260501`.
    package var date: String { Self.digits(year, 4) + Self.digits(month, 2) + Self.digits(day, 2) }
    /// `123456`.
    package var time: String { Self.digits(hour, 2) + Self.digits(minute, 2) + Self.digits(second, 2) }
    /// `2026-05-01 12:34:56`.
    package var text: String {
        "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2)) "
            + "\(Self.digits(hour, 2)):\(Self.digits(minute, 2)):\(Self.digits(second, 2))"
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
