import GroundwaveCLMDB

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// How a file takes the place of one that several processes have open.
//
// All of them share the lock file, which belongs to the path, so all of them share one writer lock: whoever gets it
// looks whether the file is still that of the path, and opens the new one if not. The lock file also says the number of
// the last transaction, and LMDB takes the odd or even one of the two meta pages by it (mdb.c, mdb_txn_renew0). So the
// new file goes on counting where the old one stopped: its two meta pages have the numbers that the old ones had, and
// lead to the same state. A transaction that begins in either file then finds a whole state, and whoever looks at the
// file without the lock file finds neighbours, as in every file that LMDB has written.
extension Environment {
    /// What became of the file that an environment has open.
    public enum Standing: Sendable, Hashable {
        /// It is the file at its path.
        case present
        /// Another file has taken its place, by ``replaceFile(during:_:)`` of any process or otherwise.
        case replaced
        /// There is no file at the path any more.
        case gone
    }

    /// What became of the file. Inside a write it stays as it is until that ends. Cost: a `stat`, 0.5 us.
    public var standing: Standing {
        guard let identity else { return .present }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return errno == ENOENT || errno == ENOTDIR ? .gone : .present }
        return FileIdentity(status) == identity ? .present : .replaced
    }

    /// Whether this thread is inside a transaction of this environment, so that it must not be closed by it.
    public var isInTransaction: Bool { gate.isInside }

    /// Puts a new file with what `fill` writes in the place of this environment's: no page of the old one is in it.
    ///
    /// The new file is built aside and put on disk before it gets the name: wherever this is interrupted, the path has
    /// the old file or the finished new one. A leftover whose name ends in `.creating` may be deleted. When this returns,
    /// the old file has no name any more; what is written to it is lost. So end `transaction` without having written,
    /// close this environment, and open the path again; other processes do that when ``standing`` tells them.
    ///
    /// - Parameters:
    ///   - transaction: The write transaction of this environment: nobody else writes meanwhile.
    ///   - fill: Writes everything, in one transaction of the new file; runs again where its map was too small.
    /// - Throws: ``LMDBError/Reason/diskFull(freeBytes:)``, `inputOutput`; errors of `fill`. The path then has the old
    ///   file, unless only the last flush of the folder failed: then ``standing`` says so.
    /// - Precondition: This file has not been replaced.
    public func replaceFile(
        during transaction: borrowing WriteTransaction, _ fill: (borrowing WriteTransaction) throws -> Void
    ) throws {
        precondition(gate.isWriting && standing == .present, "A file is replaced under its own writer lock.")
        // The number of this transaction is one more than that of the last one.
        let last = max(1, unsafe UInt64(mdb_txn_id(transaction.transactionReference.handle)) - 1)
        var options = options
        options.initialMapSizeBytes = max(options.initialMapSizeBytes, try fileSizeBytes)
        let temporary = FileSystem.temporaryName(for: path)
        do {
            try Self.withNew(temporary, for: path, options: options) { try $0.write(fill) }
            let file = try OpenFile(temporary, O_RDWR)
            try MetaPages.goOn(countingFrom: last, in: file, pageSize: pageSize)
            try file.synchronise()
            // The one write transaction is this thread's, as was made sure of above.
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
