/// New SQLite databases, as exports write them.
enum SQLiteFile {
    /// Writes a database into the empty file at `path`, in one transaction, and closes it.
    ///
    /// The same statements give the same bytes with the same version of SQLite. If this throws, the file is unusable.
    static func write<Result>(path: String, _ body: (Database) throws -> Result) throws -> Result {
        let database = try Database(path: path)
        // The file takes its name only when it is complete, so neither a journal nor intermediate flushes are needed.
        try database.execute("PRAGMA journal_mode = OFF")
        try database.execute("PRAGMA synchronous = OFF")
        try database.execute("BEGIN IMMEDIATE")
        let result = try body(database)
        try database.execute("COMMIT")
        return result
    }

    /// Whether `error` is one of SQLite's.
    static func isOfWriting(_ error: any Error) -> Bool { error is SQLiteError }
}
