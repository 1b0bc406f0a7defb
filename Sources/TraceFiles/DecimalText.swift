/// Writes integers as decimal digits with a decimal point.
///
/// Floating point is not used: 12345 with 4 decimals is 1.2345, and -5 with 3 is -0.005. The caller leaves room in
/// `bytes` for what is written: at most ``byteLimit`` bytes for a number.
enum DecimalText {
    /// The most bytes of a number with up to nine decimals: a sign, up to 20 digits and a point, rounded up.
    static let byteLimit = 24

    /// Writes `value` times ten to the minus `decimals` at `end`, and advances `end`.
    @inline(__always)
    static func write(_ value: Int64, decimals: Int, into bytes: inout MutableSpan<UInt8>, at end: inout Int) {
        if value < 0 { put(UInt8(ascii: "-"), into: &bytes, at: &end) }
        write(value.magnitude, decimals: decimals, into: &bytes, at: &end)
    }

    /// Writes `value` times ten to the minus `decimals` at `end`, and advances `end`.
    @inline(__always)
    static func write(_ value: UInt64, decimals: Int, into bytes: inout MutableSpan<UInt8>, at end: inout Int) {
        let count = max(digitCount(value), decimals &+ 1)
        var offset = end &+ count &+ (decimals > 0 ? 1 : 0)
        end = offset
        var rest = value
        var left = count
        if decimals > 0 {
            left &-= decimals
            putDigits(of: &rest, decimals, into: &bytes, before: &offset)
            offset &-= 1
            bytes[offset] = UInt8(ascii: ".")
        }
        putDigits(of: &rest, left, into: &bytes, before: &offset)
    }

    /// Writes `value`, which is not negative and has at most `count` digits, as `count` digits with leading zeros.
    @inline(__always)
    static func write(padded value: Int, _ count: Int, into bytes: inout MutableSpan<UInt8>, at end: inout Int) {
        var rest = UInt64(value)
        var offset = end + count
        end = offset
        putDigits(of: &rest, count, into: &bytes, before: &offset)
    }

    // Writes the last `count` digits of `rest` before `offset`, from the last one back, and moves `offset` to the first
    // one. Two digits at a time halve the chain of divisions, each of which needs the result of the previous one.
    @inline(__always)
    private static func putDigits(
        of rest: inout UInt64, _ count: Int, into bytes: inout MutableSpan<UInt8>, before offset: inout Int
    ) {
        var left = count
        while left >= 2 {
            let hundredth = rest / 100
            let pair = UInt32(truncatingIfNeeded: rest &- hundredth &* 100)
            let tens = (pair &* 103) &>> 10
            bytes[offset &- 1] = UInt8(truncatingIfNeeded: pair &- tens &* 10) | UInt8(ascii: "0")
            bytes[offset &- 2] = UInt8(truncatingIfNeeded: tens) | UInt8(ascii: "0")
            offset &-= 2
            left &-= 2
            rest = hundredth
        }
        if left > 0 {
            let tenth = rest / 10
            offset &-= 1
            bytes[offset] = UInt8(truncatingIfNeeded: rest &- tenth &* 10) | UInt8(ascii: "0")
            rest = tenth
        }
    }

    /// Writes one byte.
    @inline(__always)
    static func put(_ byte: UInt8, into bytes: inout MutableSpan<UInt8>, at end: inout Int) {
        bytes[end] = byte
        end &+= 1
    }

    /// Writes `source`.
    @inline(__always)
    static func put(_ source: [UInt8], into bytes: inout MutableSpan<UInt8>, at end: inout Int) {
        for byte in source { put(byte, into: &bytes, at: &end) }
    }

    // Counts upwards, since most numbers are small.
    @inline(__always)
    private static func digitCount(_ value: UInt64) -> Int {
        var count = 1
        var limit: UInt64 = 10
        while value >= limit {
            count &+= 1
            if count == 20 { break }
            limit &*= 10
        }
        return count
    }
}
