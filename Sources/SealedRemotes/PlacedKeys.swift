import GroundwaveEvents
import GroundwaveReplication
import GroundwaveSealing

/// The key files at a sealed remote: `keys/HASH.key`, where HASH has the first 32 hexadecimal digits of the SHA-256 of the file.
///
/// Whoever joins begins with them: they are the only objects there that can be opened without a key of the log.
package struct PlacedKeys: Sendable {
    private let storage: any Transport

    /// The most key files that are read: beyond, somebody fills the remote.
    private static let fileLimit = 1024

    package init(at storage: any Transport) { self.storage = storage }

    /// Returns the key files; those that are none are passed over.
    ///
    /// - Throws: ``TransportError``.
    package func files() async throws(TransportError) -> [KeyFile] { try await named(except: []).compactMap(\.file) }

    /// Stores a key file, in place of one of that name that was cut short. Returns `false` if it is there already.
    ///
    /// - Throws: ``TransportError``.
    package func put(_ bytes: [UInt8]) async throws(TransportError) -> Bool {
        let hash = bytes.withSpan { Hash256(hashing: $0) }
        guard let name = ObjectName("keys/\("\(hash)".prefix(32)).key") else {
            preconditionFailure("A hash is part of a name.")
        }
        if try await storage.putIfAbsent(name, bytes) == .stored { return true }
        if try await storage.get(name, range: nil, limit: KeyFile.byteLimit) == bytes { return false }
        try await storage.delete(name)
        return try await storage.putIfAbsent(name, bytes) == .stored
    }

    /// Deletes the key files of these epochs; returns how many. Those of other logs stay.
    ///
    /// - Throws: ``TransportError``.
    @discardableResult
    package func delete(_ epochs: Set<EpochID>) async throws(TransportError) -> Int {
        if epochs.isEmpty { return 0 }
        var count = 0
        for (name, file) in try await named(except: []) where file.map({ epochs.contains($0.epoch) }) ?? false {
            try await storage.delete(name)
            count += 1
        }
        return count
    }

    private func names() async throws(TransportError) -> [ObjectName] {
        guard let folder = ObjectPrefix(folder: "keys") else { return [] }
        return try await storage.list(prefix: folder, startAfter: nil, limit: Self.fileLimit)
    }

    /// Returns the key files whose names are not in `known`; without a file for an object that is none.
    ///
    /// - Throws: ``TransportError``.
    func named(except known: Set<ObjectName>) async throws(TransportError) -> [(name: ObjectName, file: KeyFile?)] {
        var found: [(name: ObjectName, file: KeyFile?)] = []
        for name in try await names() where !known.contains(name) {
            let bytes: [UInt8]?
            do { bytes = try await storage.get(name, range: nil, limit: KeyFile.byteLimit) } catch {
                switch error {
                case .tooLarge, .refused: bytes = nil
                default: throw error
                }
            }
            found.append((name, bytes.flatMap { try? KeyFile(reading: $0) }))
        }
        return found
    }
}
