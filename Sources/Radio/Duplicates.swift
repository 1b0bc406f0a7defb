import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// Two contacts that may be one.
///
/// It is computed whenever it is asked for, never stored; only that a person said "these are two" is a record, of the
/// kind ``Radio/dismissal``.
public struct DuplicatePair: Hashable, Sendable {
    /// The one that started first; of two that started together the one with the lesser id.
    public let first: DuplicateCandidate
    /// The other one.
    public let second: DuplicateCandidate

    /// How far apart they started, in seconds: see ``DuplicateCandidate/seconds(to:)``.
    public var seconds: Int64 { first.seconds(to: second) }

    /// How far apart two contacts may have started where nothing else is said, in seconds.
    ///
    /// Two programs that log one contact, one at its start and one at its end, are seldom further apart.
    public static let defaultWindow: Int64 = 120

    /// The widest window: a day, in seconds.
    public static let maximumWindow: Int64 = 86_400

    /// The pairs among `candidates`, in order of time, whatever order they come in.
    ///
    /// - Parameter window: The most seconds between two starts, from 0 to ``maximumWindow``.
    /// - Complexity: O(*n* log *n* + *p*) for *n* candidates, of which *p* have call, band, mode and time in common.
    public static func all(among candidates: [DuplicateCandidate], within window: Int64) -> [DuplicatePair] {
        precondition(0...maximumWindow ~= window, "A window has from 0 to \(maximumWindow) seconds.")
        var pairs: [DuplicatePair] = []
        for group in Dictionary(grouping: candidates, by: \.key).values where group.count > 1 {
            let ordered = group.sorted(by: isBefore)
            for (place, first) in ordered.enumerated() {
                for second in ordered[(place + 1)...] {
                    // Those behind start later still: none of them can be nearer.
                    if second.start.lowerBound - first.start.upperBound > window { break }
                    if DuplicateCandidate.mayBeOne(first.station, second.station) {
                        pairs.append(DuplicatePair(first: first, second: second))
                    }
                }
            }
        }
        return pairs.sorted { left, right in
            left.first.id == right.first.id
                ? isBefore(left.second, right.second) : isBefore(left.first, right.first)
        }
    }

    private static func isBefore(_ left: DuplicateCandidate, _ right: DuplicateCandidate) -> Bool {
        (left.start.lowerBound, left.id) < (right.start.lowerBound, right.id)
    }
}

extension ViewReader {
    /// The pairs of contacts that show and may be one, in order of time; without those that were dismissed.
    ///
    /// - Parameter window: The most seconds between two starts, from 0 to ``DuplicatePair/maximumWindow``.
    /// - Complexity: One pass over all contacts, hidden ones included, about 4 us each, and some hundred bytes of memory
    ///   for each that shows.
    public func duplicatePairs(within window: Int64 = DuplicatePair.defaultWindow) throws -> [DuplicatePair] {
        var candidates: [DuplicateCandidate] = []
        try forEachState(of: QSOKind.name) { id, state in
            if let candidate = DuplicateCandidate(id, ShownValues(state, names)) { candidates.append(candidate) }
            return true
        }
        return try DuplicatePair.all(among: candidates, within: window).filter {
            try !isDismissed($0.first.id, $0.second.id)
        }
    }

    /// Whether a person said that two contacts are two. Cost: one look-up.
    public func isDismissed(_ one: RecordID, _ other: RecordID) throws -> Bool {
        try state(of: Radio.dismissal.name, Radio.dismissalID(one, other))?.isVisible ?? false
    }
}
