internal import struct GRDB.Configuration
internal import class GRDB.Database
internal import struct GRDB.DatabaseError
internal import class GRDB.DatabaseQueue

/// New SQLite databases, as exports write them.
enum SQLiteFile {
    /// Writes a database into the empty file at `path`, in one transaction, and closes it.
    ///
    /// The same statements give the same bytes with the same SQLite. Where this throws, the file is of no use.
    static func write<Result>(path: String, _ body: (Database) throws -> Result) throws -> Result {
        var configuration = GRDB.Configuration()
        configuration.label = "groundwave.export"
        configuration.prepareDatabase { database in
            // The file gets its name when it is whole, so neither a journal nor a flush in between serves anybody.
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
