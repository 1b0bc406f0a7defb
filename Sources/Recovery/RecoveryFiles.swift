import Foundation
import GroundwaveLMDB

/// The paths of all files for the recovery of one store.
///
/// | path in the store's folder | what |
/// |---|---|
/// | `ContainerInitFailure.json` | exists while recovery waits for a decision: ``FailureRecord`` |
/// | `EmergencyBackup/TIME/` | damaged files, byte for byte, and the receipt of the recovery from them |
/// | `recovery/temporary/` | the store that is used meanwhile |
/// | `recovery/restored/` | the log that was rebuilt from the salvaged events, and its receipt |
/// | `recovery/choice.json` | the decision, until it was carried out |
package struct RecoveryFiles: Hashable, Sendable {
    /// The folder of the store.
    package let folder: URL

    /// The files of the store in `folder`.
    package init(_ folder: URL) { self.folder = folder.standardizedFileURL }

    package var log: String { path("log.mdb") }
    package var views: String { path("views.mdb") }
    package var identity: String { path("identity") }
    package var snapshots: URL { folder.appending(path: "snapshots") }
    package var failure: String { path("ContainerInitFailure.json") }
    package var backups: URL { folder.appending(path: "EmergencyBackup") }
    package var work: URL { folder.appending(path: "recovery") }
    package var temporary: URL { work.appending(path: "temporary") }
    package var restored: URL { work.appending(path: "restored") }
    package var restoredLog: String { restored.appending(path: "log.mdb").path }
    package var restoredReceipt: String { restored.appending(path: "receipt.json").path }
    package var choice: String { work.appending(path: "choice.json").path }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Whether recovery waits for a decision, or for one to be carried out.
    package var isWaiting: Bool { Self.exists(failure) || Self.exists(choice) }

    /// Whether a damaged file was preserved at some time.
    package var hasBackups: Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: backups.path))?.isEmpty == false
    }

    /// Whether there is a file at `path`, even if it cannot be accessed now.
    package static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0 || !meansAbsent(errno)
    }

    /// Whether the error `code` means that there is no such file.
    fileprivate static func meansAbsent(_ code: Int32) -> Bool { [ENOENT, ENOTDIR].contains(code) }

    /// Decodes the file at `path`; `nil` if there is none, or if its content is malformed.
    ///
    /// - Throws: ``FileFailure`` if the file cannot be read now: a later attempt may succeed.
    static func decoded<Value: Decodable>(_ type: Value.Type, at path: String) throws(FileFailure) -> Value? {
        guard let data = try DurableFile.read(path) else { return nil }
        return try? FailureRecord.decoder.decode(type, from: data)
    }

    /// The receipt of the last recovery; `nil` if there was none.
    package var lastReceipt: Receipt? { lastReceiptFile?.receipt }

    /// The receipt of the last recovery, and its path.
    package var lastReceiptFile: (path: String, receipt: Receipt)? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: backups.path)) ?? []
        for name in names.sorted().reversed() {
            let path = backups.appending(path: name).appending(path: "receipt.json").path
            if let receipt = Receipt.read(path) { return (path, receipt) }
        }
        return nil
    }

    /// Runs `body` while no other process changes the recovery of this store.
    ///
    /// - Throws: ``FileFailure`` with code `EWOULDBLOCK` after the patience ran out; errors of `body`.
    package func withLock<Result>(
        _ patience: WriterLock.Patience = WriterLock.Patience(), _ body: () throws -> Result
    ) throws -> Result {
        let end = ContinuousClock.now + .milliseconds(patience.limitMilliseconds)
        while true {
            try FileManager.default.createDirectory(
                at: work, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let descriptor = open(work.path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw FileFailure("open", work.path) }
            defer { _ = Foundation.close(descriptor) }
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                guard errno == EINTR || errno == EWOULDBLOCK, ContinuousClock.now < end else {
                    throw FileFailure("lock", work.path)
                }
                usleep(5_000)
            }
            // The process that held the lock before may have removed the folder: then this lock protects nothing.
            if isWork(descriptor) { return try body() }
        }
    }

    /// Removes the files of a finished recovery whose last step was interrupted. The next recovery must not use them.
    package func removeLeftovers() {
        guard Self.exists(work.path), !isWaiting else { return }
        let descriptor = open(work.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = Foundation.close(descriptor) }
        // If another process holds the lock, it is still using the folder.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isWork(descriptor), !isWaiting else { return }
        try? FileManager.default.removeItem(at: work)
    }

    /// Whether the folder that is open as `descriptor` is still the work folder of the recovery.
    private func isWork(_ descriptor: Int32) -> Bool {
        var (own, present) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && stat(work.path, &present) == 0 && own.st_dev == present.st_dev
            && own.st_ino == present.st_ino
    }
}

/// An error of a file operation.
package struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation that failed, as a verb.
    package let action: String
    package let path: String
    /// The `errno`.
    package let code: Int32

    package init(_ action: String, _ path: String, code: Int32 = errno) {
        (self.action, self.path, self.code) = (action, path, code)
    }

    package var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }

    var isUnreadable: Bool { action == "read" && code == EIO }

    package var description: String {
        isDiskFull
            ? "The disk is full: could not \(action) \(path)."
            : "Could not \(action) \(path): \(String(cString: strerror(code)))."
    }
}

/// Writes files so that they exist completely or not at all, even after a power cut.
package enum DurableFile {
    /// Replaces the file at `path` by `bytes`: writes to a temporary name, flushes, renames, and flushes the folder.
    package static func write(_ bytes: [UInt8], to path: String) throws(FileFailure) {
        let aside = "\(path).part-\(getpid())-\(UInt32.random(in: .min ... .max))"
        let descriptor = open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileFailure("make", aside) }
        do throws(FileFailure) {
            defer { _ = Foundation.close(descriptor) }
            try append(bytes, to: descriptor, path: aside)
            try flush(descriptor, path: aside)
        } catch {
            unlink(aside)
            throw error
        }
        try rename(aside, to: path)
    }

    /// Returns the content of the file at `path`; `nil` if there is none.
    ///
    /// - Throws: ``FileFailure`` if the file exists but cannot be read now.
    package static func read(_ path: String) throws(FileFailure) -> Data? {
        // Not Foundation's reading, which does not return the reason: to ask for it afterwards finds a file that another
        // process has made meanwhile.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let failure = FileFailure("read", path)
            if RecoveryFiles.meansAbsent(failure.code) { return nil }
            throw failure
        }
        defer { _ = Foundation.close(descriptor) }
        var content = Data()
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = piece.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return content }
            if count > 0 { content += piece[..<count] } else if errno != EINTR { throw FileFailure("read", path) }
        }
    }

    /// Renames a file, and flushes the folder of the new name.
    package static func rename(_ path: String, to target: String) throws(FileFailure) {
        guard Foundation.rename(path, target) == 0 else { throw FileFailure("rename to \(target)", path) }
        try flushFolder(of: target)
    }

    /// Flushes the folder of `path`, so that its directory entries are on the disk.
    package static func flushFolder(of path: String) throws(FileFailure) {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure("open", folder) }
        defer { _ = Foundation.close(descriptor) }
        // Some file systems do not support this call for folders, and do not need it.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw FileFailure("flush", folder) }
    }

    /// Removes a file, if it exists.
    package static func remove(_ path: String) throws(FileFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileFailure("remove", path) }
    }

    /// Flushes `descriptor` to the disk, past the drive's own cache if the system supports that.
    package static func flush(_ descriptor: Int32, path: String) throws(FileFailure) {
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw FileFailure("flush", path) }
    }

    /// Writes all of `bytes` to `descriptor`, which is at the end of its file.
    package static func append(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(FileFailure) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Foundation.write(descriptor, buffer.baseAddress! + start, buffer.count - start)
            }
            if count > 0 { start += count } else if errno != EINTR { throw FileFailure("write", path) }
        }
    }
}
