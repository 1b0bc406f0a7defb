import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import Synchronization

/// The views of a log at one vector, in a temporary file that is deleted with its last user.
struct ScratchView: Sendable {
    let environment: Environment
    let vector: VersionVector
    /// The signature of the kinds that the rows were made for.
    let signature: UInt64
    /// The content of the log whose events were folded.
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

    /// Returns the same file, after it was brought up to `vector`.
    func moved(to vector: VersionVector) -> ScratchView {
        ScratchView(environment, file, vector, signature, content)
    }
}

/// The past view that was released last, for reuse. A caller that steps through points in order resumes from it, and
/// pays only for the events between two points.
///
/// It has one owner at a time: it is stored here when it has no readers left, and removed before it is changed.
public final class FormerScratch: Sendable {
    private let scratch = Mutex<ScratchView?>(nil)

    /// Creates an empty holder.
    public init() {}

    /// Whether a past view is stored here.
    package var isThere: Bool { scratch.withLock { $0 != nil } }

    func leave(_ former: ScratchView) { scratch.withLock { $0 = former } }

    /// Removes and returns the past view if `isUseful` accepts it. The caller is then its only owner.
    func take(where isUseful: (ScratchView) -> Bool) -> ScratchView? {
        scratch.withLock { scratch in
            guard let found = scratch, isUseful(found) else { return nil }
            scratch = nil
            return found
        }
    }

    /// Discards the past view and deletes its file, unless it is of the log content `content`.
    public func drop(unlessOf content: LogContent) {
        scratch.withLock { if $0?.content != content { $0 = nil } }
    }

    /// Discards the past view and deletes its file.
    public func close() { scratch.withLock { $0 = nil } }
}
