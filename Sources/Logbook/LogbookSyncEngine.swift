import GroundwaveStore
import GroundwaveSyncing

/// Reads the engine from the synchronised preferences: set on one device, it holds on all.
struct LogbookSyncEngine: SyncEngineChooser {
    /// The name of the preference.
    static let setting = "syncEngine"

    func syncEngine(of store: Store) throws -> SyncEngine? {
        // A value that a later version knows is no engine of this one.
        try store.setting(Self.setting).flatMap { SyncEngine(rawValue: $0.value) }
    }
}
