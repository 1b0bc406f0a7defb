import GroundwaveEvents

extension Store {
    /// Writes the first event of this device's replica, unless the log has it: its key, and its device's name.
    ///
    /// The first write does so by itself; `create` calls it so that a new log is never empty.
    package func introduce() async throws {
        guard let writer else { return }
        // Every sync begins here, and tells the roots of all trees. What is hashed before goes with the commit that claims
        // the log, so that it is hashed once; a failure costs nothing but time.
        try? log.sealPending()
        try await writer.exclusively { try writer.introduceIfNew() }
        try views.catchUp()
    }
}
