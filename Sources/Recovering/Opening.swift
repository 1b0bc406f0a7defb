import GroundwaveStore

/// The result of opening a store.
public enum Opening: Sendable {
    /// The store is intact.
    case ready(Store)
    /// The store is damaged; the recovery has a temporary store and the ways to proceed.
    case recovering(Recovery)

    /// The store, if it is intact.
    ///
    /// - Throws: ``StoreError`` with code `recovering` if it is not; the temporary store is then closed.
    public var whole: Store {
        get throws {
            switch self {
            case .ready(let store): return store
            case .recovering(let recovery):
                try recovery.temporary.close()
                throw StoreError(
                    .recovering, "The store is waiting for recovery: \(recovery.failure.message).",
                    hint: "To see what can be done: \(.showRecovery)")
            }
        }
    }
}
