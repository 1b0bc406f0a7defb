import EventLog
import Foundation

/// Tells views that the present start of the machine has written from those of an earlier one.
///
/// Commits of the views are not flushed. As long as the machine runs, its memory has all of them, whatever process was
/// killed. Once it went down, any page of the file may be of any age: checksums of rows do not show that, and LMDB may
/// end the process over it. So views of an earlier start are folded anew, which costs a second for a million events.
///
/// The file beside the views holds the name of the start, 16 bytes. It need not be flushed: no power cut can make it say
/// the name of a start that was not yet.
enum ViewsBoot {
    private static func file(of views: String) -> String { "\(views).boot" }

    /// Notes that the views at this path were built by the present start. Where that fails, they are built once more.
    static func mark(_ views: String) {
        try? Data(Arrival.now().boot).write(to: URL(filePath: file(of: views)))
    }

    /// Whether the views at this path were built by the present start, or the system does not name its starts.
    static func isPresent(_ views: String) -> Bool {
        let boot = Arrival.now().boot
        if boot.allSatisfy({ $0 == 0 }) { return true }
        return FileManager.default.contents(atPath: file(of: views)).map { [UInt8]($0) } == boot
    }
}
