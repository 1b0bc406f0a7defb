import GroundwaveStore

/// How a store pushes to storage. Both engines write the same objects, and each reads what the other has written.
public enum SyncEngine: String, CaseIterable, Hashable, Sendable {
    /// Changes are pushed as they happen.
    case records
    /// Changes are pushed in batches, and a snapshot is left for new devices every six hours in which something changed.
    case journal
}

/// Knows the engine that the devices of a log have agreed on. The logbook component provides it.
package protocol SyncEngineChooser: Sendable {
    /// Returns the engine that is set in `store`; `nil` if none is.
    func syncEngine(of store: Store) throws -> SyncEngine?
}

extension Store {
    /// Returns the engine with which the devices of this log synchronise: the setting `syncEngine` of the logbook;
    /// `records` if nothing is set, or if the logbook is not among the components.
    ///
    /// - Throws: ``StoreError`` if the settings cannot be read.
    /// - Complexity: A look-up.
    public func syncEngine() throws -> SyncEngine {
        for component in components {
            if let chooser = component.service as? any SyncEngineChooser {
                return try chooser.syncEngine(of: self) ?? .records
            }
        }
        return .records
    }
}
