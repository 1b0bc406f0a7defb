import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecovery

/// Checks that a store is still the original before it appends as its replica.
///
/// An ownership token has two halves. The stored half is in the log. The device half is in the state folder of this
/// device, under the device and inode numbers of the file that holds the key. Both change when a process begins to
/// write. A copied folder has another inode; a folder restored from a backup has an older stored half; a device that
/// never had the store has no device half. In each case the store continues as a new replica, which names the old
/// one, because the events that the old replica would append next may exist elsewhere.
///
/// A false alarm costs a replica; a missed copy would cost events. In doubt, the store counts as a copy.
package struct Incarnation: Sendable {
    let files: StoreFiles
    let log: EventLog
    let surroundings: Surroundings
    /// The folder with the device halves.
    let stateFolder: URL

    package init(files: StoreFiles, log: EventLog, surroundings: Surroundings, stateFolder: URL) {
        self.files = files
        self.log = log
        self.surroundings = surroundings
        self.stateFolder = stateFolder
    }

    /// The state folder of this device: `GROUNDWAVE_STATE` if set, else the system's folder for application state.
    package static var defaultStateFolder: URL {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["GROUNDWAVE_STATE"], !path.isEmpty { return URL(filePath: path) }
        #if canImport(Darwin)
        return URL.applicationSupportDirectory.appending(path: "groundwave/state")
        #else
        let base =
            environment["XDG_STATE_HOME"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/state")
        return base.appending(path: "groundwave")
        #endif
    }

    /// Takes ownership of the log for this process, which may then append as the returned identity.
    ///
    /// No other process may write from beginning to end: between the commit and the last file it would find halves
    /// that do not match, and treat the store as a copy.
    ///
    /// Cost: a small file is written and flushed twice, and one commit.
    func claim() throws -> (identity: Identity, former: ReplicaID?) { try log.exclusively { try claimExclusively() } }

    private func claimExclusively() throws -> (identity: Identity, former: ReplicaID?) {
        let (old, isToBeLocked) = try files.readKey()
        var generator = surroundings.generator
        let next = LogID.random(using: &generator)
        var (identity, former) = (old, ReplicaID?.none)
        var newKey: KeyFile?
        // Where the half of a key was that gets another file.
        var formerFile: URL?
        try log.claim { present in
            let file = try outerFile(ofKey: files.identity)
            if let present, present.replica == old.replica, try outerHalves(in: file).contains(present.token) {
                former = present.former
                if isToBeLocked {
                    // The same key in a file of its own, as for a new one: in place, a crash could leave half of it.
                    let key = try KeyFile(old, in: files)
                    (newKey, formerFile) = (key, file)
                    try write([next], to: outerFile(ofKey: key.path))
                } else {
                    // The present half is valid until the commit, the next one after it.
                    try write([present.token, next], to: file)
                }
                return (Claim(replica: old.replica, former: former, token: next), [])
            }
            identity = Identity.random(using: &generator)
            // A replica without events has nothing to continue from.
            former = try predecessor(of: old.replica, present)
            // The key takes its final name after the claim is in the log; until then the old key is the valid one.
            let key = try KeyFile(identity, in: files)
            newKey = key
            try write([next], to: outerFile(ofKey: key.path))
            // Without a final signed head, other devices would not accept the last events of the old replica.
            return (Claim(replica: identity.replica, former: former, token: next), try log.ownHeads(of: old))
        }
        try newKey?.finish()
        if let formerFile {
            let file = try outerFile(ofKey: files.identity)
            rename(formerFile.path + ".heads", file.path + ".heads")
            // A store that is restored from a backup may get the inode of the file that is gone.
            unlink(formerFile.path)
        }
        // The previous half now belongs to an earlier state. If it stayed, a restored backup would pass until the
        // next claim.
        try write([next], to: outerFile(ofKey: files.identity))
        if identity.replica != old.replica {
            Subsystem.store.logger.notice(
                "continues as a new replica: the store was copied or restored from a backup, or is new to this device",
                metadata: ["replica": "\(identity.replica.short)", "former": "\(old.replica.short)"])
        }
        return (identity, former)
    }

    /// Returns the replica that a new one continues: the one whose key is here, else the one the store last wrote as.
    private func predecessor(of old: ReplicaID, _ present: Claim?) throws -> ReplicaID? {
        let vector = try log.vector()
        if vector[old] > 0 { return old }
        return present.flatMap { vector[$0.replica] > 0 ? $0.replica : $0.former }
    }

    /// Creates a key for a store whose own is missing or invalid. The store continues as a new replica. Whatever only
    /// the old key could sign stays as it was left.
    func replaceKey() throws -> Identity { try log.exclusively { try replaceKeyExclusively() } }

    private func replaceKeyExclusively() throws -> Identity {
        // Another process may have made one meanwhile.
        if let made = try files.identityUnlessDamaged() { return made }
        var generator = surroundings.generator
        let (next, identity) = (LogID.random(using: &generator), Identity.random(using: &generator))
        let key = try KeyFile(identity, in: files)
        try write([next], to: outerFile(ofKey: key.path))
        try log.claim { present in
            let former = try present.flatMap { try log.vector()[$0.replica] > 0 ? $0.replica : $0.former }
            return (Claim(replica: identity.replica, former: former, token: next), [])
        }
        try key.finish()
        Subsystem.recovery.logger.warning(
            "the key of this device is missing or damaged: it continues as a new replica",
            metadata: ["replica": "\(identity.replica.short)"])
        return identity
    }

    /// Makes the store continue as a new replica, before the events of the present one are cleared from it.
    func renew() throws -> (identity: Identity, former: ReplicaID) { try log.exclusively { try renewExclusively() } }

    private func renewExclusively() throws -> (identity: Identity, former: ReplicaID) {
        let old = try files.readIdentity()
        var generator = surroundings.generator
        let next = LogID.random(using: &generator)
        let identity = Identity.random(using: &generator)
        let key = try KeyFile(identity, in: files)
        try write([next], to: outerFile(ofKey: key.path))
        try log.claim { _ in
            (Claim(replica: identity.replica, former: old.replica, token: next), try log.ownHeads(of: old))
        }
        try key.finish()
        return (identity, old.replica)
    }

    /// Returns the log for which this device holds the store's device half; `nil` if there is none.
    package static func log(of files: StoreFiles, stateFolder: URL) -> LogID? {
        var status = stat()
        guard stat(files.identity, &status) == 0 else { return nil }
        let tokens = stateFolder.appending(path: "tokens")
        let logs = (try? FileManager.default.contentsOfDirectory(atPath: tokens.path)) ?? []
        return logs.sorted().compactMap { LogID(text: $0) }.first { log in
            FileManager.default.fileExists(
                atPath: tokens.appending(path: "\(log)/\(status.st_dev)-\(status.st_ino)").path)
        }
    }

    /// Records the heads of the log outside the store, so that losses can be determined if the log is damaged.
    func noteHeads() throws {
        let path = try outerFile(ofKey: files.identity).path + ".heads"
        var writer = ByteWriter()
        for entry in try log.vector().entries {
            writer.append(entry.replica)
            writer.append(littleEndian: entry.sequence)
        }
        writer.appendChecksum()
        if FileManager.default.contents(atPath: path) == Data(writer.bytes) { return }
        try DurableFile.write(writer.bytes, to: path)
    }

    /// Returns the recorded heads of the log; `nil` if there is no valid record.
    package static func heads(of files: StoreFiles, stateFolder: URL) -> VersionVector? {
        var status = stat()
        guard let log = log(of: files, stateFolder: stateFolder), stat(files.identity, &status) == 0 else { return nil }
        let path = stateFolder.appending(path: "tokens/\(log)/\(status.st_dev)-\(status.st_ino).heads").path
        guard let data = FileManager.default.contents(atPath: path), data.count % 24 == 4 else { return nil }
        let bytes = [UInt8](data)
        return bytes.withSpan { span in
            let end = span.byteCount - 4
            guard CRC32C.checksum(span.extracting(0..<end)) == span.uint32(at: end) else { return nil }
            var vector = VersionVector()
            for start in stride(from: 0, to: end, by: 24) {
                vector[ReplicaID(at: start, of: span)] = span.uint64(at: start + 16)
            }
            return vector
        }
    }

    /// Takes ownership of a log that has just been created.
    package func claimNew(_ identity: Identity, former: ReplicaID? = nil) throws {
        try log.exclusively { try claimNewExclusively(identity, former) }
    }

    private func claimNewExclusively(_ identity: Identity, _ former: ReplicaID?) throws {
        var generator = surroundings.generator
        let token = LogID.random(using: &generator)
        try write([token], to: outerFile(ofKey: files.identity))
        try log.claim { _ in (Claim(replica: identity.replica, former: former, token: token), []) }
    }

    /// Returns the file with the device half for the store whose key is in the file at `path`.
    private func outerFile(ofKey path: String) throws -> URL {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw StoreError(.damaged, "The file \(path) does not exist: this device's key is missing.")
        }
        return stateFolder.appending(path: "tokens/\(log.id)/\(status.st_dev)-\(status.st_ino)")
    }

    /// - Throws: ``StoreError`` if the halves exist but cannot be read now; that does not make the store a copy.
    private func outerHalves(in file: URL) throws -> [LogID] {
        guard let bytes = try AtomicFile.read(file.path) else { return [] }
        return stride(from: 0, to: bytes.count - bytes.count % 16, by: 16).map { start in
            LogID([UInt8](bytes[bytes.startIndex + start..<bytes.startIndex + start + 16]))
        }
    }

    private func write(_ halves: [LogID], to path: URL) throws {
        do {
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            var file = try AtomicFile(path.path, permissions: 0o600)
            try file.write(halves.flatMap(\.bytes))
            try file.finish()
        } catch {
            // A temporary condition is not the folder's fault.
            if let refused = StoreError(systemError: error), refused.code == .busy { throw refused }
            throw StoreError(
                .inputOutput,
                "The folder \(stateFolder.path), by which this device tells a store from its copies, is not writable.",
                hint: "Make it writable, or set GROUNDWAVE_STATE to another permanent folder.", cause: error)
        }
    }
}

/// The private key in a new file, which does not have its final name yet.
final class KeyFile {
    private var file: AtomicFile
    /// The temporary path of the file.
    var path: String { file.aside }

    init(_ identity: Identity, in files: StoreFiles) throws {
        let bytes = try files.locked(identity.secret, as: .identity)
        file = try AtomicFile(files.identity, permissions: 0o600)
        try file.write(bytes)
    }

    /// Renames the file to its final name. No backup gets it.
    func finish() throws {
        try file.finish()
        StoreFiles.excludeFromBackups(URL(filePath: file.target))
    }
}
