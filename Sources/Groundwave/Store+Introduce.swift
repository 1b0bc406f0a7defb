import Events

extension Store {
    /// Writes the first event of this device's replica, unless the log has it: its key, and its device's name.
    ///
    /// The first write does so by itself; `create` calls it so that a new log is never empty.
    func introduce() async throws {
        guard let writer else { return }
        try await writer.exclusively { try writer.introduceIfNew() }
        try views.catchUp()
    }
}
