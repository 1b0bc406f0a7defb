import GroundwaveLMDB
import GroundwaveLogFormat

// Access to the log's present file. A rewrite, by this process or another one, replaces the file as a whole; the next
// read or write of this log goes to the new file.
extension EventLog {
    /// Returns the environment that was opened last; within a transaction of this thread, that of the transaction.
    func environment() -> Environment { holder.withLock { $0 } }

    /// Runs `body` in a read transaction on the newest committed state: see `Environment.read`.
    ///
    /// The file is always the one at the path. In a file that was replaced, LMDB would use the transaction numbers of
    /// the present file, and might return an outdated state.
    func read<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        try onPresentFile { environment, isNested in
            try environment.read { transaction in
                if !isNested { try Self.check(environment) }
                return try body(transaction)
            }
        }
    }

    /// Runs `body` in a write transaction of the file at the path, which is not replaced before the commit: see
    /// `Environment.write`.
    func write<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
        try onPresentFile { environment, _ in
            try environment.write { transaction in
                // Files are replaced under this lock: writes to a replaced file would be lost.
                try Self.check(environment)
                return try body(transaction)
            }
        }
    }

    /// Runs `body` with the environment; reopens the file and runs `body` again if it was replaced.
    private func onPresentFile<Result>(
        _ body: (_ environment: Environment, _ isNested: Bool) throws -> Result
    ) throws -> Result {
        try usage.begin()
        defer { usage.end() }
        while true {
            let environment = environment()
            let isNested = environment.isInTransaction
            do { return try body(environment, isNested) } catch is WasReplaced where !isNested {
                try reopen(insteadOf: environment)
            } catch let error as LMDBError where error.reason == .closed && !isClosed.load(ordering: .acquiring) {
                // Another thread, or another log object on the same file, has closed it, because the file was replaced
                // or its end was checked.
                try reopen(insteadOf: environment)
            }
        }
    }

    /// Throws unless the file of `environment` is the one at its path. Cost: a `stat`, 0.5 us.
    private static func check(_ environment: Environment) throws {
        switch environment.standing {
        case .present: return
        case .replaced: throw WasReplaced()
        case .missing: throw LMDBError(.missing, path: environment.path, during: .read)
        }
    }

    /// Opens the file that is at the path now.
    private func reopen(insteadOf old: Environment) throws {
        try reopening.withLock { _ in
            guard holder.withLock({ $0 === old }) else { return }
            // LMDB allows a file to be open once per process; this waits for the reads of other threads.
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

/// The file of an environment is no longer the one at the path.
private struct WasReplaced: Error {}
