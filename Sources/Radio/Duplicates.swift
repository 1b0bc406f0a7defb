import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// Two contacts that may be duplicates.
///
/// Pairs are computed on demand, never stored. Only a user's dismissal is stored, as a record of the kind
/// `dismissal`.
public struct DuplicatePair: Hashable, Sendable {
    /// The contact that started first; if both started together, the one with the lesser id.
    public let first: DuplicateCandidate
    /// The other contact.
    public let second: DuplicateCandidate

    /// The least difference between the starts that their times allow, in seconds: 0 between `1234` and `123450`.
    public var seconds: Int64 { first.seconds(to: second) }

    /// The default window: the greatest difference of the starts, in seconds.
    ///
    /// Two programs that log the same contact, one at its start and one at its end, rarely differ by more.
    public static let defaultWindow: Int64 = 120

    /// The widest window: a day, in seconds.
    public static let maximumWindow: Int64 = 86_400

    /// Returns the pairs among `candidates` in order of time, independent of the order of the candidates.
    ///
    /// - Parameter window: The greatest difference of the starts in seconds, from 0 to ``maximumWindow``.
    /// - Complexity: O(*n* log *n* + *p*) for *n* candidates, of which *p* pairs agree in call, band, mode and time.
    public static func all(among candidates: [DuplicateCandidate], within window: Int64) -> [DuplicatePair] {
        precondition(0...maximumWindow ~= window, "A window has from 0 to \(maximumWindow) seconds.")
        let ordered = candidates.sorted(by: isBefore)
        // The last candidate with each key, and for each candidate the one with its key before it.
        var last: [[UInt8]: Int] = [:]
        var former = [Int?](repeating: nil, count: ordered.count)
        var pairs: [DuplicatePair] = []
        for (place, second) in ordered.enumerated() {
            former[place] = last.updateValue(place, forKey: second.key)
            var earlier = former[place]
            // One that started a minute before the window cannot reach into it, nor can those before that one.
            while let index = earlier, second.start.lowerBound - ordered[index].start.lowerBound < window + 60 {
                let first = ordered[index]
                if first.seconds(to: second) <= window, DuplicateCandidate.mayBeOne(first.station, second.station) {
                    pairs.append(DuplicatePair(first: first, second: second))
                }
                earlier = former[index]
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
    /// Returns the pairs of visible contacts that may be duplicates, in order of time, without dismissed pairs.
    ///
    /// - Parameter window: The greatest difference of the starts in seconds, from 0 to
    ///   ``DuplicatePair/maximumWindow``.
    /// - Complexity: One pass over all contacts, including hidden ones, about 4 us each, and some hundred bytes of
    ///   memory for each visible contact.
    public func duplicatePairs(within window: Int64 = DuplicatePair.defaultWindow) throws -> [DuplicatePair] {
        var candidates: [DuplicateCandidate] = []
        try forEachShown(of: QSOKind.name) { id, values in
            if let candidate = DuplicateCandidate(id, values) { candidates.append(candidate) }
            return true
        }
        return try DuplicatePair.all(among: candidates, within: window).filter {
            try !isDismissed($0.first.id, $0.second.id)
        }
    }

    /// Whether a user dismissed two contacts as duplicates of each other. One look-up.
    public func isDismissed(_ one: RecordID, _ other: RecordID) throws -> Bool {
        try state(of: Radio.dismissal.name, Radio.dismissalID(one, other))?.isVisible ?? false
    }
}
