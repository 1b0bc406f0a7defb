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
///   under the same right, and the first read runs again from its start.
@safe
final class TableHandles: @unchecked Sendable {
    // Why @unchecked holds: `tokens` is a fixed allocation of atomics, freed when nobody holds the object any more.
    private let byName = Monitor<[String: OpenedTable]>([:])
    /// The token of every open handle, by number; 0 if the handle is not open.
    ///
    /// Transactions read this whenever they use a table.
    let tokens: UnsafeMutablePointer<Atomic<UInt64>>
    let tokenCount: Int

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
        byName.withLock { $0[name] }
    }

    /// The names of the tables that this process has open.
    var names: [String] { byName.withLock { Array($0.keys) } }

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
        byName.withLock { $0[name] = table }
    }

    /// Removes `table`, after its transaction was aborted or it was dropped. Its token is invalid from now on.
    func closed(_ table: OpenedTable, named name: String) {
        unsafe tokens[Int(table.index)].store(0, ordering: .relaxed)
        byName.withLock { known in
            if known[name]?.token == table.token { known[name] = nil }
        }
    }
}

/// Thrown through the body of a read that met a table which this process has not opened yet; `Environment.read`
/// catches it, opens the table and runs the body again.
struct UnopenedTable: Error {
    let environment: Environment
    let name: String
}
