/// Parses times in the form that ``UTCText`` writes.
struct UTCReader {
    // The text of the previous row's second, including the point after it: consecutive rows mostly share it.
    private var prefix: [UInt8] = []
    private var second: Int64 = 0

    /// Returns the milliseconds since 1970 at `range`; `nil` if they are not in exactly the written form.
    mutating func milliseconds(_ bytes: [UInt8], _ range: Range<Int>) -> Int64? {
        guard range.count > 4, range.count <= UTCText.byteLimit, bytes[range.upperBound - 1] == UInt8(ascii: "Z") else {
            return nil
        }
        let point = range.upperBound - 4
        guard let rest = Self.number(bytes, point..<point + 3) else { return nil }
        if !bytes[range.lowerBound..<point].elementsEqual(prefix) {
            guard let second = Self.second(bytes, range.lowerBound..<point) else { return nil }
            let prefix = Array(bytes[range.lowerBound..<point])
            // A text that is written differently, such as 30 February, is not a valid time.
            guard UTCText.prefix(second) == prefix else { return nil }
            (self.prefix, self.second) = (prefix, second)
        }
        let (milliseconds, overflow) = second.multipliedReportingOverflow(by: 1000)
        if !overflow { return milliseconds.addingReportingOverflow(rest).overflow ? nil : milliseconds + rest }
        // The earliest representable times lie in a second whose start is out of range.
        let fromNext = (second + 1).multipliedReportingOverflow(by: 1000)
        if second > 0 || fromNext.overflow { return nil }
        let sum = fromNext.partialValue.addingReportingOverflow(rest - 1000)
        return sum.overflow ? nil : sum.partialValue
    }

    // Parses the second `2026-05-01T12:00:00.`, whose year may be longer and have a sign.
    private static func second(_ bytes: [UInt8], _ range: Range<Int>) -> Int64? {
        guard range.count >= 20 else { return nil }
        let sign = bytes[range.lowerBound]
        let isNegative = sign == UInt8(ascii: "-")
        let start = isNegative || sign == UInt8(ascii: "+") ? range.lowerBound + 1 : range.lowerBound
        let end = range.upperBound - 16
        guard end > start, end - start <= 9, let year = number(bytes, start..<end) else { return nil }
        var parts: [Int64] = []
        for place in stride(from: end + 1, to: range.upperBound - 1, by: 3) {
            guard let part = number(bytes, place..<place + 2) else { return nil }
            parts.append(part)
        }
        guard parts.count == 5, (1...12).contains(parts[0]) else { return nil }
        let day = UTCText.day(year: isNegative ? -year : year, month: parts[0], day: parts[1])
        return ((day * 24 + parts[2]) * 60 + parts[3]) * 60 + parts[4]
    }

    private static func number(_ bytes: [UInt8], _ range: Range<Int>) -> Int64? {
        var value: Int64 = 0
        for place in range {
            let digit = bytes[place] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        return value
    }
}
