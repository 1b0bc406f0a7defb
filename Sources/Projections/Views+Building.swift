import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

// Builds files of views: for these views, for another store, or for another point in time.
extension Views {
    /// Builds the views of `log` through `end` in a new file at `path`: for another store, or another point in time.
    ///
    /// If history was archived, the fold begins with the archive snapshot.
    ///
    /// - Throws: ``EventLog/EventLogError/archived(_:)`` if the fold would need, or would have to leave out, an event
    ///   whose values are archived.
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
        // Commits of the views are not flushed. After a power cut the whole file is discarded: see ViewsBoot.
        options.synchronous = false
        // No other process uses a file that is still being built.
        options.patience = nil
        return options
    }

    static func create(
        at path: String, log: EventLog, kinds: Kinds, _ content: LogContent
    ) throws -> Environment {
        try Environment.create(at: path, options: options) { transaction in
            let checkpoint = Checkpoint(
                log: log.id, epoch: log.epoch, content: content)
            try RowWriter.create(checkpoint, of: kinds, in: transaction)
        }
        return try openNew(path)
    }

    /// Opens newly created views.
    ///
    /// - Throws: ``ViewError/stale`` if they are empty: then the file was deleted in between, and LMDB has created an
    ///   empty one on opening it.
    static func openNew(_ path: String) throws -> Environment {
        let environment = try Environment.open(path, options: options)
        do { try environment.read { _ = try ViewTables(in: $0) } } catch is ViewError {
            environment.close()
            throw ViewError.stale
        }
        return environment
    }
}
