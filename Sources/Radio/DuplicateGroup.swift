import GroundwaveEvents
import GroundwaveRecords

/// Contacts that may be one, of which one is to stay.
public struct DuplicateGroup: Hashable, Sendable {
    /// The one that stays.
    public let keep: RecordID
    /// Those that are to be merged into it and hidden, the best first.
    public let drop: [RecordID]

    /// The groups that `pairs` make, the one with the best contact first; each contact is in one group at most.
    ///
    /// The best contact of all stays, and takes in whatever makes a pair with it; then the best of the rest. So what is
    /// merged was never further apart than the window, and when all groups were merged no pair is left but those of
    /// groups that are left out. Two contacts of different stations are not merged into one that does not say its
    /// station. Equal states of a logbook give equal groups, on every device.
    ///
    /// A group with two contacts in it that a person said are two is left out: who is who is for a person to say.
    ///
    /// - Parameters:
    ///   - ranks: Of every contact of `pairs`.
    ///   - isDismissed: Whether a person said that two contacts are two.
    public static func all(
        of pairs: [DuplicatePair], ranks: [RecordID: DuplicateRank],
        isDismissed: (RecordID, RecordID) throws -> Bool
    ) rethrows -> [DuplicateGroup] {
        var partners: [DuplicateCandidate: [DuplicateCandidate]] = [:]
        for pair in pairs {
            partners[pair.first, default: []].append(pair.second)
            partners[pair.second, default: []].append(pair.first)
        }
        func isBetter(_ left: DuplicateCandidate, _ right: DuplicateCandidate) -> Bool {
            guard let leftRank = ranks[left.id], let rightRank = ranks[right.id] else {
                preconditionFailure("Every contact of a pair has a rank.")
            }
            return leftRank < rightRank
        }
        var taken: Set<RecordID> = []
        var groups: [DuplicateGroup] = []
        for keep in partners.keys.sorted(by: isBetter) where taken.insert(keep.id).inserted {
            var station = keep.station
            var drop: [RecordID] = []
            for partner in partners[keep, default: []].sorted(by: isBetter) where !taken.contains(partner.id) {
                guard DuplicateCandidate.mayBeOne(station, partner.station) else { continue }
                if station.isEmpty { station = partner.station }
                drop.append(partner.id)
            }
            taken.formUnion(drop)
            let isContested = try drop.indices.contains { place in
                try drop[..<place].contains { try isDismissed($0, drop[place]) }
            }
            if !drop.isEmpty, !isContested { groups.append(DuplicateGroup(keep: keep.id, drop: drop)) }
        }
        return groups
    }
}

/// Which of several contacts that may be one is to stay: the least rank.
///
/// It is made of nothing but what the record shows, so it is the same on every device.
public struct DuplicateRank: Hashable, Comparable, Sendable {
    /// Whether it is one of those that were asked for: these go first.
    public let isPreferred: Bool
    /// How many ADIF fields have a value: more go first.
    public let fieldCount: Int
    /// When the oldest value that still counts was written: earlier goes first.
    public let stamp: Stamp
    /// The id: decides where all else is equal.
    public let id: RecordID

    /// Whether `left` stays rather than `right`.
    public static func < (left: DuplicateRank, right: DuplicateRank) -> Bool {
        if left.isPreferred != right.isPreferred { return left.isPreferred }
        if left.fieldCount != right.fieldCount { return left.fieldCount > right.fieldCount }
        return left.stamp == right.stamp ? left.id < right.id : left.stamp < right.stamp
    }
}

extension DuplicateRank {
    /// The rank of `record`, a contact.
    public init(_ record: Record, isPreferred: Bool = false) {
        self.isPreferred = isPreferred
        fieldCount = record.adifFields.count { !$0.value.isEmpty }
        stamp = record.fields.flatMap(\.heads).map(\.stamp).min() ?? Stamp(rawValue: 0)
        id = record.id
    }
}
