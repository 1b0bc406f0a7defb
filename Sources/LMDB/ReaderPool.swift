import CLMDB
import Synchronization

/// Read transactions that were reset and keep their slot in the reader table, so that the next read only has to renew
/// one (lmdb.h, `mdb_txn_reset`: "can then be renewed … saves some allocation/initialization time").
final class ReaderPool: Sendable {
    /// A reset transaction, used by nobody.
    @safe
    private struct IdleReader: @unchecked Sendable {
        // Why @unchecked holds: with MDB_NOTLS a read transaction is bound to no thread, and it is in the pool or in
        // use by one thread, never both.
        let handle: OpaquePointer
    }

    /// Enough for the threads of a small machine; each takes one slot of the reader table from other processes.
    private static let capacity = 8

    private let idle = Mutex<[IdleReader]>([])

    /// Takes a reset transaction out of the pool, if there is one.
    func take() -> OpaquePointer? {
        unsafe idle.withLock { $0.popLast() }?.handle
    }

    /// Resets `reader` and keeps it, or ends it if the pool is full.
    func put(_ reader: OpaquePointer) {
        // The caller owns the transaction and gives it up here.
        unsafe mdb_txn_reset(reader)
        let entry = unsafe IdleReader(handle: reader)
        let isKept = idle.withLock { idle in
            guard idle.count < Self.capacity else { return false }
            idle.append(entry)
            return true
        }
        if !isKept { unsafe mdb_txn_abort(reader) }
    }

    /// Ends all idle transactions; the caller is alone in the gate.
    func abortAll() {
        while let reader = unsafe take() {
            unsafe mdb_txn_abort(reader)
        }
    }
}
