import GroundwaveLMDB

// Which file is read and written. It is replaced as a whole when values are erased, by this process or another one; then
// the next read or write of this log goes to the new file.
extension EventLog {
    /// The environment that was open last; within a transaction of this thread, the one of that transaction.
    func environment() -> Environment { holder.withLock { $0 } }

    /// Runs `body` with a look at the newest committed state: see `Environment.read`.
    ///
    /// The state is that of the file at the path: in another one, which had its place before, LMDB would go by the numbers
    /// of the present one, and might show the state before the last.
    func read<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        try onPresentFile { environment, isNested in
            try environment.read { transaction in
                if !isNested { try Self.check(environment) }
                return try body(transaction)
            }
        }
    }

    /// Runs `body` with the write transaction of the file that is at the path and stays so until the commit: see
    /// `Environment.write`.
    func write<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
        try onPresentFile { environment, _ in
            try environment.write { transaction in
                // Whoever replaced the file did so under this lock: what is written to the old one would be lost.
                try Self.check(environment)
                return try body(transaction)
            }
        }
    }

    /// Runs `body` with the environment, and once more with another one where that was of a file which is not at the path
    /// any more.
    private func onPresentFile<Result>(
        _ body: (_ environment: Environment, _ isNested: Bool) throws -> Result
    ) throws -> Result {
        while true {
            let environment = environment()
            let isNested = environment.isInTransaction
            do { return try body(environment, isNested) } catch is WasReplaced where !isNested {
                try reopen(insteadOf: environment)
            } catch let error as LMDBError where error.reason == .closed && !isClosed.load(ordering: .acquiring) {
                // Another thread, or another log object on the same file, has closed it: its file was replaced, or its end was
                // checked.
                try reopen(insteadOf: environment)
            }
        }
    }

    /// Throws unless the file of `environment` is the one at its path. Cost: a `stat`, 0.5 us.
    private static func check(_ environment: Environment) throws {
        switch environment.standing {
        case .present: return
        case .replaced: throw WasReplaced()
        case .gone: throw LMDBError(.missing, path: environment.path, during: .read)
        }
    }

    /// Opens the file that is at the path now.
    private func reopen(insteadOf old: Environment) throws {
        try reopening.withLock { _ in
            guard holder.withLock({ $0 === old }) else { return }
            // LMDB allows one open file of a name; this waits for the reads of other threads.
            old.close()
            let new = try Environment.open(path, options: options)
            guard try Self.names(in: new) == (id, epoch) else {
                new.close()
                throw EventLogError.anotherLog
            }
            holder.withLock { $0 = new }
            lastWriter.forget()
        }
    }
}

/// The file is not the one at the path any more.
private struct WasReplaced: Error {}
