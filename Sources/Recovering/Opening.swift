import GroundwaveStore

/// What came of opening a store.
public enum Opening: Sendable {
    /// The store is whole.
    case ready(Store)
    /// The store is damaged: what can be used meanwhile, and what can be done.
    case recovering(Recovery)

    /// The store, where it is whole.
    ///
    /// - Throws: ``StoreError`` with code `recovering` where it is not; the store that is used meanwhile is closed.
    public var whole: Store {
        get throws {
            switch self {
            case .ready(let store): return store
            case .recovering(let recovery):
                try recovery.temporary.close()
                throw StoreError(
                    .recovering, "The store waits in recovery: \(recovery.failure.message).",
                    hint: "See groundwave recover status.")
            }
        }
    }
}
