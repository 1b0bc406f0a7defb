import ByteCoding
import Events

/// Goes through the times of arrival: each row has to be what was written, and the first event has to have one.
struct ArrivalCheck: RowVisitor {
    private(set) var damaged: [PageDamage] = []
    private(set) var first: Position?
    private(set) var last: Position = 0
    private(set) var malformed = 0

    mutating func damage(_ damage: PageDamage) { damaged.append(damage) }

    mutating func row(key: RawSpan, value: RawSpan) {
        guard key.byteCount == 8, let count = LogTable.arrivals.contentSize(of: value, under: key),
            Arrival(value.extracting(0..<count)) != nil
        else {
            malformed += 1
            return
        }
        last = key.bigEndianUInt64(at: 0)
        first = first ?? last
    }

    /// What is wrong, in a log whose last event stands at `end`.
    func damage(end: Position) -> [LogDamage] {
        var damage = damaged.map { LogDamage(.page, "in the table of arrivals: \($0)") }
        if malformed > 0 {
            damage.append(LogDamage(.arrival, "\(malformed) rows are not the times of arrival that were written"))
        }
        if last > end { damage.append(LogDamage(.arrival, "the log says when an event arrived that is not there")) }
        if damaged.isEmpty, malformed == 0, end > 0, first != 1 {
            damage.append(LogDamage(.arrival, position: 1, "the log does not say when its first event arrived"))
        }
        return damage
    }
}
