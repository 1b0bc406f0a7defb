import Foundation

/// Preserves a damaged file, byte for byte, in a folder that nothing else writes to. The file is gone from its path
/// afterwards.
package struct EmergencyBackup: Sendable {
    /// The folder of this incident: `EmergencyBackup/TIME`, a new folder each time.
    package let folder: URL
    /// Its path within the store's folder.
    package var name: String { "EmergencyBackup/\(folder.lastPathComponent)" }
    /// The path of the preserved file.
    package let file: String
    /// Whether the file itself was moved, because there was no room for a copy, or parts of it could not be read.
    package let isMoved: Bool

    /// Copies the file at `path` and removes it once the copy is on the disk; on a full disk it is moved instead.
    ///
    /// It is copied because a process that has the old file open may still write to it. If parts of the file cannot be
    /// read, it is moved as well: a copy with zeros would be incomplete, and a later attempt may read those parts. An
    /// unfinished copy has another name, and the next attempt starts again.
    ///
    /// - Throws: ``FileFailure`` if it can be neither copied nor moved, or if nothing of it can be read: then it stays
    ///   where it was.
    package init(_ path: String, of files: RecoveryFiles, at now: Date) throws {
        try FileManager.default.createDirectory(
            at: files.backups, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        folder = try Self.newFolder(in: files.backups, now)
        let name = URL(filePath: path).lastPathComponent
        file = folder.appending(path: name).path
        let part = file + ".part"
        do throws(FileFailure) {
            try Self.copy(path, to: part)
            try DurableFile.rename(part, to: file)
            try DurableFile.remove(path)
            isMoved = false
        } catch {
            unlink(part)
            guard error.isDiskFull || error.isUnreadable && Self.isReadable(path) else {
                rmdir(folder.path)
                throw error
            }
            try DurableFile.rename(path, to: file)
            isMoved = true
        }
        try DurableFile.flushFolder(of: folder.path)
        try DurableFile.flushFolder(of: path)
    }

    /// The name of the last incident without a receipt. If the store has no log, the damaged log is in that incident's
    /// folder: the process that preserved it was interrupted before it wrote the failure record, or has not written it
    /// yet.
    package static func lastPreserved(_ files: RecoveryFiles) -> String? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: files.backups.path)) ?? []
        let last = names.sorted().last { name in
            let folder = files.backups.appending(path: name)
            return RecoveryFiles.exists(folder.appending(path: "log.mdb").path)
                && !RecoveryFiles.exists(folder.appending(path: "receipt.json").path)
        }
        return last.map { "EmergencyBackup/\($0)" }
    }

    /// Returns the folder of the incident in `record`, which exists afterwards: where the damaged file is, or, if that
    /// was gone, a folder with the time of the incident, for the receipt.
    package static func folder(of record: FailureRecord, in files: RecoveryFiles) throws -> URL {
        let folder =
            record.backup.isEmpty
            ? files.backups.appending(path: name(of: record.at)) : files.folder.appending(path: record.backup)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder
    }

    private static func name(of time: Date) -> String {
        time.formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: false).timeSeparator(.omitted)
                .dateTimeSeparator(.standard).timeZone(separator: .omitted))
    }

    /// Creates a folder with a new name: the time in seconds, and a number if the name is taken.
    private static func newFolder(in parent: URL, _ now: Date) throws(FileFailure) -> URL {
        let time = name(of: now)
        for number in 1...1000 {
            let folder = parent.appending(path: number == 1 ? time : "\(time)-\(number)")
            if mkdir(folder.path, 0o700) == 0 { return folder }
            guard errno == EEXIST else { throw FileFailure("make", folder.path) }
        }
        throw FileFailure("make another folder in", parent.path, code: EEXIST)
    }

    private static func copy(_ path: String, to target: String) throws(FileFailure) {
        let source = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard source >= 0 else { throw FileFailure("read", path) }
        defer { _ = close(source) }
        var status = stat()
        guard fstat(source, &status) == 0 else { throw FileFailure("read", path) }
        let copy = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard copy >= 0 else { throw FileFailure("make", target) }
        defer { _ = close(copy) }
        let size = Int(status.st_size)
        var offset = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while offset < size {
            let wanted = Swift.min(buffer.count, size - offset)
            var count = pread(source, &buffer, wanted, off_t(offset))
            while count < 0, errno == EINTR { count = pread(source, &buffer, wanted, off_t(offset)) }
            guard count > 0 else { throw FileFailure("read", path, code: count < 0 ? errno : EIO) }
            try DurableFile.append(Array(buffer[..<count]), to: copy, path: target)
            offset += count
        }
        try DurableFile.flush(copy, path: target)
    }

    /// Whether any part of the file at `path` can be read.
    private static func isReadable(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        var sector = [UInt8](repeating: 0, count: 4096)
        return stride(from: 0, to: Int(status.st_size), by: sector.count).contains { offset in
            pread(descriptor, &sector, sector.count, off_t(offset)) > 0
        }
    }
}
