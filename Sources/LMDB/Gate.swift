import GroundwaveCLMDB

/// Counts the transactions of one environment in this process, so that the map is moved, and the environment closed,
/// only while none is open (lmdb.h, `mdb_env_set_mapsize`: "if there are no transactions active in this process").
///
/// Transactions of several threads are inside together. A thread that needs the gate exclusively waits for those
/// inside, while new threads wait for it; a thread that is already inside may always enter again, or it would wait
/// for itself.
///
/// The gate also keeps read transactions that were reset: they keep their slot in the reader table, so that the next
/// read only has to renew one (lmdb.h, `mdb_txn_reset`). The same lock guards them, so a read locks only twice.
final class Gate: Sendable {
    /// A reset read transaction.
    @safe
    private struct IdleReader: @unchecked Sendable {
        // Why @unchecked holds: with MDB_NOTLS a read transaction is bound to no thread, and it is kept here or in use
        // by one thread, never both.
        let handle: OpaquePointer
    }

    /// Enough for the threads of a small machine; each takes a slot of the reader table away from other processes.
    private static let maximumIdleReaders = 8

    private struct State {
        /// One element for each open transaction.
        var inside: [ThreadIdentity] = []
        var writer: ThreadIdentity?
        /// The thread whose open transaction has opened table handles; see TableHandles.swift.
        var handleOwner: ThreadIdentity?
        var exclusiveWaiterCount = 0
        var isHeldExclusively = false
        var isClosed = false
        var idleReaders: [IdleReader] = []
    }

    private let monitor = Monitor(State())

    /// Enters with one transaction, or returns false if the environment is closed.
    func enter() -> Bool {
        enter { _ in true } ?? false
    }

    /// Enters with a read, and takes a kept reset transaction if there is one; nil if the environment is closed.
    func enterToRead() -> OpaquePointer?? {
        unsafe enter { state in unsafe state.idleReaders.popLast()?.handle }
    }

    private func enter<R>(_ body: (inout State) -> R) -> R? {
        let me = ThreadIdentity.current
        return monitor.wait { state in
            !state.isHeldExclusively && (state.exclusiveWaiterCount == 0 || state.inside.contains(me))
        } then: { state in
            guard !state.isClosed else { return nil }
            state.inside.append(me)
            return body(&state)
        }
    }

    /// Leaves with one transaction of this thread.
    func leave() {
        leave { _ in }
    }

    /// Leaves with a read of this thread and keeps its transaction `reader`, which was reset, for another read.
    func leave(keeping reader: OpaquePointer) {
        let idle = unsafe IdleReader(handle: reader)
        leave { state in
            if state.idleReaders.count < Self.maximumIdleReaders {
                state.idleReaders.append(idle)
            } else {
                // The caller has given it up, and this thread is still inside.
                unsafe mdb_txn_abort(idle.handle)
            }
        }
    }

    /// Ends the kept read transactions; the caller holds the gate exclusively.
    func endIdleReaders() {
        monitor.withLock { state in
            for idle in state.idleReaders { unsafe mdb_txn_abort(idle.handle) }
            state.idleReaders = []
        }
    }

    private func leave(_ body: (inout State) -> Void) {
        let me = ThreadIdentity.current
        let someoneWaits = monitor.withLock { state in
            // The newest first, since transactions of one thread nest.
            guard let index = state.inside.lastIndex(of: me) else {
                preconditionFailure("A transaction ends on the thread it began on.")
            }
            body(&state)
            state.inside.remove(at: index)
            return state.inside.isEmpty && state.exclusiveWaiterCount > 0
        }
        if someoneWaits { monitor.wakeAll() }
    }

    /// Runs `body` while no transaction of this process is open, or returns nil if this thread itself is inside one.
    ///
    /// - Parameter waits: Whether to wait for other threads that are inside; if not, nil is returned for them, too.
    func exclusively<R>(waits: Bool = true, _ body: (_ isClosed: inout Bool) throws -> R) rethrows -> R? {
        let me = ThreadIdentity.current
        let mayWait = monitor.withLock { state in
            guard waits ? !state.inside.contains(me) : state.inside.isEmpty && !state.isHeldExclusively else {
                return false
            }
            state.exclusiveWaiterCount += 1
            return true
        }
        guard mayWait else { return nil }
        var isClosed = monitor.wait { state in
            state.inside.isEmpty && !state.isHeldExclusively
        } then: { state in
            state.isHeldExclusively = true
            return state.isClosed
        }
        defer {
            monitor.withLock { state in
                state.isHeldExclusively = false
                state.exclusiveWaiterCount -= 1
                state.isClosed = isClosed
            }
            monitor.wakeAll()
        }
        return try body(&isClosed)
    }

    /// Whether the environment is closed.
    var isClosed: Bool { monitor.withLock { $0.isClosed } }

    /// Whether this thread is inside a transaction.
    var isInside: Bool {
        let me = ThreadIdentity.current
        return monitor.withLock { $0.inside.contains(me) }
    }

    /// Whether this thread is inside its write transaction.
    var isWriting: Bool {
        let me = ThreadIdentity.current
        return monitor.withLock { $0.writer == me }
    }

    /// Records that this thread has begun, or has ended, the write transaction.
    func setWriting(_ isWriting: Bool) {
        let me = ThreadIdentity.current
        monitor.withLock { $0.writer = isWriting ? me : nil }
    }

    /// Waits for the right to open table handles and takes it; false if another transaction of this thread has it.
    func takeHandles() -> Bool {
        let me = ThreadIdentity.current
        return monitor.wait { state in
            state.handleOwner == nil || state.handleOwner == me
        } then: { state in
            guard state.handleOwner == nil else { return false }
            state.handleOwner = me
            return true
        }
    }

    /// Gives the right to open table handles back.
    func releaseHandles() {
        monitor.withLock { $0.handleOwner = nil }
        monitor.wakeAll()
    }
}
