import GroundwaveEvents

/// A run of lost positions, without a valid event, and the reason.
struct LostRange {
    var positions: ClosedRange<Position>
    let what: LogDamage.What
    let detail: String
    /// The number of lost positions before this run.
    let countBefore: UInt64

    var count: UInt64 { positions.upperBound - positions.lowerBound + 1 }
}

/// A run of a replica's sequence numbers that were not found, and the positions around it.
struct Gap {
    let range: EventRange
    /// The position of the event before it; 0 if there is none.
    let after: Position
    /// The position of the event behind it; one past the last position if there is none.
    let before: Position
}

/// Matches lost positions with missing sequence numbers, to find which event was at which position.
struct Loss {
    private(set) var lostRanges: [LostRange] = []

    /// The number of positions without a valid event.
    var count: UInt64 { lostRanges.last.map { $0.countBefore + $0.count } ?? 0 }

    /// Whether `position` has no valid event.
    func contains(_ position: Position) -> Bool { lostRange(at: position) != nil }

    private func lostRange(at position: Position) -> LostRange? {
        let index = firstIndex(endingAtOrAfter: position)
        return index < lostRanges.count && lostRanges[index].positions.contains(position) ? lostRanges[index] : nil
    }

    private func firstIndex(endingAtOrAfter position: Position) -> Int {
        var (low, high) = (0, lostRanges.count)
        while low < high {
            let middle = (low + high) / 2
            if lostRanges[middle].positions.upperBound < position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Adds lost positions, behind all that were added before.
    mutating func add(_ positions: ClosedRange<Position>, _ what: LogDamage.What, _ detail: String) {
        if let last = lostRanges.last, last.what == what, last.positions.upperBound + 1 == positions.lowerBound {
            lostRanges[lostRanges.count - 1].positions = last.positions.lowerBound...positions.upperBound
        } else {
            lostRanges.append(LostRange(positions: positions, what: what, detail: detail, countBefore: count))
        }
    }

    /// Returns the number of positions from `first` on without a valid event.
    func count(from first: Position) -> UInt64 {
        let index = firstIndex(endingAtOrAfter: first)
        guard index < lostRanges.count else { return 0 }
        let before = first - Swift.min(first, lostRanges[index].positions.lowerBound)
        return count - lostRanges[index].countBefore - before
    }

    /// Describes the missing events of `gap`: the damage and the position of each piece.
    ///
    /// - Parameter runs: The runs of the replica that start in the gap or before it, in order.
    func damage(of gap: Gap, runs: [Run]) -> [LogDamage] {
        let range = gap.range
        // Only this replica's events were lost here: consecutive numbers were at consecutive positions.
        if count(from: gap.after + 1) - count(from: gap.before) == range.count {
            let start = firstIndex(endingAtOrAfter: gap.after + 1)
            var next = range.first
            return lostRanges[start..<firstIndex(endingAtOrAfter: gap.before)].map { lostRange in
                defer { next += lostRange.count }
                return damage(range.replica, next, next + lostRange.count - 1, lostRange)
            }
        }
        if let pieces = pieces(of: range, runs) { return pieces }
        let detail = "events \(range.first) to \(range.last) are missing"
        return [LogDamage(.sequence, range.replica, first: range.first, last: range.last, detail)]
    }

    /// Locates the missing events by the runs, if other replicas' events were lost among them; `nil` if they do not
    /// match.
    private func pieces(of range: EventRange, _ runs: [Run]) -> [LogDamage]? {
        var pieces: [LogDamage] = []
        var next = range.first
        while next <= range.last {
            guard let index = Self.run(of: next, in: runs) else { return nil }
            let (position, overflow) = runs[index].position.addingReportingOverflow(next - runs[index].first)
            guard !overflow, let lostRange = lostRange(at: position) else { return nil }
            let end = index + 1 < runs.count ? Swift.min(range.last, runs[index + 1].first - 1) : range.last
            let count = Swift.min(end - next, lostRange.positions.upperBound - position)
            pieces.append(
                LogDamage(
                    lostRange.what, range.replica, first: next, last: next + count, position: position, lostRange.detail
                ))
            next += count + 1
        }
        return pieces
    }

    /// Returns the last of `runs`, which are in order, that starts at or before `sequence`.
    private static func run(of sequence: SequenceNumber, in runs: [Run]) -> Int? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].first <= sequence { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }

    private func damage(_ replica: ReplicaID, _ first: SequenceNumber, _ last: SequenceNumber, _ lostRange: LostRange)
        -> LogDamage
    {
        LogDamage(
            lostRange.what, replica, first: first, last: last, position: lostRange.positions.lowerBound,
            lostRange.detail)
    }
}
