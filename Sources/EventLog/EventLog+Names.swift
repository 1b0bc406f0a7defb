import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

/// The names that the events of a log had at some time.
///
/// A fork renames the events behind it, so a set of events that is kept beside these names can be converted to the names of
/// a later time: see ``EventLog/renamings(since:)``.
public struct EventNames: Hashable, Sendable {
    /// The branches of the log.
    let branches: Set<ReplicaID>
    /// The position of the last event.
    let last: Position
}

/// What a fork did to names: event `after + n` of `stream` is event `n` of `branch` now.
public struct EventRenaming: Hashable, Sendable {
    /// The branch that forked.
    public let stream: ReplicaID
    /// The number of its last event that keeps its name.
    public let after: SequenceNumber
    /// The branch of the events behind that.
    public let branch: ReplicaID
}

extension EventLog {
    /// Returns the names of the events now. Cost: two look-ups in a log without forks, about 2 us.
    public func eventNames() throws -> EventNames {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            let last = try tables.state(in: transaction).nextPosition - 1
            return EventNames(branches: Set(try Self.streams(in: transaction, tables).branches.keys), last: last)
        }
    }

    /// Returns how events that were here when the log had `names` have been renamed since, in the order to apply.
    ///
    /// A branch that came with events of another store renames nothing: its first event is behind the last one of then.
    /// Cost: a look-up in a log without forks, about 1 us.
    public func renamings(since names: EventNames) throws -> [EventRenaming] {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            let streams = try Self.streams(in: transaction, tables)
            var found: [(depth: Int, renaming: EventRenaming)] = []
            for (branch, start) in streams.branches where !names.branches.contains(branch) {
                let first = try Self.position(of: EventID(branch, 1), in: transaction, tables)
                guard let first, first <= names.last else { continue }
                let renaming = EventRenaming(stream: start.parent, after: start.after, branch: branch)
                found.append((streams.path(to: branch).count, renaming))
            }
            // An event that was renamed may have been renamed again.
            return found.sorted { ($0.depth, $0.renaming.branch) < ($1.depth, $1.renaming.branch) }.map(\.renaming)
        }
    }
}

extension VersionVector {
    /// Returns the same events by their names after `renamings`.
    public func renamed(by renamings: [EventRenaming]) -> VersionVector {
        var vector = self
        for renaming in renamings where vector[renaming.stream] > renaming.after {
            vector[renaming.branch] = vector[renaming.stream] - renaming.after
            vector[renaming.stream] = renaming.after
        }
        return vector
    }
}

extension EventSet {
    /// Returns the same events by their names after `renamings`.
    public func renamed(by renamings: [EventRenaming]) -> EventSet {
        renamings.reduce(self) { set, renaming in
            EventSet(
                set.ranges.flatMap { range in
                    guard range.replica == renaming.stream, range.last > renaming.after else { return [range] }
                    let first = Swift.max(range.first, renaming.after + 1)
                    var parts = [
                        EventRange(renaming.branch, first - renaming.after, through: range.last - renaming.after)
                    ]
                    if first > range.first { parts.append(EventRange(range.replica, range.first, through: first - 1)) }
                    return parts
                })
        }
    }
}
