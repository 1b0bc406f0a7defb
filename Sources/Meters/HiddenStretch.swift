import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveStore

/// A stretch of a trace whose rows are not shown: hidden by somebody, or erased for ever.
public struct HiddenStretch: Hashable, Sendable {
    /// Its record, of the kind `stretch`.
    public let id: RecordID
    /// The first moment of it: milliseconds since 1970.
    public let start: Int64
    /// The first moment behind it.
    public let end: Int64
    /// Whether its rows were erased; else they show again when the record is hidden.
    public let isErased: Bool
    /// The events of blocks that are not to be read: what is left of their rows is in later blocks.
    let replaced: EventSet

    /// A stretch that was just hidden.
    init(_ id: RecordID, from start: Int64, to end: Int64) {
        (self.id, self.start, self.end, isErased, replaced) = (id, start, end, false, EventSet())
    }

    /// Reads the stretch from `record`, if it is one of `trace`; `nil` if it is not, or says nothing.
    init?(_ record: Record, of trace: String) {
        let fields = Dictionary(
            Metering.stretch.values(of: record).map { ($0.name, String(decoding: $0.value, as: UTF8.self)) },
            uniquingKeysWith: { first, _ in first })
        guard fields["TRACE"] == trace, let start = fields["FROM"].flatMap({ Int64($0) }),
            let end = fields["TO"].flatMap({ Int64($0) }), start < end
        else { return nil }
        (id, self.start, self.end, isErased) = (record.id, start, end, fields["ERASED"] == "1")
        replaced = EventSet(text: fields["REPLACED"] ?? "")
    }

    /// Whether it has the moment `time`.
    func contains(_ time: Int64) -> Bool { time >= start && time < end }
}

extension Reading {
    /// Returns the stretches of `trace` that are hidden or erased, in order of their starts.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: O(stretches of all traces).
    public func hiddenStretches(of trace: RecordID) throws -> [HiddenStretch] {
        let wanted = "\(trace)"
        let found = try read { view in
            var found: [HiddenStretch] = []
            try view.forEachRecord(of: Metering.stretch.name) { record in
                guard let stretch = HiddenStretch(record, of: wanted) else { return true }
                // What was erased does not show again, whatever becomes of the record.
                if record.isVisible || stretch.isErased { found.append(stretch) }
                return true
            }
            return found
        }
        return found.sorted { ($0.start, $0.end, $0.id) < ($1.start, $1.end, $1.id) }
    }
}

/// Which rows of a trace are not shown.
struct HiddenRows {
    private let stretches: [HiddenStretch]

    /// Whether all rows show.
    var isEmpty: Bool { stretches.isEmpty }

    init(_ stretches: [HiddenStretch]) { self.stretches = stretches }

    /// Whether a block of this event is not to be read.
    func replaces(_ event: EventID) -> Bool { stretches.contains { $0.replaced.contains(event) } }

    /// Whether a row of this time is not shown.
    func contains(_ time: Int64) -> Bool { stretches.contains { $0.contains(time) } }

    /// Whether rows of these times may be among them.
    func overlaps(_ summary: BlockSummary) -> Bool {
        stretches.contains { summary.mayHaveRows(from: $0.start, to: $0.end) }
    }

    /// Whether one of the stretches has all rows of these times.
    func covers(_ summary: BlockSummary) -> Bool {
        stretches.contains { $0.contains(summary.leastTime) && $0.contains(summary.greatestTime) }
    }

    /// Returns the rows of blocks that were replaced as ranges that neither overlap nor touch: a block that was replaced may
    /// have replaced another one, or follow one.
    static func joined(_ replaced: [Range<UInt64>]) -> [Range<UInt64>] {
        replaced.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, rows in
            if let last = joined.last, last.upperBound >= rows.lowerBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, rows.upperBound)
            } else {
                joined.append(rows)
            }
        }
    }

    /// Whether all rows of these times were erased.
    func hasErased(_ summary: BlockSummary) -> Bool {
        stretches.contains { $0.isErased && $0.contains(summary.leastTime) && $0.contains(summary.greatestTime) }
    }

    /// Returns `rows` cut into runs of those that show and those that do not, in order.
    func runs(of rows: TraceRows) -> [(rows: TraceRows, isHidden: Bool)] {
        var (runs, rest) = ([(rows: TraceRows, isHidden: Bool)](), rows)
        while let first = rest.times.first {
            let isHidden = contains(first)
            let count = rest.times.firstIndex { contains($0) != isHidden } ?? rest.count
            let (head, tail) = rest.split(at: count)
            runs.append((head, isHidden))
            rest = tail
        }
        return runs
    }
}
