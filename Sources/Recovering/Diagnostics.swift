import Crypto
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogRepair
import GroundwaveRecovery
import GroundwaveStore

/// The content of a diagnostic report: versions, sizes, counts, codes and hashes. It contains nothing that was logged,
/// and no key.
struct Diagnostics: Codable {
    struct Versions: Codable {
        var groundwave: String
        var lmdb: String
        var system: String
        var processors: Int
    }

    struct File: Codable {
        /// The name, if that reveals nothing; else the type of the file.
        var name: String
        var bytes: Int
        /// The hash in hexadecimal; omitted for files that are secret, or whose content could be guessed.
        var sha256: String?
    }

    struct Finding: Codable {
        /// The kind of damage: see ``LogDamage/What``.
        var what: String
        var count: Int
        /// The number of affected events, as far as it is known.
        var events: UInt64
    }

    struct Log: Codable {
        var bytes: Int
        var pageSize: Int
        var events: Int
        var replicas: Int
        var isEndKnown: Bool
        var findings: [Finding]
    }

    var version = 1
    var at: Date
    var versions: Versions
    var state: String
    var failure: FailureRecord?
    var receipt: Receipt?
    var files: [File]
    var log: Log?
    var freeBytes: Int?
}

extension Store {
    /// Writes a report on the state of the store in the folder at `url`, to be sent to somebody who helps: versions,
    /// sizes, counts, codes and hashes. It contains no calls, grids, notes, keys, or file names that a user chose.
    ///
    /// The store is not changed, and a recovery keeps waiting.
    ///
    /// - Parameters:
    ///   - file: The path of the report; an existing file is replaced.
    ///   - components: The parts of the library whose kinds keep their names in `anonymousLog`.
    ///   - anonymousLog: The path of a log of the same shape with invented content, to be written too; `nil` for none.
    /// - Throws: ``StoreError`` with code `notFound` if there is no store, or no readable log for `anonymousLog`; the
    ///   code for the system error if a file cannot be written.
    public static func writeDiagnostics(
        of url: URL, to file: URL, components: [StoreComponent] = [], anonymousLog: URL? = nil
    ) async throws {
        let (files, recovery) = (StoreFiles(url), RecoveryFiles(url))
        let status = try recoveryStatus(at: url)
        try await describing(files) {
            let record = FailureRecord.read(recovery.failure)
            var source = files.log
            if let record, !record.backup.isEmpty {
                source = files.folder.appending(path: "\(record.backup)/log.mdb").path
            }
            let salvage = try? Salvage(path: source)
            let report = Diagnostics(
                at: Date(), versions: .present, state: status.state.rawValue, failure: record,
                receipt: Receipt.read(recovery.restoredReceipt) ?? recovery.lastReceipt,
                files: Diagnostics.files(in: files.folder), log: salvage.map { Diagnostics.Log($0, source) },
                freeBytes: Diagnostics.freeBytes(files.folder))
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            var target = try AtomicFile(file.path, permissions: 0o600)
            try target.write([UInt8](try encoder.encode(report)) + [UInt8(ascii: "\n")])
            try target.finish()
            if let anonymousLog {
                guard let salvage else {
                    throw StoreError(
                        .notFound, "There is no log that can be read.",
                        hint: "What is possible: \(.keepCallsInDiagnostics)")
                }
                try AnonymousLog.write(salvage, components, to: anonymousLog)
            }
        }
    }
}

extension Recovery {
    /// Writes a report on the state of the store, as ``Store/writeDiagnostics(of:to:components:anonymousLog:)`` does.
    /// Recovery keeps waiting, and the store is not changed.
    ///
    /// - Throws: As ``Store/writeDiagnostics(of:to:components:anonymousLog:)``.
    public func writeDiagnostics(to file: URL, anonymousLog: URL? = nil) async throws {
        try await Store.writeDiagnostics(
            of: files.folder, to: file, components: temporary.components, anonymousLog: anonymousLog)
    }
}

extension Diagnostics.Versions {
    static var present: Self {
        Self(
            groundwave: Store.libraryVersion, lmdb: LMDBLibrary.version,
            system: ProcessInfo.processInfo.operatingSystemVersionString,
            processors: ProcessInfo.processInfo.processorCount)
    }
}

extension Diagnostics {
    /// Returns the files of a store in order of name and size. Names that a user chose are replaced by types.
    fileprivate static func files(in folder: URL) -> [File] {
        let root = folder.path
        var files: [File] = []
        for case let path as String in FileManager.default.enumerator(atPath: root) ?? .init() {
            let url = folder.appending(path: path)
            var status = stat()
            guard stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            let name = name(of: path)
            let isHashed = ["log.mdb", "views.mdb"].contains(url.lastPathComponent) || path.hasSuffix(".snapshot")
            files.append(File(name: name, bytes: Int(status.st_size), sha256: isHashed ? hash(url) : nil))
        }
        return files.sorted { ($0.name, $0.bytes) < ($1.name, $1.bytes) }
    }

    private static func name(of path: String) -> String {
        let known = [
            "log.mdb", "log.mdb-lock", "log.mdb-writer", "log.mdb-rescue", "views.mdb", "views.mdb-lock", "identity",
            "sync.json", "receipt.json", "choice.json", "ContainerInitFailure.json",
        ]
        let parts = path.split(separator: "/").map(String.init)
        let name = parts.last ?? ""
        let kind =
            if known.contains(name) { name } else if name.hasSuffix(".snapshot") {
                "snapshot"
            } else if name.hasSuffix(
                ".notes")
            { "remote cache" } else { "other" }
        let folders = ["EmergencyBackup", "recovery", "snapshots", "sync"]
        return parts.count > 1 && folders.contains(parts[0]) ? "\(parts[0])/\(kind)" : kind
    }

    /// Returns the SHA-256 of a file in hexadecimal; `nil` if it cannot be opened.
    private static func hash(_ url: URL) -> String? {
        guard let handle = try? FileHandle(forReadingFrom: url) else { return nil }
        defer { try? handle.close() }
        var hasher = SHA256()
        while let part = try? handle.read(upToCount: 1 << 20), !part.isEmpty { hasher.update(data: part) }
        return hasher.finalize().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    fileprivate static func freeBytes(_ folder: URL) -> Int? {
        var status = statvfs()
        guard statvfs(folder.path, &status) == 0 else { return nil }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }
}

extension Diagnostics.Log {
    fileprivate init(_ salvage: Salvage, _ path: String) {
        var findings: [String: Diagnostics.Finding] = [:]
        for damage in (try? LogVerifier.verify(path: path))?.damage ?? [] {
            let events = damage.first.map { (damage.last ?? $0) - $0 + 1 } ?? 0
            findings[damage.what.rawValue, default: .init(what: damage.what.rawValue, count: 0, events: 0)].count += 1
            findings[damage.what.rawValue]?.events += events
        }
        self.init(
            bytes: salvage.byteCount, pageSize: salvage.pageSize, events: salvage.count,
            replicas: salvage.vector.entries.count, isEndKnown: salvage.isEndKnown,
            findings: findings.values.sorted { $0.what < $1.what })
    }
}
