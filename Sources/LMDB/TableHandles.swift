import GroundwaveCLMDB
import Synchronization

/// The table handles of one environment: found by name, and checked on every use.
///
/// LMDB's rules (lmdb.h, `mdb_dbi_open`): a handle belongs to the transaction that opened it until that commits; it is
/// closed if that aborts; and no two transactions of a process may open handles at the same time. So
/// - all tables that exist are opened while the environment opens, in one read transaction;
/// - a write transaction that opens a table holds the gate's handle right until it ends, and only its commit makes
///   the handle known here;
/// - a read that meets a table not open here (another process created it) ends, a separate short read opens the handle
///   under the same right, and the first read runs again from its start;
/// - a transaction lists the handles of the moment it began. One that meets a handle opened since ends, and runs again
///   from its start.
@safe
final class TableHandles: @unchecked Sendable {
    // Why @unchecked holds: `tokens` is a fixed allocation of atomics, freed when nobody holds the object any more.
    private let known = Monitor(Known())
    /// The token of every open handle, by number; 0 if the handle is not open.
    ///
    /// Transactions read this whenever they use a table.
    let tokens: UnsafeMutablePointer<Atomic<UInt64>>
    let tokenCount: Int

    private struct Known {
        var byName: [String: OpenedTable] = [:]
        /// The handle with the highest number. Handles that are known are never closed, so it is the last one opened.
        var newest: OpenedTable?
    }

    private static let lastToken = Atomic<UInt64>(0)

    /// - Parameter capacity: The maximum number of tables open at once.
    init(capacity: Int) {
        // LMDB counts its two core tables (free pages, names) before the named ones.
        tokenCount = capacity + 2
        unsafe tokens = .allocate(capacity: tokenCount)
        for index in 0..<tokenCount { unsafe (tokens + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe tokens.deinitialize(count: tokenCount)
        unsafe tokens.deallocate()
    }

    /// Returns the table `name`; `nil` if this process does not have it open.
    func find(_ name: String) -> OpenedTable? {
        known.withLock { $0.byName[name] }
    }

    /// The table whose handle was opened last, of those that ``find(_:)`` returns; nil if there is none.
    var newest: OpenedTable? { known.withLock { $0.newest } }

    /// Gives the handle `index` a new token. Until ``committed(_:named:)``, only the transaction that opened the handle
    /// may use it, and ``find(_:)`` does not return it.
    func opened(_ index: UInt32) -> OpenedTable {
        let token = Self.lastToken.add(1, ordering: .relaxed).newValue
        precondition(Int(index) < tokenCount, "LMDB gives out no more handles than mdb_env_set_maxdbs allows.")
        // The index was checked against the allocation.
        unsafe tokens[Int(index)].store(token, ordering: .relaxed)
        return OpenedTable(index: index, token: token)
    }

    /// Registers `table` under `name`, after its transaction has committed.
    func committed(_ table: OpenedTable, named name: String) {
        known.withLock { known in
            known.byName[name] = table
            known.newest = table
        }
    }

    /// Makes the token of `table` invalid, whose transaction was aborted.
    func closed(_ table: OpenedTable) {
        unsafe tokens[Int(table.index)].store(0, ordering: .relaxed)
    }
}

/// Thrown through the body of a transaction that met a table whose handle was not open when it began.
///
/// `Environment.read` and `write` catch it, open the table if it is not open yet, and run the body again.
struct UnknownTable: Error {
    let environment: Environment
    let name: String
    /// Whether a write transaction met it; then it is not for a read around it to catch.
    let isWriting: Bool
}
