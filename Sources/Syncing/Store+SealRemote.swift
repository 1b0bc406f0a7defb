import GroundwaveEvents
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveStore

extension Store {
    /// Seals what lies at a remote: everything that other devices have left there is pulled first; then the open objects are
    /// deleted, and each device pushes sealed ones with its next sync. Devices that belong to the log follow by themselves.
    ///
    /// If it is interrupted, the remote is open, or nothing is pushed there until this is repeated.
    ///
    /// - Returns: The number of objects deleted.
    /// - Throws: ``StoreError`` with code `usage` if the log is not sealed, or the remote is a device; as
    ///   ``sync(_:isPulling:isPushing:isFull:)``.
    @discardableResult
    public func seal(remote name: String) async throws -> Int { try await change(remote: name, toOpen: false) }

    /// Opens what lies at a remote to everybody who can read there: the sealed objects are deleted, and each device that has
    /// done the same pushes open ones. The log stays sealed.
    ///
    /// - Returns: The number of objects deleted.
    /// - Throws: As ``seal(remote:)``.
    @discardableResult
    public func unseal(remote name: String) async throws -> Int { try await change(remote: name, toOpen: true) }

    private func change(remote name: String, toOpen isOpen: Bool) async throws -> Int {
        try requireWritable()
        guard try isSealed() else {
            throw StoreError(.usage, "The log is not sealed.", hint: "To seal it: \(.sealLog)")
        }
        let remote = try remote(name)
        guard case .storage(let storage) = try remote.address.access(in: accessContext) else {
            throw StoreError(
                .usage, "\(remote.address) is a device, where nothing lies.", hint: "Nothing was changed.")
        }
        let sealed = isOpen ? try sealed(storage, for: name) : nil
        let here: any Transport = sealed ?? storage
        var count = 0
        do {
            if try await RemoteLayout.log(at: here) == logID {
                // What is of the other form stays: other devices have pushed it meanwhile.
                let isOther = { (name: ObjectName) async throws(TransportError) -> Bool in
                    if let sealed { return try await sealed.isOpen(name) }
                    return try await SealedTransport.isSealed(name, at: storage)
                }
                // What other devices have left there may be nowhere else.
                let pulled = try await sync(
                    remote, through: .storage(here), isPulling: true, isPushing: false, isFull: true)
                var isRead = pulled.pending.isEmpty
                for store in pulled.quarantined.keys where isRead {
                    isRead = try await !RemoteInventory.holdsObjects(of: store, at: here, unless: isOther)
                }
                guard isRead else {
                    throw StoreError(
                        .notPermitted,
                        "Something that lies at \(remote.address) cannot be read here: it would be lost.",
                        hint: "Nothing was deleted. To see what it is: \(.synchronise).")
                }
                // Another program of this device pushes nothing meanwhile, and knows afterwards what lies there.
                let lock = try await PassLock.taken(for: remote, in: files)
                defer { withExtendedLifetime(lock) {} }
                try setOpen(isOpen, remote: name)
                count = try await RemoteInventory.delete(at: here, unless: isOther)
            }
            try setOpen(isOpen, remote: name)
            if let sealed { count += try await PlacedKeys(at: storage).delete(Set(sealed.keyring.epochs)) }
        } catch { throw Self.describe(error, at: remote, file: files.log) }
        try files.write(RemoteCache(), of: name)
        return count
    }

    /// Notes whether a remote stays open although the log is sealed.
    func setOpen(_ isOpen: Bool, remote name: String) throws {
        try syncFile.update { file in
            let before = file.open
            file.open = (file.open ?? []).filter { $0 != name } + (isOpen ? [name] : [])
            return file.open != before
        }
    }
}
