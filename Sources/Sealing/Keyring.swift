/// The keys that a device has of a sealed log: those of the epochs, and the one of the names of objects.
package struct Keyring: Secret {
    /// The 32 bytes that the names of objects are sealed with: see ``SealedNames``. They are the same in all epochs.
    package let namesKey: [UInt8]
    private var keys: [EpochID: EpochKey] = [:]

    /// The keys of some epochs, in any order.
    ///
    /// - Parameter namesKey: 32 bytes.
    package init(namesKey: [UInt8], keys: [EpochKey]) {
        precondition(namesKey.count == 32, "The key of names has 32 bytes.")
        self.namesKey = namesKey
        for key in keys { add(key) }
    }

    /// Adds the key of an epoch, unless it is there.
    package mutating func add(_ key: EpochKey) { keys[key.id] = key }

    /// Returns the key of `epoch`; `nil` if this device does not have it.
    package func key(of epoch: EpochID) -> EpochKey? { keys[epoch] }

    /// The epochs whose keys are here, in order of id.
    package var epochs: [EpochID] { keys.keys.sorted() }
}
