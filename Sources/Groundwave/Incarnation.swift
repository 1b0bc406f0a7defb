import ByteCoding
import EventLog
import Events
import Foundation
import Recovery

/// Makes sure that a store is still the one that it was, before it appends as the replica that it was.
///
/// A token lies half in the log and half in the state folder of this device, under the device and inode of the file that
/// holds the key. Both halves change when a process begins to write. A folder that was copied has another inode; one that
/// was put back to an earlier state has an older half; a machine that never saw the store has none. In each case the
/// store goes on as a new replica, which names the old one: what the old one would append next may exist elsewhere.
///
/// A wrong suspicion costs a replica. A wrong trust would cost events, so whatever is not known counts as apart.
struct Incarnation: Sendable {
    let files: StoreFiles
    let log: EventLog
    let surroundings: Surroundings
    /// Where the outer halves lie.
    let stateFolder: URL

    /// The state folder of this device: `GROUNDWAVE_STATE`, else where the system keeps such things.
    static var defaultStateFolder: URL {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["GROUNDWAVE_STATE"], !path.isEmpty { return URL(filePath: path) }
        #if os(macOS)
        return URL.applicationSupportDirectory.appending(path: "groundwave/state")
        #else
        let base =
            environment["XDG_STATE_HOME"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/state")
        return base.appending(path: "groundwave")
        #endif
    }

    /// Claims the log for this process; afterwards it may append as the identity that is returned.
    ///
    /// From beginning to end while no other process writes: between the commit and the last file, another one would find the
    /// halves apart, and take the store for a copy.
    ///
    /// Cost: a small file is written and flushed twice, and one commit.
    func claim() throws -> (identity: Identity, former: ReplicaID?) { try log.alone { try claimAlone() } }

    private func claimAlone() throws -> (identity: Identity, former: ReplicaID?) {
        let old = try files.readIdentity()
        var generator = surroundings.generator
        let next = LogID.random(using: &generator)
        var (identity, former) = (old, ReplicaID?.none)
        var newKey: KeyFile?
        try log.claim { present in
            let file = try outerFile(ofKey: files.identity)
            if let present, present.replica == old.replica, try outerHalves(in: file).contains(present.token) {
                former = present.former
                // Until the commit is done the present half is right; afterwards the next one.
                try write([present.token, next], to: file)
                return (Claim(replica: old.replica, former: former, token: next), [])
            }
            identity = Identity.random(using: &generator)
            // Who never wrote is nobody to go on from.
            former = try goesOnFrom(old.replica, present)
            // The key takes its name when the claim is in the log: until then the old one is all there is.
            let key = try KeyFile(identity, at: files.identity)
            newKey = key
            try write([next], to: outerFile(ofKey: key.path))
            // Without its last words nobody would believe the last events of the old replica.
            return (Claim(replica: identity.replica, former: former, token: next), try log.ownHeads(of: old))
        }
        try newKey?.finish()
        // From here on the half of before belongs to an earlier state. Without this step it would pass until next time.
        try write([next], to: outerFile(ofKey: files.identity))
        if identity.replica != old.replica {
            Subsystem.store.logger.notice(
                "continues as a new replica: the store was copied or restored from a backup, or is new to this device",
                metadata: ["replica": "\(identity.replica.short)", "former": "\(old.replica.short)"])
        }
        return (identity, former)
    }

    /// The replica that a new one goes on from: the one whose key is here, else the one that the store wrote as last.
    private func goesOnFrom(_ old: ReplicaID, _ present: Claim?) throws -> ReplicaID? {
        let vector = try log.vector()
        if vector[old] > 0 { return old }
        return present.flatMap { vector[$0.replica] > 0 ? $0.replica : $0.former }
    }

    /// Makes a key for a store whose own is gone or is none: it goes on as a new replica, and what only the old one could
    /// vouch for is as it was left.
    func replaceKey() throws -> Identity { try log.alone { try replaceKeyAlone() } }

    private func replaceKeyAlone() throws -> Identity {
        // Another process may have made one meanwhile.
        if let made = try? files.readIdentity() { return made }
        var generator = surroundings.generator
        let (next, identity) = (LogID.random(using: &generator), Identity.random(using: &generator))
        let key = try KeyFile(identity, at: files.identity)
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

    /// Has the store go on as a new replica, before it puts the events of the present one away.
    func renew() throws -> (identity: Identity, former: ReplicaID) { try log.alone { try renewAlone() } }

    private func renewAlone() throws -> (identity: Identity, former: ReplicaID) {
        let old = try files.readIdentity()
        var generator = surroundings.generator
        let next = LogID.random(using: &generator)
        let identity = Identity.random(using: &generator)
        let key = try KeyFile(identity, at: files.identity)
        try write([next], to: outerFile(ofKey: key.path))
        try log.claim { _ in
            (Claim(replica: identity.replica, former: old.replica, token: next), try log.ownHeads(of: old))
        }
        try key.finish()
        return (identity, old.replica)
    }

    /// The name of the log that the store was claimed for on this device; `nil` where it never was.
    static func log(of files: StoreFiles, stateFolder: URL) -> LogID? {
        var status = stat()
        guard stat(files.identity, &status) == 0 else { return nil }
        let tokens = stateFolder.appending(path: "tokens")
        let logs = (try? FileManager.default.contentsOfDirectory(atPath: tokens.path)) ?? []
        return logs.sorted().compactMap { LogID(text: $0) }.first { log in
            FileManager.default.fileExists(
                atPath: tokens.appending(path: "\(log)/\(status.st_dev)-\(status.st_ino)").path)
        }
    }

    /// Notes outside the store how far its log goes, so that it can be told what is lost should it be damaged.
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

    /// What was noted of the log's heads; `nil` where nothing was.
    static func heads(of files: StoreFiles, stateFolder: URL) -> VersionVector? {
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

    /// Claims a log that was made just now.
    func claimNew(_ identity: Identity, former: ReplicaID? = nil) throws {
        try log.alone { try claimNewAlone(identity, former) }
    }

    private func claimNewAlone(_ identity: Identity, _ former: ReplicaID?) throws {
        var generator = surroundings.generator
        let token = LogID.random(using: &generator)
        try write([token], to: outerFile(ofKey: files.identity))
        try log.claim { _ in (Claim(replica: identity.replica, former: former, token: token), []) }
    }

    /// Where the outer half lies of the store whose key is in the file at `path`.
    private func outerFile(ofKey path: String) throws -> URL {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw StoreError(.damaged, "The file \(path) does not exist: this device's key is missing.")
        }
        return stateFolder.appending(path: "tokens/\(log.id)/\(status.st_dev)-\(status.st_ino)")
    }

    /// - Throws: ``StoreError`` where they are there and cannot be read now: that tells of no copy.
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
            // Of what passes the folder is no cause.
            if let refused = StoreError(systemError: error), refused.code == .busy { throw refused }
            throw StoreError(
                .inputOutput,
                "The folder \(stateFolder.path), by which this device tells a store from its copies, is not writable.",
                hint: "Make it writable, or set GROUNDWAVE_STATE to another permanent folder.", cause: error)
        }
    }
}

/// The key of a new replica in a file that does not have its name yet.
final class KeyFile {
    private var file: AtomicFile
    /// Where it is meanwhile.
    var path: String { file.aside }

    init(_ identity: Identity, at path: String) throws {
        file = try AtomicFile(path, permissions: 0o600)
        try file.write(identity.secret)
    }

    /// Gives it its name.
    func finish() throws { try file.finish() }
}
