/// The state of the one write transaction of an environment; used only by the thread that holds LMDB's writer lock.
@usableFromInline
struct WriterState {
    /// The first return code that made LMDB give the transaction up; its commit would only return `MDB_BAD_TXN`.
    @usableFromInline var firstFailure: Int32 = 0
    /// The number of closures that hold bytes of the map at this moment.
    ///
    /// A write would change those bytes under them.
    @usableFromInline var lentSpans = 0
    /// Tables first opened in this transaction; known to the environment once it has committed.
    var openedTables: [(name: String, table: OpenedTable)] = []
    /// Whether the transaction holds the right to open table handles.
    var ownsHandles = false
    /// The file that replaced the environment's during the transaction.
    var replacement: FileIdentity?

    init() {}
}
