import Foundation
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveRecovery
import GroundwaveStore

/// The files of running recordings: see ``TailFile``.
enum Tails {
    private static let suffix = ".tail"

    /// Returns the path of the tail of `trace`; creates the folder.
    static func path(of trace: RecordID, in files: StoreFiles) throws -> String {
        try createFolder(in: files)
        return path(of: trace, below: files)
    }

    /// Returns the lock of the meter with this address, for one recording on this device; `nil` if another one has it.
    static func lock(of meter: MACAddress, in files: StoreFiles) throws -> TailLock? {
        try createFolder(in: files)
        return try TailLock(files.tailFolder.appending(path: "\(Metering.meterID(meter)).meter").path)
    }

    private static func createFolder(in files: StoreFiles) throws {
        do {
            try FileManager.default.createDirectory(
                at: files.tailFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StoreError(error, "The folder \(files.tailFolder.path) cannot be created")
        }
    }

    /// Returns the path of the tail of `trace`, whether there is one or not.
    static func path(of trace: RecordID, below files: StoreFiles) -> String {
        files.tailFolder.appending(path: "\(trace)\(suffix)").path
    }

    /// Returns the paths of all tails of a store, in order, and of those that only have a lock or an unfinished file
    /// left.
    static func all(in files: StoreFiles) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: files.tailFolder.path)) ?? []
        let tails = names.map { name in
            let end = [TailLock.suffix, TailFile.unfinished].first { name.hasSuffix($0) } ?? ""
            return String(name.dropLast(end.count))
        }
        return Set(tails).filter { $0.hasSuffix(suffix) }.sorted().map {
            files.tailFolder.appending(path: $0).path
        }
    }

    /// Returns the data that only the tail of `trace` has; empty if the trace is not being recorded, and for a past
    /// moment.
    static func content(of trace: RecordID, in store: some Reading) -> TailContent {
        guard let store = store as? Store else { return TailContent() }
        return TailFile.read(path(of: trace, below: store.files), log: store.log.id)?.content ?? TailContent()
    }

    /// Returns whether this device is recording `trace`; for a past moment, `none`.
    static func state(of trace: RecordID, in store: some Reading) -> TailState {
        guard let store = store as? Store else { return .none }
        let path = path(of: trace, below: store.files)
        // Check the lock first: a process that finishes removes the tail before the lock.
        if TailLock.isHeld(path) { return .recording }
        return access(path, F_OK) == 0 ? .interrupted : .none
    }

    /// Removes a tail file that was not completed.
    static func removeUnfinished(_ path: String) { unlink("\(path)\(TailFile.unfinished)") }

    static func remove(_ path: String) throws {
        do throws(FileFailure) { try DurableFile.remove(path) } catch { throw StoreError(file: error) }
    }
}

/// A lock that the process which records a trace holds meanwhile: of the tail, and of the meter if it records alone. If
/// nobody holds the lock of a tail, its process has ended.
final class TailLock: Sendable {
    private let descriptor: Int32
    private let path: String

    /// - Returns: `nil` if another process holds it.
    init?(_ tail: String) throws {
        path = "\(tail)\(Self.suffix)"
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw StoreError(file: FileFailure("make", path)) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                return nil
            }
            // The previous holder may have removed the file in between: then it locks nothing.
            var (own, named) = (stat(), stat())
            if fstat(descriptor, &own) == 0, stat(path, &named) == 0, own.st_ino == named.st_ino {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    static let suffix = ".lock"

    /// Returns whether a process holds the lock of `tail`. Creates and changes nothing.
    static func isHeld(_ tail: String) -> Bool {
        let descriptor = open("\(tail)\(suffix)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }

    /// Removes the lock file, after its tail.
    func remove() { unlink(path) }

    deinit { close(descriptor) }
}
