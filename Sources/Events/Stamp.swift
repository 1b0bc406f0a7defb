import GroundwaveByteCoding

/// A hybrid logical timestamp: 48 bits of Unix milliseconds, then 16 bits that count events within one millisecond.
///
/// Stamps order concurrent writes and answer "as of"; causality never depends on them (Kulkarni et al., "Logical
/// Physical Clocks", 2014).
public struct Stamp: Hashable, Comparable, Sendable {
    /// Milliseconds in the upper 48 bits, the counter in the lower 16.
    public let rawValue: UInt64

    /// A stamp from its 64 bits.
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The stamp `counter` of a millisecond since 1970; a millisecond outside 48 bits (before 1970, after 10889) is
    /// clamped.
    public init(milliseconds: Int64, counter: UInt16 = 0) {
        rawValue = UInt64(clamping: Swift.min(Swift.max(milliseconds, 0), (1 << 48) - 1)) << 16 | UInt64(counter)
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64 { Int64(rawValue >> 16) }

    /// The counter within the millisecond.
    public var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

    /// Whether it is a day or more ahead of a wall clock: then one of the two clocks was wrong.
    package func isFarAhead(ofWall milliseconds: Int64) -> Bool {
        self.milliseconds - HybridClock.adoptionBoundMilliseconds >= milliseconds
    }

    /// The next greater stamp; a full counter carries into the milliseconds.
    public var next: Stamp { Stamp(rawValue: rawValue == .max ? .max : rawValue + 1) }

    /// By milliseconds, then by counter.
    @inlinable
    public static func < (left: Stamp, right: Stamp) -> Bool { left.rawValue < right.rawValue }
}

/// The clock of one replica: its stamps never decrease, whatever the wall clock does.
///
/// A replica whose last stamp is far ahead of its wall clock issues no more of them: the store goes on as a new replica,
/// whose clock begins at the wall clock.
public struct HybridClock: Hashable, Sendable {
    /// The last stamp that was issued or adopted.
    public private(set) var last: Stamp

    /// How far ahead of the wall clock a stamp from elsewhere may be to be adopted: one day.
    ///
    /// A stamp further ahead is kept and used unchanged, but does not advance this clock.
    public static let adoptionBoundMilliseconds: Int64 = 24 * 3600 * 1000

    /// A clock that continues after `last`.
    public init(last: Stamp = Stamp(rawValue: 0)) { self.last = last }

    /// Issues the stamp of an event that happens now: that of the wall clock if it is greater than the last one, else
    /// the next after the last one.
    public mutating func tick(wallMilliseconds: Int64) -> Stamp {
        last = Swift.max(Stamp(milliseconds: wallMilliseconds), last.next)
        return last
    }

    /// Adopts a stamp from elsewhere, so that later stamps of this clock are greater.
    ///
    /// - Returns: Whether it was adopted; `false` marks it as suspect, for display only.
    @discardableResult
    public mutating func observe(_ stamp: Stamp, wallMilliseconds: Int64) -> Bool {
        // A stamp has 48 bits of milliseconds, so this side cannot overflow; a wall clock may have any value.
        guard stamp.milliseconds - Self.adoptionBoundMilliseconds <= wallMilliseconds else { return false }
        last = Swift.max(last, stamp)
        return true
    }
}

extension Stamp: CustomStringConvertible {
    /// The time in UTC, such as `2026-05-01T12:00:00.250Z`, and the counter if it is not 0: `2026-05-01T12:00:00.250Z+3`.
    public var description: String {
        let (day, rest) = CivilDate.floorDivided(milliseconds, 86_400_000)
        let date = CivilDate.date(ofDay: day)
        func padded(_ number: Int64, _ width: Int) -> String {
            String(repeating: "0", count: Swift.max(0, width - "\(number)".utf8.count)) + "\(number)"
        }
        let days = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
        let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(days)T\(time).\(padded(rest % 1000, 3))Z" + (counter == 0 ? "" : "+\(counter)")
    }
}
