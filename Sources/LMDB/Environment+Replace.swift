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
// new file's last transaction must be odd or even as that of the old one was, and not be greater: then the next number
// follows in both, and a reader of either file finds a whole state.
extension Environment {
    /// Whether another file has taken the place of this one at its path, by ``replaceFile(during:_:)`` of any process.
    ///
    /// Inside a write it stays as it is until that ends. A path that has no file is no replacement. Cost: 0.5 us.
    public var isReplaced: Bool {
        guard let identity else { return false }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        return FileIdentity(status) != identity
    }

    /// Whether this thread is inside a transaction of this environment, so that it must not be closed by it.
    public var isInTransaction: Bool { gate.isInside }

    /// Puts a new file with what `fill` writes in the place of this environment's: no page of the old one is in it.
    ///
    /// The new file is built aside and put on disk before it gets the name: wherever this is interrupted, the path has
    /// the old file or the finished new one. A leftover whose name ends in `.creating` may be deleted. When this returns,
    /// the old file has no name any more; what is written to it is lost. So end `transaction` without having written,
    /// close this environment, and open the path again; other processes do that when ``isReplaced`` tells them.
    ///
    /// - Parameters:
    ///   - transaction: The write transaction of this environment: nobody else writes meanwhile.
    ///   - fill: Writes everything, in one transaction of the new file; runs again where its map was too small.
    /// - Throws: ``LMDBError/Reason/diskFull(freeBytes:)``, `inputOutput`; errors of `fill`. The path then has the old
    ///   file, unless only the last flush of the folder failed: then ``isReplaced`` is true.
    /// - Precondition: This file has not been replaced.
    public func replaceFile(
        during transaction: borrowing WriteTransaction, _ fill: (borrowing WriteTransaction) throws -> Void
    ) throws {
        precondition(gate.isWriting && !isReplaced, "A file is replaced under its own writer lock.")
        let last = try info().lastTransaction
        let names = tables.names
        var options = options
        options.initialMapSizeBytes = max(options.initialMapSizeBytes, try fileSizeBytes)
        let temporary = FileSystem.temporaryName(for: path)
        do {
            try Self.withNew(temporary, for: path, options: options) { new in
                if last.isMultiple(of: 2) {
                    try new.write { for name in names { _ = try $0.openOrCreate(name, of: [UInt8].self) } }
                }
                try new.write(fill)
                let number = try new.info().lastTransaction
                precondition(number <= last && (last - number).isMultiple(of: 2), "Both files count alike.")
            }
            try OpenFile(temporary, O_RDWR).synchronise()
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
