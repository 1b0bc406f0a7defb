/// A named, sorted table of an environment whose keys are `Key`s and whose values are bytes.
///
/// A table is a small handle: it may be kept and used in any later transaction of the same environment on any thread,
/// which saves the look-up by name. It stops working (``LMDBError/Reason/noTable``) when the environment closes, or
/// when the write transaction that first opened it is aborted. The key type is not stored in the file: look a table up
/// with the type it was filled with.
public struct Table<Key: TableKey>: Sendable, Hashable {
    /// LMDB's number for the table within its environment.
    @usableFromInline let index: UInt32
    /// Identifies this opening of the table uniquely within this process, so that a stale handle is refused.
    @usableFromInline let token: UInt64

    @usableFromInline
    init(_ opened: OpenedTable) {
        index = opened.index
        token = opened.token
    }
}

/// An open LMDB database handle together with the token of its opening.
@usableFromInline
struct OpenedTable: Sendable {
    @usableFromInline let index: UInt32
    @usableFromInline let token: UInt64
}
