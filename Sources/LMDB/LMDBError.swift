/// What went wrong with an environment, in which file and during which operation.
///
/// The reason carries the numbers needed to act; ``description`` is a sentence for the person in front of the screen.
public struct LMDBError: Error, Equatable, Sendable {
    /// What went wrong.
    public let reason: Reason
    /// The file of the environment.
    public let path: String
    /// The operation that failed.
    public let operation: Operation

    /// An error of `operation` on the environment at `path`.
    public init(_ reason: Reason, path: String, during operation: Operation) {
        self.reason = reason
        self.path = path
        self.operation = operation
    }

    /// The operation during which an error occurred.
    public enum Operation: String, Sendable {
        case create, open, read, write, commit, grow, synchronise, replace, close
    }

    /// Why an operation failed.
    public enum Reason: Equatable, Sendable {
        /// There is no file at the path.
        case missing
        /// The file has no bytes at all. It is never taken for a new environment.
        case empty
        /// The file is `actual` bytes long although its contents need `expected` bytes.
        case truncated(expected: Int, actual: Int)
        /// A file is at the path already; nothing was overwritten.
        case exists
        /// The file was not written by LMDB.
        case notLMDB
        /// The file has LMDB data version `found`, which this library does not read (it reads version 1).
        case versionMismatch(found: Int)
        /// LMDB found a structure it cannot read. `code` is LMDB's return code.
        case damaged(code: Int32, text: String)
        /// The map has no room left and could not be grown.
        case mapFull(mapSizeBytes: Int)
        /// All `maximum` reader slots are taken.
        case readersFull(maximum: Int)
        /// Another process holds the lock: this one, if it is known.
        case locked(by: WriterLock.Holder?)
        /// This user may not open the file, or may not make its lock file.
        case permission
        /// The environment was opened read-only, so it takes no writes.
        case readOnly
        /// The file system is read-only; the environment may still be opened read-only.
        case readOnlyFileSystem
        /// The disk is full; `freeBytes` are left. Everything committed before is intact.
        case diskFull(freeBytes: Int)
        /// The operating system failed to read or write.
        case inputOutput(errno: Int32)
        /// The operating system refused for another reason, given by the number.
        case system(errno: Int32)
        /// An earlier write of a meta page failed. The environment takes no more transactions until it is reopened.
        case mustReopen
        /// An appended key does not sort after the last key of its table.
        case keyOrder
        /// A key is `byteCount` bytes long; keys have 1 to 511 bytes.
        case keySize(byteCount: Int)
        /// A value is `byteCount` bytes long; values have at most 4,294,967,295.
        case valueTooLarge(byteCount: Int)
        /// One transaction changed more pages than LMDB can keep track of.
        case transactionTooLarge
        /// A table name is empty, longer than a key, or holds a zero byte.
        case tableName(String)
        /// All `maximum` tables of ``Environment/Options/tables`` are open.
        case tablesFull(maximum: Int)
        /// The table is not part of this snapshot, or its handle came from a dropped table, from an aborted
        /// transaction or from another environment.
        case noTable
        /// The cursor is not on an entry.
        case noEntry
        /// The environment was closed.
        case closed
        /// The file is open in this process with other options, or this thread's outer transaction is in the way.
        case inUse
        /// Any other code of LMDB.
        case other(code: Int32, text: String)
    }
}

extension LMDBError.Reason: CustomStringConvertible {
    /// What is wrong, in words that continue “the file is damaged: ”.
    public var description: String {
        switch self {
        case .missing: "it is missing"
        case .empty: "it is empty"
        case .truncated(let expected, let actual): "it has \(actual) of at least \(expected) bytes"
        case .notLMDB: "it is not an LMDB file"
        case .versionMismatch(let found): "it has LMDB data version \(found), and this program reads version 1"
        case .damaged(let code, let text): "\(text) (LMDB code \(code))"
        case .locked: "another program is writing to it"
        case .permission: "permission denied"
        case .readOnly, .readOnlyFileSystem: "it can only be read"
        case .diskFull: "the disk is full"
        case .inputOutput(let code), .system(let code): "the system refused (error \(code))"
        default: "LMDB refused"
        }
    }
}

extension LMDBError: CustomStringConvertible {
    /// What happened, to which file, and what to do.
    public var description: String { "\(path): \(explanation)" }

    private var explanation: String {
        switch reason {
        case .missing: "there is no such file. Check the path, or create the store first."
        case .empty:
            "the file is empty (0 bytes), but a store never is. It was left untouched; restore it from a copy."
        case .truncated(let expected, let actual):
            "the file was cut short: it has \(actual) of at least \(expected) bytes. "
                + "Do not write to it; restore a copy or salvage what is left."
        case .exists: "a file is already there. Nothing was overwritten; choose another name or move it away."
        case .notLMDB: "this is not an LMDB file. Check the path."
        case .versionMismatch(let found):
            "the file has LMDB data version \(found), but this program reads version 1. Use the program that wrote it."
        case .damaged(let code, let text):
            "the file is damaged (\(text), LMDB code \(code)). Do not write to it; salvage it or restore a copy."
        case .mapFull(let bytes):
            "the map of \(bytes) bytes is full and could not be grown. "
                + "End long-running reads, or allow this process to use more address space."
        case .readersFull(let maximum):
            "all \(maximum) reader slots are taken. Close other programs that use the file, or end long reads."
        case .locked(let holder):
            "\(holder.map { "the program \($0.program), process \($0.process)," } ?? "another program") is writing and "
                + "has not finished. Nothing was written; try again when it has finished, or end it."
        case .permission:
            "permission denied (\(operation.rawValue)). Check who owns the file, its folder and its lock file."
        case .readOnly: "the store was opened read-only. Open it for writing first."
        case .readOnlyFileSystem: "the file system is read-only. Open the store read-only, or copy it elsewhere."
        case .diskFull(let free):
            "the disk is full (\(free) bytes free). What was saved before is safe; free some space and try again."
        case .inputOutput(let code):
            "the disk failed to \(operation == .read ? "read" : "write") (\(systemMessage(code))). "
                + "Copy the file to another disk before going on."
        case .system(let code): "\(operation.rawValue) failed (\(systemMessage(code)))."
        case .mustReopen: "an earlier write failed half-way. Close the store and open it again."
        case .keyOrder: "a key to append does not sort after the last key of its table. Nothing was appended."
        case .keySize(let count): "a key has \(count) bytes; keys have 1 to \(maximumKeyByteCount)."
        case .valueTooLarge(let count): "a value of \(count) bytes is too large. Store it in parts."
        case .transactionTooLarge: "too much was changed at once, and nothing was saved. Save it in several steps."
        case .tableName(let name):
            "\"\(name)\" is not a valid table name: names have 1 to \(maximumKeyByteCount) bytes, none of them zero."
        case .tablesFull(let maximum): "all \(maximum) tables are open. Open the store with room for more tables."
        case .noTable: "the table does not exist in this state of the store. Look it up again."
        case .noEntry: "the cursor is not on an entry. Move it first."
        case .closed: "the store was closed. Open it again."
        case .inUse: "the store is already open with other options, or is used by a transaction around this call."
        case .other(let code, let text): "\(operation.rawValue) failed: \(text) (code \(code))."
        }
    }
}
