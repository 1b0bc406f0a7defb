import LMDB

// Which file is read and written. It is replaced as a whole when values are erased, by this process or another one; then
// the next read or write of this log goes to the new file.
extension EventLog {
    /// The environment of the file that is at the path now.
    ///
    /// Within a transaction of this thread it is the one of that transaction. Cost: a `stat`, 0.5 us.
    func environment() throws -> Environment {
        let known = holder.withLock { $0 }
        if !known.isReplaced || isClosed.load(ordering: .acquiring) || known.isInTransaction { return known }
        return try reopening.withLock { _ in
            let current = holder.withLock { $0 }
            guard current.isReplaced else { return current }
            // LMDB allows one open file of a name; this waits for the reads of other threads.
            current.close()
            let new = try Environment.open(path, options: options)
            guard try Self.names(in: new) == (id, epoch) else {
                throw EventLogError.damaged("the file at its path, which is another log now")
            }
            holder.withLock { $0 = new }
            lastWriter.forget()
            return new
        }
    }

    /// Runs `body` with a look at the newest committed state: see `Environment.read`.
    func read<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        while true {
            let environment = try environment()
            do { return try environment.read(body) } catch let error as LMDBError where isOutrun(error, environment) {
                continue
            }
        }
    }

    /// Runs `body` with the write transaction of the file that is at the path and stays so until the commit: see
    /// `Environment.write`.
    func write<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
        while true {
            let environment = try environment()
            do {
                return try environment.write { transaction in
                    // Whoever replaced the file did so under this lock: what is written to the old one would be lost.
                    if environment.isReplaced { throw WasReplaced() }
                    return try body(transaction)
                }
            } catch is WasReplaced where !environment.isInTransaction {
                continue
            } catch let error as LMDBError where isOutrun(error, environment) {
                continue
            }
        }
    }

    /// Whether another thread closed `environment`, since its file was replaced, after this one had asked for it.
    private func isOutrun(_ error: LMDBError, _ environment: Environment) -> Bool {
        error.reason == .closed && !isClosed.load(ordering: .acquiring) && environment.isReplaced
    }
}

/// The file was replaced before this process got the writer lock.
private struct WasReplaced: Error {}
