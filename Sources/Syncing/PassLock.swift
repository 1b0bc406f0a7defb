import Foundation
import GroundwaveRemotes
import GroundwaveStore

/// Held while a store synchronises with a remote: two programs of one device would write its catalog there over each other,
/// and forget what the other one has pushed.
///
/// It ends with the process, and is not held while the store is suspended, since a suspension ends the pass.
final class PassLock {
    private let descriptor: Int32

    /// How long to wait for another program, and how often to look.
    private static let (tries, interval) = (1200, Duration.milliseconds(50))

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Waits until no other program synchronises with `remote`, at most for a minute.
    ///
    /// - Throws: ``StoreError`` with code `busy` after that, or the one of the system error; `CancellationError`.
    static func taken(for remote: Remote, in files: StoreFiles) async throws -> PassLock {
        let path = files.folder.appending(path: "sync/\(remote.name).lock").path
        try files.makeSyncFolder()
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreError(system: errno, "The file \(path) cannot be opened") }
        let lock = PassLock(descriptor)
        for _ in 0..<tries {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return lock }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw StoreError(system: errno, "The file \(path) cannot be locked")
            }
            try await Task.sleep(for: interval)
        }
        throw StoreError(
            .busy, "Another program on this device has been synchronising with \(remote.name) for a minute.",
            hint: "Wait until it is done, or stop it. Nothing is lost.")
    }

    deinit { _ = Foundation.close(descriptor) }
}
