import EventLog
import LMDB

/// A copy of a log with the archived values filled in, in a temporary folder that is deleted with this object.
final class FilledLog: Sendable {
    let log: EventLog
    /// The path of the copy.
    let path: String
    private let folder: ScratchFolder

    /// Copies `original` together with the values in the archives at `paths`, and closes `original`.
    init(_ original: EventLog, from paths: [String]) throws {
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
