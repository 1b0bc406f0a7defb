import GroundwaveEvents
import GroundwaveRecords

/// Contacts that may be duplicates, one of which is kept.
public struct DuplicateGroup: Hashable, Sendable {
    /// The contact to keep.
    public let keep: RecordID
    /// The contacts to merge into it and hide, the best first.
    public let drop: [RecordID]

    /// Returns the groups formed by `pairs`, the group with the best contact first. Each contact is in at most one
    /// group.
    ///
    /// The best contact of all is kept, and takes in every contact that forms a pair with it; then the best of the
    /// rest, and so on. So merged contacts are never further apart than the window, and after all groups are merged,
    /// only pairs of omitted groups remain. Two contacts of different stations are not merged into one without a
    /// station. Equal states of a logbook give equal groups, on every device.
    ///
    /// A group is omitted if it contains two contacts that a user dismissed as duplicates of each other: only the
    /// user can then decide how to merge it.
    ///
    /// - Parameters:
    ///   - ranks: The rank of every contact in `pairs`.
    ///   - isDismissed: Whether a user dismissed two contacts as duplicates of each other.
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
            let isContested = try drop.indices.contains { index in
                try drop[..<index].contains { try isDismissed($0, drop[index]) }
            }
            if !drop.isEmpty, !isContested { groups.append(DuplicateGroup(keep: keep.id, drop: drop)) }
        }
        return groups
    }
}

/// The order in which duplicates are preferred: the contact with the least rank is kept.
///
/// It depends only on the shown values of the record, so it is the same on every device.
public struct DuplicateRank: Hashable, Comparable, Sendable {
    /// Whether the contact was explicitly preferred; preferred contacts come first.
    public let isPreferred: Bool
    /// The number of ADIF fields with a value; more come first.
    public let fieldCount: Int
    /// The stamp of the oldest current head; earlier comes first.
    public let stamp: Stamp
    /// The id; the tie-breaker.
    public let id: RecordID

    /// Whether `left` is kept in preference to `right`.
    public static func < (left: DuplicateRank, right: DuplicateRank) -> Bool {
        if left.isPreferred != right.isPreferred { return left.isPreferred }
        if left.fieldCount != right.fieldCount { return left.fieldCount > right.fieldCount }
        return left.stamp == right.stamp ? left.id < right.id : left.stamp < right.stamp
    }
}

extension DuplicateRank {
    /// Creates the rank of `record`, a contact.
    public init(_ record: Record, isPreferred: Bool = false) {
        self.isPreferred = isPreferred
        fieldCount = record.adifFields.count { !$0.value.isEmpty }
        stamp = record.fields.flatMap(\.heads).map(\.stamp).min() ?? Stamp(rawValue: 0)
        id = record.id
    }
}
