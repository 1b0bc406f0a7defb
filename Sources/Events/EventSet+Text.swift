// Sets of events as text: `REPLICA.first-last`, separated by commas.
extension EventSet {
    /// The events as text.
    package var text: String {
        ranges.map { "\($0.replica).\($0.first)-\($0.last)" }.joined(separator: ",")
    }

    /// Parses the events that `text` names; parts that cannot be read are skipped.
    package init(text: String) { self.init(text.split(separator: ",").compactMap { Self.range(String($0)) }) }

    private static func range(_ text: String) -> EventRange? {
        guard let match = text.wholeMatch(of: /([0-9A-Z]{26})\.([0-9]{1,20})-([0-9]{1,20})/),
            let replica = ReplicaID(text: String(match.1)), let first = SequenceNumber(match.2),
            let last = SequenceNumber(match.3)
        else { return nil }
        return EventRange(replica, named: first, through: last)
    }
}
