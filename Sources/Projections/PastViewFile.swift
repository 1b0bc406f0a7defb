import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import Synchronization

/// The views of a log at one vector, in a temporary file that is deleted with its last user.
struct PastViewFile: Sendable {
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
    func moved(to vector: VersionVector) -> PastViewFile {
        PastViewFile(environment, file, vector, signature, content)
    }
}

/// The past view that was released last, for reuse. A caller that steps through points in order resumes from it, and
/// pays only for the events between two points.
///
/// It has one owner at a time: it is stored here when it has no readers left, and removed before it is changed.
public final class ReusablePastView: Sendable {
    private let view = Mutex<PastViewFile?>(nil)

    /// Creates an empty holder.
    public init() {}

    /// Whether a past view is stored here.
    package var isThere: Bool { view.withLock { $0 != nil } }

    func store(_ former: PastViewFile) { view.withLock { $0 = former } }

    /// Removes and returns the past view if `isUseful` accepts it. The caller is then its only owner.
    func remove(where isUseful: (PastViewFile) -> Bool) -> PastViewFile? {
        view.withLock { view in
            guard let found = view, isUseful(found) else { return nil }
            view = nil
            return found
        }
    }

    /// Discards the past view and deletes its file, unless it is of the log content `content`.
    public func drop(unlessOf content: LogContent) {
        view.withLock { if $0?.content != content { $0 = nil } }
    }

    /// Discards the past view and deletes its file.
    public func close() { view.withLock { $0 = nil } }
}
