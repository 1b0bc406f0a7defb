import GroundwaveCLMDB
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// The map moves only here, with the gate held exclusively: `mdb_env_set_mapsize` during an open transaction returns 0
// and leaves that transaction with dangling pointers.
extension Environment {
    /// The number of the last page of the newest state; the caller is inside the gate.
    var lastPage: Int { unsafe figures.me_last_pgno }

    /// The number of the newest state that is written, whether or not its commit has ended; the caller is inside the gate.
    var lastTransaction: Int { unsafe figures.me_last_txnid }

    /// The size of the map; the caller is inside the gate.
    var mapSizeBytes: Int { unsafe figures.me_mapsize }

    /// LMDB's figures of the environment; the caller is inside the gate.
    @unsafe var figures: MDB_envinfo {
        var info = unsafe MDB_envinfo()
        // Cannot fail with two valid pointers.
        _ = unsafe mdb_env_info(resources.handle, &info)
        return unsafe info
    }

    /// Doubles the map, which was full at `fullSize` bytes, unless another thread has done so.
    @usableFromInline
    func growMap(from fullSize: Int) throws(LMDBError) {
        try resizeMap(during: .grow) { current in
            current > fullSize ? nil : current.multipliedReportingOverflow(by: 2).partialValue
        }
    }

    /// Adopts the map size that another process has given the file.
    func adoptMapSize(during operation: LMDBError.Operation) throws(LMDBError) {
        // Zero asks LMDB for the size in the newest meta page (lmdb.h, mdb_env_set_mapsize).
        try resizeMap(during: operation) { _ in 0 }
    }

    private func resizeMap(
        during operation: LMDBError.Operation, _ newSize: (_ current: Int) -> Int?
    ) throws(LMDBError) {
        let outcome = gate.exclusively { isClosed -> LMDBError.Reason? in
            guard !isClosed else { return .closed }
            let current = mapSizeBytes
            guard let size = newSize(current) else { return nil }
            // A failed mapping would leave LMDB without any map, and it cannot restore the old one: so try the size
            // first.
            guard size == 0 || canMap(size) else { return .mapFull(mapSizeBytes: current) }
            guard unsafe mdb_env_set_mapsize(resources.handle, size) == 0 else {
                // No map any more: the next transaction would touch unmapped memory.
                isClosed = true
                release()
                return .mustReopen
            }
            // The map may lie elsewhere now.
            unsafe resources.mapStart.pointee.store(0, ordering: .relaxed)
            return nil
        }
        // The outer nil: this thread is inside another transaction, and would wait for itself without end.
        guard let outcome else {
            throw error(operation == .grow ? .mapFull(mapSizeBytes: mapSizeBytes) : .inUse, during: operation)
        }
        if let reason = outcome { throw error(reason, during: operation) }
    }

    /// Whether the address space has `byteCount` bytes in one piece for this file.
    private func canMap(_ byteCount: Int) -> Bool {
        guard byteCount > 0 else { return false }
        var descriptor: Int32 = -1
        guard unsafe mdb_env_get_fd(resources.handle, &descriptor) == 0 else { return false }
        // A separate mapping beside the others; it is never read, and removed at once.
        let address = unsafe mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else { return false }
        unsafe munmap(address, byteCount)
        return true
    }
}
