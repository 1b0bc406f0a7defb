import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Tells whether anybody else has begun to write to an environment since the same one did, in whatever process.
///
/// LMDB says which transaction was committed last, and nothing of one that a process began and did not live to commit;
/// yet pages of that may be in the file. So whoever begins to write leaves a random number of its own in a file beside
/// the environment. It need not outlive the machine: after a start of it everybody is another one.
public final class LastWriter: Sendable {
    private struct State: ~Copyable {
        var mark = LastWriter.newMark()
        var file: OpenFile?
    }

    private let path: String
    private let state = Mutex(State())

    /// The mark of the environment at `path`, in a file whose name goes on with `-writer`. Touches nothing.
    public init(of path: String) { self.path = path + "-writer" }

    /// Whether the last one who asked this, of all processes, was this one; from now on it is.
    ///
    /// Ask within the write transaction that it is about. No where the file cannot be read or written, and the first
    /// time. Cost: 0.5 us.
    public func goesOn() -> Bool {
        state.withLock { state in
            do throws(SystemError) {
                if state.file == nil { state.file = try OpenFile(path, O_RDWR | O_CREAT) }
                if try Self.hasMark(state.mark, state.file) { return true }
            } catch {
                // Who could not leave its mark must not find a former one and take itself for the last.
                state.mark = Self.newMark()
            }
            return false
        }
    }

    /// Makes this one another one than before: what it wrote last may have come to nothing, or the file be another one.
    public func forget() { state.withLock { $0 = State() } }

    /// Whether `file` holds `mark`; it does afterwards.
    private static func hasMark(_ mark: [UInt8], _ file: borrowing OpenFile?) throws(SystemError) -> Bool {
        switch file {
        case .some(let file):
            // Of a file that was removed others know nothing.
            guard try file.status().st_nlink > 0 else { return false }
            if try file.read(mark.count, at: 0) == mark { return true }
            try file.write(mark)
            return false
        case .none: return false
        }
    }

    private static func newMark() -> [UInt8] { (0..<16).map { _ in UInt8.random(in: 0...UInt8.max) } }
}
