import GroundwaveByteCoding
import GroundwaveCSQLite

/// An open SQLite database that an export writes. Used by one thread.
///
/// Every call throws ``SQLiteError`` with what SQLite reports (sqlite.org/rescode.html).
final class Database {
    private let handle: OpaquePointer

    /// Opens the file at `path`, which must exist.
    init(path: String) throws {
        var handle: OpaquePointer?
        // One thread uses it, so SQLite need not lock it at every call (sqlite.org/threadsafe.html).
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        // SQLite returns a handle even with an error, unless there is no memory for one.
        guard let handle else { throw SQLiteError(code: code, message: "out of memory") }
        self.handle = handle
        try check(code)
    }

    deinit { sqlite3_close_v2(handle) }

    /// Prepares one statement. SQLite's limits of columns and parameters hold (sqlite.org/limits.html).
    func prepare(_ sql: String) throws -> Statement {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        guard let statement else { throw SQLiteError(code: SQLITE_MISUSE, message: "not a statement: \(sql)") }
        return Statement(statement, of: self)
    }

    /// Executes one statement with `values` for its parameters; rows that it returns are dropped.
    func execute(_ sql: String, _ values: SQLiteValue...) throws { try prepare(sql).execute(values[...]) }

    fileprivate func check(_ code: Int32) throws {
        guard code != SQLITE_OK else { return }
        throw SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)))
    }
}

/// A prepared statement, which can be executed many times. It keeps its database open.
final class Statement {
    private let handle: OpaquePointer
    private let database: Database

    fileprivate init(_ handle: OpaquePointer, of database: Database) {
        (self.handle, self.database) = (handle, database)
    }

    deinit { sqlite3_finalize(handle) }

    /// Executes the statement with `values` for its parameters, in order; rows that it returns are dropped.
    ///
    /// - Precondition: There are as many values as parameters.
    func execute(_ values: ArraySlice<SQLiteValue>) throws {
        let count = sqlite3_bind_parameter_count(handle)
        precondition(values.count == count, "A statement gets a value for each parameter.")
        for (index, value) in zip(Int32(1)..., values) { try database.check(bind(value, to: index)) }
        try execute()
    }

    /// Executes the statement with the values that are bound; rows that it returns are dropped.
    func execute() throws {
        var code = sqlite3_step(handle)
        while code == SQLITE_ROW { code = sqlite3_step(handle) }
        // Returns the error of the last step again.
        try database.check(sqlite3_reset(handle))
    }

    /// Binds no value to any parameter.
    func clear() { sqlite3_clear_bindings(handle) }

    /// Binds a value to a parameter, which are numbered from 1, until another one is bound.
    func bind(_ value: SQLiteValue, _ index: Int) throws { try database.check(bind(value, to: Int32(index))) }

    /// Binds the bytes of a value to a parameter: as a text if they are UTF-8, else as a blob. They are copied.
    func bind(_ value: RawSpan, _ index: Int) throws {
        let count = Int32(clamping: value.byteCount)
        let code = value.withUnsafeBytes { bytes in
            // SQLite takes a null pointer for NULL.
            guard count > 0, let start = bytes.baseAddress else {
                return groundwave_bind_text(handle, Int32(index), "", 0)
            }
            return value.isUTF8
                ? groundwave_bind_text(
                    handle, Int32(index), start.assumingMemoryBound(to: CChar.self), count)
                : groundwave_bind_blob(handle, Int32(index), start, count)
        }
        try database.check(code)
    }

    private func bind(_ value: SQLiteValue, to index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let number): return sqlite3_bind_int64(handle, index, number)
        case .text(let text):
            // The count is of the bytes of UTF-8: a NUL within is part of the text.
            return groundwave_bind_text(handle, index, text, Int32(clamping: text.utf8.count))
        case .blob(let bytes): return groundwave_bind_blob(handle, index, bytes, Int32(clamping: bytes.count))
        }
    }
}

/// A value of a column.
enum SQLiteValue {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// A text, or NULL.
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}

/// An error that SQLite reports.
struct SQLiteError: Error, CustomStringConvertible {
    /// SQLite's result code.
    let code: Int32
    /// SQLite's message.
    let message: String

    var description: String { "\(message) (SQLite code \(code))" }
}

extension String {
    /// The name as SQL writes it: in quotes, with those inside doubled.
    var quotedInSQL: String { "\"\(replacing("\"", with: "\"\""))\"" }
}
