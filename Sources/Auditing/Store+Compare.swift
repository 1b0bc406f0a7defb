import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

extension Store {
    /// Compares this store with another one of the same log: which events are only here, only there, or different.
    ///
    /// The stores compare hashes as remote peers do: equal stores take one exchange, and one different event among
    /// 100,000 takes six, of less than 3 kB in all. Every event is hashed, so that one that was altered in its file
    /// is found too. Nothing is written.
    ///
    /// - Parameter eventLimit: The maximum number of differing events that are examined one by one.
    /// - Throws: ``StoreError`` with code `usage` if both are one store, or if they have different logs: then the
    ///   hint states whether they show the same contacts. `damaged` if an event cannot be read.
    /// - Complexity: Reads every event of both, about 1 us each, and every record if the events are the same.
    public func compare(with other: Store, eventLimit: Int = 50) throws -> StoreComparison {
        guard url.resolvingSymlinksInPath() != other.url.resolvingSymlinksInPath() else {
            throw StoreError(
                .usage, "\(url.path) and \(other.url.path) are the same store.",
                hint: "Name the folder of another store.")
        }
        guard logID == other.logID else { throw try otherLog(other) }
        let here = try describing { try HashedTrees(of: log) }
        let there = try other.describing { try HashedTrees(of: other.log) }
        let differences = try describing {
            try compare(here, with: there.vector) { replica, leaves in
                try other.describing { try there.subtree(of: replica, over: leaves) }
            }
        }
        return StoreComparison(
            replicas: try replicas(differences, here.vector, other),
            events: try events(differences, other, limit: eventLimit),
            views: differences.isSame ? try compareViews(with: other) : .notCompared,
            namesAlike: try describing { try log.streams() } == (try other.describing { try other.log.streams() }),
            exchanges: differences.exchanges, bytes: differences.bytes)
    }

    private func compare(
        _ here: HashedTrees, with vector: VersionVector, _ there: (ReplicaID, Range<UInt64>) throws -> Subtree
    ) throws -> TreeDifferences {
        var comparison = TreeComparison(log: logID, vector: here.vector)
        while let question = comparison.question {
            let answer = try question.withSpan { try ComparisonQuestion($0) }
                .answer(log: logID, vector: vector, subtree: there)
            try answer.withSpan { try comparison.receive($0, here: here.subtree) }
        }
        return comparison.differences
    }

    /// Returns the error for stores of different logs, with a hint whether they show the same contacts.
    private func otherLog(_ other: Store) throws -> StoreError {
        let (here, there) = (try digest(), try other.digest())
        return StoreError(
            .usage,
            "These are two different logs: \(logID.short) in \(url.path), and \(other.logID.short) in \(other.url.path).",
            hint: here.content == there.content
                ? "They have no events in common, but show exactly the same contacts: \(here.contentCount)."
                : """
                They have no events in common, and do not show the same contacts: \(here.contentCount) here, \
                \(there.contentCount) there.
                """)
    }

    private func replicas(
        _ differences: TreeDifferences, _ vector: VersionVector, _ other: Store
    ) throws -> [StoreComparison.Replica] {
        let names = try deviceNames().merging(try other.deviceNames()) { first, _ in first }
        var all = vector
        all.join(differences.vectorThere)
        func ranges(_ events: EventSet) -> [ReplicaID: [EventRange]] {
            Dictionary(grouping: events.ranges, by: \.replica)
        }
        let (onlyHere, onlyThere) = (ranges(differences.onlyHere), ranges(differences.onlyThere))
        let (differing, undecided) = (ranges(differences.differingEvents), ranges(differences.undecided))
        return all.entries.map { entry in
            let id = entry.replica
            return StoreComparison.Replica(
                id: id, device: names[id] ?? id.short, eventsHere: vector[id],
                eventsThere: differences.vectorThere[id], onlyHere: onlyHere[id] ?? [], onlyThere: onlyThere[id] ?? [],
                differing: differing[id] ?? [], undecided: undecided[id] ?? [])
        }
    }

    private func events(
        _ differences: TreeDifferences, _ other: Store, limit: Int
    ) throws -> [StoreComparison.Event] {
        let sets = [differences.differingEvents, differences.onlyHere, differences.onlyThere]
        let events = sets.lazy.flatMap(\.ranges).flatMap { range in
            (range.first...range.last).lazy.map { EventID(range.replica, $0) }
        }
        return try events.prefix(limit).map { event in
            StoreComparison.Event(id: event, here: try side(of: event), there: try other.side(of: event))
        }
    }

    private func side(of event: EventID) throws -> StoreComparison.Event.Side? {
        try describing { () throws -> StoreComparison.Event.Side? in
            guard let leaf = try log.leaf(of: event) else { return nil }
            let entry = try log.position(of: event).flatMap { try audit.entry(at: $0) }
            var label: String?
            if let entry, let record = try record(entry.kind, entry.record) {
                for component in components where label == nil { label = component.label?(record) }
            }
            return .init(leaf: leaf, kind: entry?.kind, record: entry?.record, label: label)
        }
    }

    /// Compares the views of two stores that have the same events.
    private func compareViews(with other: Store) throws -> StoreComparison.Views {
        let (here, there) = (try digest(), try other.digest())
        guard here.vector == there.vector else { return .notCompared }
        if here.views == there.views { return .same(here.views) }
        return .different(
            hereIsRight: try compareWithReplay().isSame, thereIsRight: try other.compareWithReplay().isSame)
    }
}

extension TreeDifferences {
    fileprivate var differingEvents: EventSet {
        EventSet(differing.map { EventRange($0.id.replica, $0.id.sequence, through: $0.id.sequence) })
    }
}
