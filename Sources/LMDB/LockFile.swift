#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The file beside an environment through which processes share the writer lock and the reader table.
///
/// liblmdb creates it with `ftruncate`, which reserves no space on the disk, and maps it: on a full disk the first
/// access to the map would end the process with SIGBUS. So a missing lock file is created here, with its space
/// reserved.
enum LockFile {
    /// The path of the lock file of the environment at `path` (`MDB_NOSUBDIR`).
    static func path(of path: String) -> String { path + "-lock" }

    /// Creates the lock file of the environment at `path` if there is none, with slots for `readers`.
    ///
    /// It is renamed when complete, and only if the name is free, since another process may be creating it too. LMDB
    /// initialises a file of zeros if no other process has it open.
    static func make(for path: String, readers: Int) throws(SystemError) {
        let name = Self.path(of: path)
        guard !FileSystem.isTaken(name) else { return }
        let temporary = FileSystem.temporaryName(for: name)
        do {
            // A slot has 64 bytes, and two more hold the locks (mdb.c, MDB_reader and MDB_txninfo).
            let zeros = [UInt8](repeating: 0, count: (readers + 2) * 64)
            try OpenFile(temporary, O_WRONLY | O_CREAT | O_EXCL).write(zeros)
            try FileSystem.rename(temporary, toUnused: name)
        } catch {
            FileSystem.remove(temporary)
            guard error.code == EEXIST else { throw error }
        }
    }
}
