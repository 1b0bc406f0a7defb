import CLMDB

/// The size of a table.
public struct TableStatistics: Hashable, Sendable {
    /// The number of its entries.
    public let entries: Int
    /// The bytes of its pages, including those that are only half full.
    public let bytes: Int
}

extension Reading where Self: ~Copyable {
    /// The entries and bytes of `table`, without walking through it.
    public func statistics<Key: TableKey>(of table: Table<Key>) throws -> TableStatistics {
        let reference = unsafe transactionReference
        try unsafe reference.check(table)
        var statistics = MDB_stat()
        // The handle belongs to this transaction's environment, as just checked.
        let code = unsafe mdb_stat(reference.handle, table.index, &statistics)
        guard code == 0 else { throw unsafe reference.failure(code, .read) }
        let pages = statistics.ms_branch_pages + statistics.ms_leaf_pages + statistics.ms_overflow_pages
        return TableStatistics(entries: Int(statistics.ms_entries), bytes: Int(pages) * Int(statistics.ms_psize))
    }
}

/// The library underneath.
public enum LMDBLibrary {
    /// The version of liblmdb that this process runs with, such as `0.9.31`.
    public static var version: String {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        // Only fills the three numbers; the text it returns is not used.
        _ = unsafe mdb_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }
}
