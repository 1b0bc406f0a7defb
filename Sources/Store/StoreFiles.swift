import Foundation
import GroundwaveEventLog
import GroundwaveEvents

/// The files of a store: one folder.
package struct StoreFiles: Sendable {
    package let folder: URL
    /// Keeps the secret with which the files of keys are encrypted; `nil` if they are not.
    package let keychain: (any Keychain)?

    package var log: String { folder.appending(path: "log.mdb").path }
    package var views: String { folder.appending(path: "views.mdb").path }
    package var identity: String { path(of: .identity) }

    /// The folder of rows that are being recorded on this device and are not in the log yet.
    package var tailFolder: URL { folder.appending(path: "tails") }
    /// The files of recordings whose last samples are not in the log.
    package var tails: [URL] {
        let found = try? FileManager.default.contentsOfDirectory(at: tailFolder, includingPropertiesForKeys: nil)
        return (found ?? []).filter { $0.pathExtension == "tail" }
    }

    package var snapshotFolder: URL { folder.appending(path: "snapshots") }

    /// The paths of the snapshots, oldest first; empty if there is no folder of them.
    package var snapshots: [String] {
        Self.names(in: snapshotFolder).filter { $0.hasSuffix(".snapshot") }.map {
            snapshotFolder.appending(path: $0).path
        }
    }

    /// Bytes of all snapshots.
    package var snapshotBytes: Int { snapshots.reduce(0) { $0 + Self.byteCount($1) } }

    /// Bytes of a file; 0 if there is none.
    package static func byteCount(_ path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    package init(_ folder: URL, _ keychain: (any Keychain)? = nil) {
        self.folder = folder.standardizedFileURL
        self.keychain = keychain
    }

    /// Whether there is a store, or the remains of one.
    package var exists: Bool {
        FileManager.default.fileExists(atPath: log) || FileManager.default.fileExists(atPath: identity)
    }

    /// Returns whether the creation of the store was interrupted: an empty log without an owner, and no key.
    package func isUnfinished() throws -> Bool {
        guard FileManager.default.fileExists(atPath: log), !FileManager.default.fileExists(atPath: identity) else {
            return false
        }
        let log = try EventLog(opening: log)
        return try log.claim() == nil && log.lastPosition() == 0
    }

    /// Creates the folder, readable by its owner only.
    package func makeFolder() throws {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            // Foundation does not report what is wrong with a path.
            var status = stat()
            let code = stat(folder.path, &status) == 0 ? 0 : errno
            let what = "The folder \(folder.path) cannot be created"
            throw [0, ENOENT].contains(code) ? StoreError(error, what) : StoreError(system: code, what, cause: error)
        }
    }

    /// The names of the entries of the folder, in order.
    private var names: [String] { Self.names(in: folder) }

    private static func names(in folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    /// Deletes damaged views, which are then built anew from the log.
    package func removeViews() { for path in [views, views + "-lock"] { unlink(path) } }

    /// Deletes unfinished files of logs, views and snapshots.
    ///
    /// The caller holds the writer lock of the log, so nobody is building a log. A process that is building views or
    /// a snapshot finds its file gone, and builds it again.
    package func removeUnfinished() {
        for name in names {
            let isOfLog = name.hasPrefix("log.mdb.") && name.hasSuffix(".creating")
            if isOfLog || name.hasPrefix("views.mdb.new-") { unlink(folder.appending(path: name).path) }
        }
        for name in Self.names(in: snapshotFolder) where !name.hasSuffix(".snapshot") {
            unlink(snapshotFolder.appending(path: name).path)
        }
    }

    /// The paths of the files and folders in the folder that are not the store's own, in order of name.
    package var others: [String] {
        let own: Set = [
            "log.mdb", "log.mdb-lock", "log.mdb-writer", "views.mdb", "views.mdb-lock", "views.mdb-writer",
            "views.mdb.boot", "identity", "joining", "keys", "snapshots", "sync", "sync.json", "tails",
        ]
        return names.filter { !own.contains($0) && !$0.hasPrefix("views.mdb.new-") }.map {
            folder.appending(path: $0).path
        }
    }

    /// Writes the private key with mode 0600; never overwrites a key.
    package func write(_ identity: Identity) throws {
        let bytes = try locked(identity.secret, as: .identity)
        let descriptor = open(self.identity, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else {
            throw StoreError(system: errno, "The file \(self.identity) cannot be created")
        }
        defer { _ = Foundation.close(descriptor) }
        let count = bytes.withSpan { span in
            span.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        }
        guard count == bytes.count, fsync(descriptor) == 0 else {
            // If only a part of so few bytes was written, there was no room for the rest.
            let code = count >= 0 && count < bytes.count ? ENOSPC : errno
            unlink(self.identity)
            throw StoreError(system: code, "The file \(self.identity) cannot be written")
        }
    }

    /// Reads the private key.
    ///
    /// - Throws: ``StoreError`` with code `damaged` if there is none, or if it is not a key; `notPermitted` if it is encrypted
    ///   and there is no keychain; the code for the system error, or `busy`, if it cannot be read now and may be readable
    ///   later.
    package func readIdentity() throws -> Identity { try readKey().identity }

    /// Reads the private key; `nil` if another one may take its place, because it is missing or damaged.
    ///
    /// - Throws: As ``readIdentity()``, except `damaged`: the key is to stay.
    package func identityUnlessDamaged() throws -> Identity? {
        do { return try readIdentity() } catch let error as StoreError where error.code == .damaged { return nil }
    }

    /// Reads the private key, and whether its file has to be written anew.
    func readKey() throws -> (identity: Identity, isToBeLocked: Bool) {
        let bytes: [UInt8]
        do { bytes = [UInt8](try Data(contentsOf: URL(filePath: identity))) } catch CocoaError.fileReadNoSuchFile {
            throw StoreError(
                .damaged, "The store \(folder.path) has no identity: its key is missing.",
                hint: "The key cannot be recreated. What still works: \(.verify)")
        } catch {
            throw StoreError(error, "The key of the store, \(identity), cannot be read now")
        }
        let secret = try unlocked(bytes, of: .identity)
        guard secret.count == 32, let identity = Identity(secret: secret) else {
            throw StoreError(
                .damaged, "The file \(identity) is not a key.", hint: "Restore it from a copy of the store.")
        }
        return (identity, isToBeLocked(bytes))
    }

    /// Throws if a store has lost its log: the remaining files are no reason to start a new log.
    package func checkThatLogIsThere() throws {
        guard FileManager.default.fileExists(atPath: log) else {
            throw StoreError(
                .damaged, "The store \(folder.path) has lost its log: \(log) is missing.",
                hint: "Restore it from a copy of the folder. To see what can be done: \(.showRecovery)")
        }
    }

    /// Returns the error for a folder without a store.
    package static func noStore(in folder: URL) -> StoreError {
        StoreError(
            .notFound, "There is no store in \(folder.path).",
            hint: "\(.create), or \(.chooseFolder).")
    }
}
