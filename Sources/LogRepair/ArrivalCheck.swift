import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMDBPages

/// Checks the arrivals table: each row must be undamaged, and each event must be in exactly one row.
struct ArrivalCheck: RowVisitor {
    private(set) var damaged: [PageDamage] = []
    private(set) var malformed = 0
    /// The position behind the events of the last row.
    private var next: Position = 1
    /// The first event that is in no row, or in two.
    private var odd: Position?

    mutating func damage(_ damage: PageDamage) { damaged.append(damage) }

    mutating func row(key: RawSpan, value: RawSpan) {
        guard key.byteCount == 8, let count = LogTable.arrivals.contentSize(of: value, under: key),
            let row = ArrivalRow(value.extracting(0..<count))
        else {
            malformed += 1
            return
        }
        let first = key.bigEndianUInt64(at: 0)
        if first != next { odd = odd ?? Swift.min(first, next) }
        next = first.addingReportingOverflow(row.count).partialValue
    }

    /// Returns the damage, for a log whose last event is at position `end`.
    func damage(end: Position) -> [LogDamage] {
        var damage = damaged.map { LogDamage(.page, "in the table of arrivals: \($0)") }
        if malformed > 0 {
            damage.append(LogDamage(.arrival, "damaged rows of arrival times: \(malformed)"))
        }
        // If a page is unreadable, rows are missing as well.
        if damaged.isEmpty, malformed == 0, let wrong = odd ?? (next == end + 1 ? nil : Swift.min(next, end + 1)) {
            damage.append(LogDamage(.arrival, position: wrong, "the event has no arrival time, or two"))
        }
        return damage
    }
}
