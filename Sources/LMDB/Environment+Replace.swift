import GroundwaveCLMDB

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// How a file replaces one that several processes have open.
//
// All of them share the lock file, which belongs to the path, and so they share one writer lock: each process that
// gets it checks whether its file is still the one at the path, and opens the new one if not. The lock file also
// holds the number of the last transaction, and LMDB picks the odd or the even one of the two meta pages by it
// (mdb.c, mdb_txn_renew0). So the new file continues the count of the old one: its two meta pages have the two
// numbers that the old ones had, and point to the same state. A transaction that begins in either file then finds a
// complete state, and a reader of the file alone finds two consecutive numbers, as in every file that LMDB has
// written.
extension Environment {
    /// Whether the file that an environment has open is still the one at its path.
    public enum Standing: Sendable, Hashable {
        /// It is the file at its path.
        case present
        /// Another file has taken its place, by ``replaceFile(during:_:)`` of any process or otherwise.
        case replaced
        /// There is no file at the path any more.
        case missing
    }

    /// Whether the open file is still the one at the path. Does not change during a write. Cost: a `stat`, 0.5 us.
    public var standing: Standing {
        guard let identity else { return .present }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return errno == ENOENT || errno == ENOTDIR ? .missing : .present }
        return FileIdentity(status) == identity ? .present : .replaced
    }

    /// Whether this thread is inside a transaction of this environment, and so must not close it.
    public var isInTransaction: Bool { gate.isInside }

    /// Replaces this environment's file with a new one that holds what `fill` writes, and no page of the old one.
    ///
    /// The new file is built under a temporary name and flushed before it is renamed: after an interruption the path
    /// has the old file or the finished new one. A leftover whose name ends in `.creating` may be deleted. When this
    /// returns, the old file has no name any more, and whatever is written to it is lost. So end `transaction`
    /// without having written, close this environment, and open the path again; other processes do that when
    /// ``standing`` changes.
    ///
    /// - Parameters:
    ///   - transaction: The write transaction of this environment, which keeps out all other writers.
    ///   - fill: Writes everything, in one transaction of the new file; runs again if its map was too small.
    /// - Throws: ``LMDBError/Reason/diskFull(freeBytes:)``, `inputOutput`; errors of `fill`. The path then has the
    ///   old file, unless only the last flush of the folder failed: then ``standing`` is `replaced`.
    /// - Precondition: This file has not been replaced.
    public func replaceFile(
        during transaction: borrowing WriteTransaction, _ fill: (borrowing WriteTransaction) throws -> Void
    ) throws {
        precondition(gate.isWriting && standing == .present, "A file is replaced under its own writer lock.")
        // The number of this transaction is one more than that of the last committed one.
        let last = max(1, unsafe UInt64(mdb_txn_id(transaction.transactionReference.handle)) - 1)
        var options = options
        options.initialMapSizeBytes = max(options.initialMapSizeBytes, try fileSizeBytes)
        let temporary = FileSystem.temporaryName(for: path)
        do {
            try Self.withNew(temporary, for: path, options: options) { try $0.write(fill) }
            let file = try OpenFile(temporary, O_RDWR)
            try MetaPages.continueCounting(from: last, in: file, pageSize: pageSize)
            try file.synchronise()
            // The only write transaction is this thread's, as checked above.
            try unsafe transaction.transactionReference.writer?.pointee.replacement = FileIdentity(file.status())
            try FileSystem.synchronise(folder: FileSystem.folder(of: path))
            try FileSystem.rename(temporary, over: path)
            try FileSystem.synchronise(folder: FileSystem.folder(of: path))
        } catch {
            FileSystem.remove(temporary)
            guard let failure = error as? SystemError else { throw error }
            throw LMDBError(.init(code: failure.code, at: path, during: .replace), path: path, during: .replace)
        }
    }
}
