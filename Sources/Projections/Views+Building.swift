import EventLog
import Events
import Foundation
import LMDB

// How a file of views is made, for these views, another store, or another point in time.
extension Views {
    /// Builds the views of `log` up to `end` in a new file at `path`: for another store, or another point in time.
    ///
    /// Where history was archived, the fold begins with the log's base.
    ///
    /// - Throws: ``EventLog/EventLogError/archived(_:)`` where the values of an event are archived that would have to be
    ///   folded, or left out.
    static func build(
        at path: String, of log: EventLog, kinds: Kinds, through end: Position = .max,
        _ filter: EventFilter = EventFilter()
    ) throws -> (environment: Environment, events: Int) {
        let archived = try log.base()?.vector ?? VersionVector()
        var counted = filter
        if end < (try log.lastPosition()), counted.vector == nil { counted.vector = try log.vector(through: end) }
        if let range = counted.altered(of: archived).first {
            throw EventLogError.archived(EventID(range.replica, range.first))
        }
        let environment = try beginning(at: path, of: log, kinds: kinds)
        let replayer = Replayer(log: log, kinds: kinds, filter: filter, folded: archived)
        return (environment, try replayer.catchUp(environment, through: end).events)
    }

    /// Writes the snapshot that stands for archived history to a new file at `path`.
    private static func copyBase(of log: EventLog, to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = FileHandle(forWritingAtPath: path)
        else { throw ViewError.stale }
        try log.forEachPieceOfBase { try file.write(contentsOf: $0) }
        try file.close()
    }

    /// The snapshot that stands for archived history, without the values of `events`.
    ///
    /// - Parameter path: A place in a temporary folder.
    public static func base(of log: EventLog, without events: EventSet, scratchPath path: String) throws -> [UInt8] {
        defer { unlink(path) }
        try copyBase(of: log, to: path)
        do { return try Snapshot.bytes(of: path, in: log, without: events) } catch is SnapshotError {
            throw EventLogError.damaged("the snapshot that stands for archived history")
        }
    }

    /// A new file at `path` with what every fold of `log` begins with: nothing, or its base where history was archived.
    static func beginning(at path: String, of log: EventLog, kinds: Kinds) throws -> Environment {
        guard let base = try log.base() else { return try create(at: path, log: log, kinds: kinds) }
        let copy = "\(path).base"
        defer { unlink(copy) }
        try copyBase(of: log, to: copy)
        let reader: SnapshotReader
        do {
            reader = try SnapshotReader(copy)
            try reader.verify()
        } catch is SnapshotError {
            if FileID(path: copy) == nil { throw ViewError.stale }
            throw EventLogError.damaged("the snapshot that stands for archived history")
        }
        let missing = try log.vector().ranges(missingFrom: base.vector)
        let next = try missing.compactMap { try log.position(of: EventID($0.replica, $0.first)) }.min()
        let start = try next ?? log.lastPosition() + 1
        return try load(reader, at: path, of: log, kinds: kinds, goingOnAfter: start - 1, isBase: true)
    }

    static var options: Environment.Options {
        var options = Environment.Options()
        options.tables = ViewTables.count
        // A commit of the views is not flushed. After a power cut nothing of the file is believed: see ViewsBoot.
        options.synchronous = false
        // Files in the making are nobody else's.
        options.patience = nil
        return options
    }

    static func create(at path: String, log: EventLog, kinds: Kinds) throws -> Environment {
        try Environment.create(at: path, options: options) { transaction in
            let checkpoint = Checkpoint(
                log: log.id, epoch: log.epoch, signature: kinds.signature, readings: try log.readingsCount())
            try RowWriter.create(checkpoint, in: transaction)
        }
        return try openNew(path)
    }

    /// Opens views that were made just now.
    ///
    /// - Throws: ``ViewError/stale`` where they are empty: then they were deleted in between, and LMDB, which was about to
    ///   open them, has made a file of its own.
    static func openNew(_ path: String) throws -> Environment {
        let environment = try Environment.open(path, options: options)
        do { try environment.read { _ = try ViewTables(in: $0) } } catch is ViewError {
            environment.close()
            throw ViewError.stale
        }
        return environment
    }
}
