import GroundwaveStore

extension Store {
    /// Runs the body of a write without writing anything, and returns its result.
    ///
    /// - Throws: The errors that the write would throw; those of `body` itself unchanged.
    /// - Complexity: What `body` reads. Nothing is committed; writers wait meanwhile.
    public func preview<Value: Sendable>(
        _ body: @escaping @Sendable (inout WriteBatch) throws -> Value
    ) async throws -> Value {
        guard let writer else {
            throw StoreError(.notPermitted, "The store \(files.folder.path) is read-only.")
        }
        return try await passing {
            try await writer.exclusively { [views] in
                try views.catchUp()
                var batch = writer.newBatch()
                return try body(&batch)
            }
        }
    }
}
