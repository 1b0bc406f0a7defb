extension Environment {
    /// Runs `body` with a read transaction on the newest committed state and returns its result.
    ///
    /// Any number of threads read at once, and no read waits for a write. Keep it short: pages that an open read can
    /// see are not reused, so the file grows while others write. Reads nest, also inside a write, where they see the
    /// state before that write. In rare cases `body` runs again from its start: see ``Reading/table(_:of:)``.
    ///
    /// - Throws: ``LMDBError/Reason/closed``, `readersFull`, `mustReopen`; errors of `body`.
    /// - Complexity: About 0.1 µs on top of `body`, since read transactions are kept and renewed.
    @inlinable
    public func read<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R {
        while true {
            let reader = try unsafe beginReading()
            do {
                let result = try unsafe body(ReadTransaction(reader))
                unsafe endReading(reader)
                return result
            } catch {
                unsafe endReading(reader)
                try openTable(missedBy: error)
            }
        }
    }

    /// Runs `body` with a write transaction, commits what it did and returns its result; if it throws, nothing is
    /// written.
    ///
    /// With `synchronous` the commit is on disk when this returns (on Apple platforms in the drive; see
    /// ``synchronise()``). One write runs at a time over all threads and processes; others wait. The transaction
    /// belongs to the calling thread: `body` is synchronous and must not hand it on.
    ///
    /// `body` may run several times: when the map is full, the attempt is undone, the map is doubled as soon as no
    /// read is open in this process, and `body` starts again; likewise when it looks up a table that another thread has
    /// opened since it began. So it must have no effects other than its writes, or only effects that may be repeated.
    ///
    /// - Throws: ``LMDBError/Reason/diskFull(freeBytes:)``, `inputOutput`, `mustReopen`, `readOnly`, `closed`;
    ///   `mapFull` if the map cannot grow, which includes a write inside a read of the same thread; errors of `body`.
    ///   Whatever is thrown, nothing was written.
    /// - Precondition: This thread is not inside another write of this environment.
    @inlinable
    public func write<R>(_ body: (borrowing WriteTransaction) throws -> R) throws -> R {
        while true {
            let writer = try unsafe beginWriting()
            let result: Result<R, any Error>
            do {
                result = .success(try unsafe body(WriteTransaction(writer)))
            } catch {
                result = .failure(error)
            }
            let fullSize = try unsafe endWriting(writer, commits: result.isSuccess)
            if let fullSize {
                try growMap(from: fullSize)
            } else if case .failure(let failure) = result, isToRunAgain(failure) {
                continue
            } else {
                return try result.get()
            }
        }
    }
}

extension Result {
    @inlinable
    var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
