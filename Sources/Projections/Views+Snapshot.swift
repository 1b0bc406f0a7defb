import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRecords

extension Snapshot {
    /// The layout of the views that snapshots are made of and loaded into by this version of the program.
    package static var layout: UInt64 { Kinds.viewVersion }

    /// Returns whether the snapshot at `path` was made by this version of the program, of `log` as its events are named now.
    ///
    /// - Throws: ``SnapshotError`` if it is no snapshot.
    package static func isCurrent(at path: String, of log: EventLog) throws -> Bool {
        let head = try SnapshotReader(path).head
        return try head.layout == Kinds.layout(for: log, of: head.vector)
    }
}

extension Views {
    /// Builds views in a new file at `path` from a snapshot alone, for a device that does not have the events yet.
    ///
    /// Nothing is compared with the trees of a log, and no record has a history: whoever calls this has checked where the
    /// snapshot comes from, and shows the views for what they are. They are never rebuilt.
    ///
    /// - Parameters:
    ///   - snapshot: The path of the snapshot, whose layout is ``Snapshot/layout``.
    ///   - log: An empty log with the id of that of the snapshot.
    /// - Throws: ``SnapshotError`` if the snapshot is unusable.
    /// - Complexity: O(records), about 2 us each.
    package static func ofSnapshot(
        _ snapshot: String, in log: EventLog, kinds: Kinds, at path: String
    ) throws -> Views {
        let reader = try SnapshotReader(snapshot)
        guard reader.head.log == log.id else { throw SnapshotError.otherHistory }
        // Of a log with forks, or with events that do not count, it is a hash, see Kinds.layout(for:of:), which only who has the events can compare.
        let isHash = reader.head.layout > UInt64(UInt32.max)
        guard reader.head.layout == Kinds.viewVersion || isHash else { throw SnapshotError.otherVersion }
        let environment = try create(at: path, log: log, kinds: kinds, try log.content())
        do {
            let replayer = Replayer(log: log, kinds: kinds, folded: reader.head.vector)
            try replayer.begin(environment, with: reader, through: 0)
        } catch {
            environment.close()
            throw error
        }
        environment.close()
        let views = Views(of: log, kinds: kinds, at: path, isReadOnly: true)
        views.adopt(path)
        return views
    }
}
