internal import struct GRDB.Configuration
internal import class GRDB.Database
internal import struct GRDB.DatabaseError
internal import class GRDB.DatabaseQueue

/// New SQLite databases, as exports write them.
enum SQLiteFile {
    /// Writes a database into the empty file at `path`, in one transaction, and closes it.
    ///
    /// The same statements give the same bytes with the same version of SQLite. If this throws, the file is unusable.
    static func write<Result>(path: String, _ body: (Database) throws -> Result) throws -> Result {
        var configuration = GRDB.Configuration()
        configuration.label = "groundwave.export"
        configuration.prepareDatabase { database in
            // The file takes its name only when it is complete, so neither a journal nor intermediate flushes are
            // needed.
            try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let result = try queue.write(body)
        try queue.close()
        return result
    }

    /// Whether `error` is one of SQLite's.
    static func isOfWriting(_ error: any Error) -> Bool { error is DatabaseError }
}
