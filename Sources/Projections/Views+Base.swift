import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRecords

// The starting point of every fold: empty views, or the archive snapshot of the log.
extension Views {
    /// Writes the archive snapshot to a new file at `path`.
    private static func copyBase(of log: EventLog, to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = FileHandle(forWritingAtPath: path)
        else { throw ViewError.stale }
        try log.forEachPieceOfBase { try file.write(contentsOf: $0) }
        try file.close()
    }

    /// Returns the archive snapshot without the values of `events`.
    ///
    /// - Parameter path: A path for a temporary file.
    public static func base(of log: EventLog, without events: EventSet, temporaryPath path: String) throws -> [UInt8] {
        defer { unlink(path) }
        try copyBase(of: log, to: path)
        do { return try Snapshot.bytes(of: path, in: log, without: events) } catch is SnapshotError {
            throw EventLogError.damaged("the snapshot of archived history")
        }
    }

    /// Creates a file at `path` with the starting point of every fold of `log`: empty, or the archive snapshot.
    ///
    /// - Parameter content: The content of the log before anything of it was read, which goes into the checkpoint. If
    ///   the log is rewritten meanwhile, the view is therefore stale.
    static func beginning(
        at path: String, of log: EventLog, kinds: Kinds, _ content: LogContent
    ) throws -> Environment {
        guard let base = try log.base() else { return try create(at: path, log: log, kinds: kinds, content) }
        let copy = "\(path).base"
        defer { unlink(copy) }
        try copyBase(of: log, to: copy)
        let reader: SnapshotReader
        do {
            reader = try SnapshotReader(copy)
            try reader.verify()
        } catch is SnapshotError {
            if FileID(path: copy) == nil { throw ViewError.stale }
            throw EventLogError.damaged("the snapshot of archived history")
        }
        let missing = try log.vector().ranges(missingFrom: base.vector)
        let next = try missing.compactMap { try log.position(of: EventID($0.replica, $0.first)) }.min()
        let start = try next ?? log.lastPosition() + 1
        return try load(
            reader, at: path, of: log, kinds: kinds, resumingAfter: start - 1, isBase: true, content: content)
    }
}
