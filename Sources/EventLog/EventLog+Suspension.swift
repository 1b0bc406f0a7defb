import GroundwaveLMDB

extension EventLog {
    /// Writes what is still in memory, as far as that is possible, and closes the file until it is used again.
    ///
    /// What cannot be written is no loss: the end of the log is searched at the next opening, and hashes are computed anew.
    ///
    /// - Precondition: ``usage`` has let nobody in: this runs within `Usage.suspend`.
    package func suspend() {
        if !isReadOnly {
            try? endTrailing()
            try? writeSeals()
        }
        holder.withLock { $0 }.close()
        lastWriter.forget()
    }

    /// Closes a suspended log, without opening its file.
    ///
    /// - Returns: `false` if it is not suspended; then nothing was done.
    package func closeSuspended() -> Bool { usage.closeSuspended { isClosed.store(true, ordering: .releasing) } }

    /// Whether the log was closed for good.
    package var wasClosed: Bool { isClosed.load(ordering: .acquiring) }
}
