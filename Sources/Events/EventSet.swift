/// A set of events, as runs of numbers for each replica: for example those left out, taken back or withheld.
public struct EventSet: Hashable, Sendable {
    /// The runs of each replica, in order; they neither overlap nor touch.
    private var runs: [ReplicaID: [ClosedRange<SequenceNumber>]] = [:]

    /// No events.
    public init() {}

    /// The events of these runs.
    public init(_ ranges: some Sequence<EventRange>) {
        for range in ranges { insert(range) }
    }

    /// Whether the set is empty.
    public var isEmpty: Bool { runs.isEmpty }

    /// The number of events; clamped, since a set from elsewhere may contain any numbers.
    public var count: UInt64 {
        runs.values.joined().reduce(0) { sum, run in
            let (result, overflow) = sum.addingReportingOverflow(run.upperBound - run.lowerBound + 1)
            return overflow ? .max : result
        }
    }

    /// The events as runs, in order of replica and number.
    public var ranges: [EventRange] {
        runs.sorted { $0.key < $1.key }.flatMap { replica, runs in
            runs.map { EventRange(replica, $0.lowerBound, through: $0.upperBound) }
        }
    }

    /// Whether the set contains `event`. Cost: O(log runs).
    public func contains(_ event: EventID) -> Bool {
        guard let runs = runs[event.replica] else { return false }
        let index = Self.index(of: event.sequence, in: runs)
        return index < runs.count && runs[index].lowerBound <= event.sequence
    }

    /// Whether the set contains all events of `range`.
    public func contains(_ range: EventRange) -> Bool {
        guard let runs = runs[range.replica] else { return false }
        let index = Self.index(of: range.first, in: runs)
        return index < runs.count && runs[index].lowerBound <= range.first && range.last <= runs[index].upperBound
    }

    /// Adds `event`. Cost: O(runs).
    public mutating func insert(_ event: EventID) {
        insert(EventRange(event.replica, event.sequence, through: event.sequence))
    }

    /// Adds the events of `range`. Cost: O(log runs), and O(runs after it).
    public mutating func insert(_ range: EventRange) {
        // In place, since events are often added one by one.
        Self.insert(range.first, range.last, into: &runs[range.replica, default: []])
    }

    private static func insert(
        _ first: SequenceNumber, _ last: SequenceNumber, into list: inout [ClosedRange<SequenceNumber>]
    ) {
        let start = index(of: first > 1 ? first - 1 : 1, in: list)
        var (first, last, end) = (first, last, start)
        while end < list.count, list[end].lowerBound <= last || list[end].lowerBound - 1 == last {
            first = Swift.min(first, list[end].lowerBound)
            last = Swift.max(last, list[end].upperBound)
            end += 1
        }
        list.replaceSubrange(start..<end, with: CollectionOfOne(first...last))
    }

    /// Adds all events of `other`.
    public mutating func formUnion(_ other: EventSet) {
        for range in other.ranges { insert(range) }
    }

    /// The events of either set.
    public func union(_ other: EventSet) -> EventSet {
        var all = self
        all.formUnion(other)
        return all
    }

    /// The events that are not in `other`. Cost: O(runs of both).
    public func subtracting(_ other: EventSet) -> EventSet {
        var rest = EventSet()
        for range in ranges {
            var next: SequenceNumber? = range.first
            for gap in other.runs[range.replica] ?? [] where gap.lowerBound <= range.last {
                guard let start = next, gap.upperBound >= start else { continue }
                if gap.lowerBound > start {
                    rest.insert(EventRange(range.replica, start, through: gap.lowerBound - 1))
                }
                // No number follows the greatest one.
                next = gap.upperBound < .max ? gap.upperBound + 1 : nil
            }
            if let next, next <= range.last { rest.insert(EventRange(range.replica, next, through: range.last)) }
        }
        return rest
    }

    /// The events that are in both. Cost: O(runs of both).
    public func intersection(_ other: EventSet) -> EventSet { subtracting(subtracting(other)) }

    /// The index of the first run that ends at or after `number`.
    private static func index(of number: SequenceNumber, in runs: [ClosedRange<SequenceNumber>]) -> Int {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
