import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import Synchronization

/// The views of a log at one vector in a file of its own, which goes away with its last user.
struct ScratchView: Sendable {
    let environment: Environment
    let vector: VersionVector
    /// Which kinds its rows were made for.
    let signature: UInt64
    /// Of which content of the log its events were.
    let content: LogContent
    private let file: File

    private final class File: Sendable {
        let path: String

        init(_ path: String) { self.path = path }

        deinit {
            unlink(path)
            unlink("\(path)-lock")
        }
    }

    init(
        _ environment: Environment, at path: String, vector: VersionVector, signature: UInt64,
        content: LogContent
    ) {
        self.init(environment, File(path), vector, signature, content)
    }

    private init(
        _ environment: Environment, _ file: File, _ vector: VersionVector, _ signature: UInt64,
        _ content: LogContent
    ) {
        self.environment = environment
        self.file = file
        self.vector = vector
        self.signature = signature
        self.content = content
    }

    /// The same file, where it was brought up to `vector`.
    func moved(to vector: VersionVector) -> ScratchView {
        ScratchView(environment, file, vector, signature, content)
    }
}

/// The scratch view that was let go last: whoever goes through points in order goes on with it, which costs what lies
/// between two points, and not what lies behind them.
///
/// It has one owner at a time: it is left here when nobody can read it any more, and taken out to be changed.
public final class FormerScratch: Sendable {
    private let scratch = Mutex<ScratchView?>(nil)

    /// None yet.
    public init() {}

    /// Whether there is one.
    package var isThere: Bool { scratch.withLock { $0 != nil } }

    func leave(_ former: ScratchView) { scratch.withLock { $0 = former } }

    /// Takes it out where it is of use; then it is the caller's alone.
    func take(where isUseful: (ScratchView) -> Bool) -> ScratchView? {
        scratch.withLock { scratch in
            guard let found = scratch, isUseful(found) else { return nil }
            scratch = nil
            return found
        }
    }

    /// Lets it go where it is of another content of the log than `content`: its file is deleted.
    public func drop(unlessOf content: LogContent) {
        scratch.withLock { if $0?.content != content { $0 = nil } }
    }

    /// Lets it go: its file is deleted.
    public func close() { scratch.withLock { $0 = nil } }
}
