import GroundwaveEvents
import GroundwaveReplication
import GroundwaveSealing
import Synchronization

/// A remote whose storage learns nothing: everything is sealed before it leaves the device, under names that tell nothing but
/// their order ([SealedFormat.md](../../Docs/SealedFormat.md)).
///
/// What cannot be opened is `refused`: it was changed, put in the place of another object, or sealed with a key that nobody has
/// given to this device.
package final class SealedTransport: Transport, OtherForm {
    /// What is sealed is sealed with the key of this epoch, whose key file says so at the remote.
    package struct Writing: Sendable {
        /// The key.
        let key: EpochKey
        /// The bytes of its key file.
        let file: [UInt8]
        /// The epochs that it replaces: their key files are deleted.
        let former: Set<EpochID>

        package init(key: EpochKey, file: [UInt8], former: Set<EpochID>) {
            (self.key, self.file, self.former) = (key, file, former)
        }
    }

    package let storage: any Transport
    private let keys: LogKeys
    private let names: SealedNames
    /// Returns the keys that the key files at a remote hold for this device.
    private let unlock: @Sendable ([KeyFile]) -> [EpochKey]
    /// Returns what to seal with; throws if there is no key that only those have who belong to the log.
    private let writing: @Sendable () async throws -> Writing
    private let state: Mutex<State>

    private struct State {
        var keyring: Keyring
        /// The epochs whose key files are at the remote.
        var announced: Set<EpochID> = []
        /// The key files at the remote that were read.
        var read: Set<ObjectName> = []
        /// The epochs of what was opened.
        var opened: Set<EpochID> = []
    }

    /// The most names that are taken from a folder.
    private static let nameLimit = 16_384

    /// Wraps `storage`, the remote of one log.
    ///
    /// - Parameters:
    ///   - keys: What is known of the log's keys now.
    ///   - unlock: Returns the keys that key files hold for this device, if they are of this log.
    ///   - writing: Returns the key to seal with; called for each object, since the roster may change at any time.
    package init(
        _ storage: any Transport, _ keys: LogKeys, unlock: @escaping @Sendable ([KeyFile]) -> [EpochKey],
        writing: @escaping @Sendable () async throws -> Writing
    ) {
        (self.storage, self.keys, self.unlock, self.writing) = (storage, keys, unlock, writing)
        names = SealedNames(namesKey: keys.keyring.namesKey)
        state = Mutex(State(keyring: keys.keyring))
    }

    /// The keys that are known now, those found at the remote included.
    package var keyring: Keyring { state.withLock { $0.keyring } }

    /// The keys that have opened something, and were found at the remote.
    package var foundKeys: [EpochKey] {
        state.withLock { state in
            state.opened.filter { keys.keyring.key(of: $0) == nil }.sorted().compactMap { state.keyring.key(of: $0) }
        }
    }

    /// As of the storage.
    package var requestsAtOnce: Int { storage.requestsAtOnce }

    /// As of the storage.
    package func watch() -> AsyncStream<Void>? { storage.watch() }

    package func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome {
        let sealed = try sealed(name)
        return try await storage.putIfAbsent(sealed, try await seal(bytes, as: name))
    }

    package func replace(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) {
        let sealed = try sealed(name)
        try await storage.replace(sealed, try await seal(bytes, as: name))
    }

    package func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? {
        // A part of an object can be opened only with the rest of it.
        let contentLimit = range == nil ? limit : Segment.byteLimit
        guard let sealedName = names.sealed(name.description).flatMap(ObjectName.init) else { return nil }
        let found: [UInt8]?
        do {
            found = try await storage.get(
                sealedName, range: nil, limit: SealedObject.sealedSize(of: contentLimit))
        } catch {
            if case .tooLarge(_, let count) = error { throw .tooLarge(name, byteCount: count) }
            if case .refused(_, let reason) = error { throw .refused(name, reason) }
            throw error
        }
        guard let found else { return nil }
        // A log mark, which has 20 bytes, is written again if it was cut short, as an open one is.
        if name.description.hasPrefix("groundwave-log"), found.count < SealedObject.sealedSize(of: 20) { return [] }
        let bytes = try await open(found, as: name, limit: contentLimit)
        guard let range else { return bytes }
        let taken = range.clamped(to: bytes.indices)
        guard taken.count <= limit else { throw .tooLarge(name, byteCount: taken.count) }
        return Array(bytes[taken])
    }

    package func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) async throws(TransportError) -> [ObjectName] {
        guard let folder = sealed(prefix) else { return [] }
        var found: [ObjectName] = []
        var (last, count) = (ObjectName?.none, 0)
        // The storage has them in the order of their sealed names.
        while true {
            let page = try await storage.list(prefix: folder, startAfter: last, limit: 1000)
            found += page.compactMap { names.plain($0.description).flatMap(ObjectName.init) }
            count += page.count
            guard page.count == 1000, let end = page.last, count < Self.nameLimit else { break }
            // It would never end, and some names might never come.
            if let last, end <= last { throw .unreachable("A listing of \(folder) there does not advance.") }
            last = end
        }
        let wanted = startAfter.map { start in found.filter { start < $0 } } ?? found
        return Array(wanted.sorted().prefix(max(limit, 0)))
    }

    package func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] {
        guard let folder = sealed(prefix) else { return [] }
        let found = try await storage.folders(prefix: folder, limit: limit)
        return found.compactMap { names.plain(storeFolder: $0) }.sorted()
    }

    package func delete(_ name: ObjectName) async throws(TransportError) { try await storage.delete(sealed(name)) }

    /// Returns whether something is there that is not sealed, under the name that an object of this name would have.
    ///
    /// - Throws: ``TransportError``.
    package func isOpen(_ name: ObjectName) async throws(TransportError) -> Bool {
        try await !Self.isSealed(sealed(name), at: storage)
    }

    /// Returns whether what is stored under a name is a sealed object, by its first bytes.
    ///
    /// - Throws: ``TransportError``.
    package static func isSealed(_ name: ObjectName, at storage: any Transport) async throws(TransportError) -> Bool {
        try await storage.get(name, range: 0..<4, limit: 4) == SealedObject.beginning
    }

    private func sealed(_ name: ObjectName) throws(TransportError) -> ObjectName {
        guard let sealed = names.sealed(name.description).flatMap(ObjectName.init) else {
            throw .refused(name, "Nothing is sealed under such a name.")
        }
        return sealed
    }

    private func sealed(_ prefix: ObjectPrefix) -> ObjectPrefix? {
        guard let folder = prefix.folder else { return nil }
        return names.sealed(folder: folder.description).flatMap(ObjectPrefix.init(folder:))
    }

    private func seal(_ bytes: [UInt8], as name: ObjectName) async throws(TransportError) -> [UInt8] {
        let writing: Writing
        do { writing = try await self.writing() } catch {
            throw error as? TransportError ?? .noKey("\(error)")
        }
        state.withLock { $0.keyring.add(writing.key) }
        try await announce(writing)
        var generator = SystemRandomNumberGenerator()
        return SealedObject.seal(
            bytes, as: name.description, of: keys.log, with: writing.key, using: &generator)
    }

    /// Stores the key file of an epoch before anything is sealed with its key, and then deletes those that it replaces.
    private func announce(_ writing: Writing) async throws(TransportError) {
        guard !state.withLock({ $0.announced.contains(writing.key.id) }) else { return }
        let place = PlacedKeys(at: storage)
        if try await place.put(writing.file) { try await place.delete(writing.former) }
        state.withLock { _ = $0.announced.insert(writing.key.id) }
    }

    private func open(_ bytes: [UInt8], as name: ObjectName, limit: Int) async throws(TransportError) -> [UInt8] {
        for isRepeated in [false, true] {
            let keyring = keyring
            do {
                let content = try SealedObject.open(
                    bytes, as: name.description, of: keys.log, with: keyring, limit: limit)
                if let epoch = SealedObject.epoch(of: bytes) { state.withLock { _ = $0.opened.insert(epoch) } }
                return content
            } catch .unknownEpoch where !isRepeated {
                try await lookForKeys()
            } catch .unknownEpoch where name == RemoteLayout.log {
                throw .noKey("this device does not have the key")
            } catch {
                throw .refused(name, "\(error.description.prefix(1).uppercased())\(error.description.dropFirst()).")
            }
        }
        throw .refused(name, "It cannot be opened.")
    }

    /// Reads the key files at the remote that were not read yet.
    private func lookForKeys() async throws(TransportError) {
        let read = state.withLock { $0.read }
        let files = try await PlacedKeys(at: storage).named(except: read)
        let found = unlock(files.compactMap(\.file))
        state.withLock { state in
            state.read.formUnion(files.map(\.name))
            for key in found { state.keyring.add(key) }
        }
    }
}

/// What a device knows of the keys of its log.
package struct LogKeys: Sendable {
    /// The log.
    package let log: LogID
    /// What stands for the event that has sealed it.
    package let root: Hash256
    /// The keys of its epochs, as far as they are known.
    package var keyring: Keyring

    package init(log: LogID, root: Hash256, keyring: Keyring) {
        (self.log, self.root, self.keyring) = (log, root, keyring)
    }

    /// What the contents of a key file say.
    ///
    /// - Parameter key: The key of its epoch; `nil` if nothing else is sealed with that.
    package init(_ contents: KeyFile.Contents, with key: EpochKey?) {
        let keyring = Keyring(namesKey: contents.namesKey, keys: contents.formerKeys + (key.map { [$0] } ?? []))
        self.init(log: contents.log, root: contents.root, keyring: keyring)
    }
}
