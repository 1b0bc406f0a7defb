import GroundwaveEventLog
import GroundwaveLMDB

/// A copy of a log with the values that were archived, in a folder that goes away with it.
package final class FilledLog: Sendable {
    let log: EventLog
    /// Where it is.
    package let path: String
    private let folder: ScratchFolder

    /// Copies `original`, which is closed, with what the archives at `paths` have.
    package init(_ original: EventLog, from paths: [String]) throws {
        defer { try? original.close() }
        folder = try ScratchFolder()
        var archives = try Archives(paths, of: original.id)
        path = folder.path(of: "log.mdb")
        try original.copy(to: path) { try archives.frame(of: $0) }
        var options = Environment.Options()
        options.isReadOnly = true
        log = try EventLog(opening: path, options: options)
    }

    deinit { try? log.close() }
}
