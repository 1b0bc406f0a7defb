import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Detects whether another instance, in any process, has begun to write to an environment since this one did.
///
/// LMDB records the last committed transaction, but not one that a process began and did not live to commit, although
/// pages of that may be in the file. So each instance that begins to write stores its own random number in a file
/// beside the environment. The file need not be flushed: after a restart of the machine every instance has a new
/// number.
public final class LastWriter: Sendable {
    private struct State: ~Copyable {
        var mark = LastWriter.newMark()
        var file: OpenFile?
    }

    private let path: String
    private let state = Mutex(State())

    /// The mark of the environment at `path`, stored in the file `path` + `-writer`. Does not access the file.
    public init(of path: String) { self.path = path + "-writer" }

    /// Makes this instance the last writer, over all processes, and returns whether it was that already.
    ///
    /// Call it within the write transaction that it is about. Returns false on the first call, and if the file cannot
    /// be read or written. Cost: 0.5 us.
    public func becomeLastWriter() -> Bool {
        state.withLock { state in
            do throws(SystemError) {
                if state.file == nil { state.file = try OpenFile(path, O_RDWR | O_CREAT) }
                if try Self.hasMark(state.mark, state.file) { return true }
            } catch {
                // The file may still hold this instance's old mark; a new one keeps a later call from matching it.
                state.mark = Self.newMark()
            }
            return false
        }
    }

    /// Discards the mark of this instance, because its last write may have failed or the file may be another one.
    public func forget() { state.withLock { $0 = State() } }

    /// Returns whether `file` holds `mark`, and writes it if not.
    private static func hasMark(_ mark: [UInt8], _ file: borrowing OpenFile?) throws(SystemError) -> Bool {
        switch file {
        case .some(let file):
            // Other processes do not see a file that was removed.
            guard try file.status().st_nlink > 0 else { return false }
            if try file.read(mark.count, at: 0) == mark { return true }
            try file.write(mark)
            return false
        case .none: return false
        }
    }

    private static func newMark() -> [UInt8] { (0..<16).map { _ in UInt8.random(in: 0...UInt8.max) } }
}
