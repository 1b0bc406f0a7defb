import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB

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
        let content = try log.content()
        var counted = filter
        if end < (try log.lastPosition()), counted.vector == nil { counted.vector = try log.vector(through: end) }
        if let range = counted.altered(of: archived).first {
            throw EventLogError.archived(EventID(range.replica, range.first))
        }
        let environment = try beginning(at: path, of: log, kinds: kinds, content)
        let replayer = Replayer(log: log, kinds: kinds, filter: filter, folded: archived)
        return (environment, try replayer.catchUp(environment, through: end).events)
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

    static func create(
        at path: String, log: EventLog, kinds: Kinds, _ content: LogContent
    ) throws -> Environment {
        try Environment.create(at: path, options: options) { transaction in
            let checkpoint = Checkpoint(
                log: log.id, epoch: log.epoch, signature: kinds.signature, content: content)
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
