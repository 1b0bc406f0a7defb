import GroundwaveEvents

extension Store {
    /// Writes the first event of this device's replica, unless the log has it: its key, and the name of its device.
    ///
    /// The first write does this by itself; `create` calls it so that a new log is never empty.
    ///
    /// - Parameter isNewLog: Whether the log begins with it: then it has the log's key for ids.
    package func introduce(isNewLog: Bool = false) async throws {
        guard let writer else { return }
        // Every sync begins here, and announces the roots of all trees. Leaves hashed before the claim are stored by
        // the claim's commit, so that they are hashed only once; a failure costs only time.
        try? log.sealPending()
        try await writer.exclusively { try writer.introduceIfNew(isNewLog: isNewLog) }
        try views.catchUp()
    }
}
