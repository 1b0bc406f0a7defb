import Foundation
import Metering
import Records
import Recovery

/// The files of what is being recorded: see ``TailFile``.
enum Tails {
    private static let suffix = ".tail"

    /// Where the tail of `trace` is; makes the folder.
    static func path(of trace: RecordID, in files: StoreFiles) throws -> String {
        do {
            try FileManager.default.createDirectory(
                at: files.tailFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StoreError(error, "The folder \(files.tailFolder.path) cannot be created")
        }
        return path(of: trace, below: files)
    }

    /// Where the tail of `trace` is, if there is one.
    static func path(of trace: RecordID, below files: StoreFiles) -> String {
        files.tailFolder.appending(path: "\(trace)\(suffix)").path
    }

    /// The paths of all tails of a store, in order, and of those of which only a lock or an unfinished file is left.
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

    /// What only the tail of `trace` has; nothing where it is not being recorded, and of a past moment.
    static func content(of trace: RecordID, in store: some Reading) -> TailContent {
        guard let store = store as? Store else { return TailContent() }
        return TailFile.read(path(of: trace, below: store.files), log: store.log.id)?.content ?? TailContent()
    }

    /// Whether this device is recording `trace`; of a past moment, it is not.
    static func state(of trace: RecordID, in store: some Reading) -> TailState {
        guard let store = store as? Store else { return .none }
        let path = path(of: trace, below: store.files)
        // The lock first: who finishes takes the tail away before it.
        if TailLock.isHeld(path) { return .recording }
        return access(path, F_OK) == 0 ? .interrupted : .none
    }

    /// Removes what is left of a tail that was being made.
    static func removeUnfinished(_ path: String) { unlink("\(path)\(TailFile.unfinished)") }

    static func remove(_ path: String) throws {
        do throws(FileFailure) { try DurableFile.remove(path) } catch { throw StoreError(file: error) }
    }
}

/// Held by the process that records a trace, for as long as it does: a tail whose lock nobody has is of a process that has
/// ended.
final class TailLock: Sendable {
    private let descriptor: Int32
    private let path: String

    /// - Returns: `nil` where another process has it.
    init?(_ tail: String) throws {
        path = "\(tail)\(Self.suffix)"
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw StoreError(file: FileFailure("make", path)) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                return nil
            }
            // Whoever had it may have removed it in between: then it locks nothing.
            var (own, named) = (stat(), stat())
            if fstat(descriptor, &own) == 0, stat(path, &named) == 0, own.st_ino == named.st_ino {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    static let suffix = ".lock"

    /// Whether a process has the lock of `tail`. Nothing is made or changed.
    static func isHeld(_ tail: String) -> Bool {
        let descriptor = open("\(tail)\(suffix)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }

    /// Takes the file away, with its tail gone.
    func remove() { unlink(path) }

    deinit { close(descriptor) }
}
