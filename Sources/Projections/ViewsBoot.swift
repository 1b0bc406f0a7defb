import Foundation
import GroundwaveEventLog

/// Tells views that the present start of the machine has written from those of an earlier one.
///
/// Commits of the views are not flushed. As long as the machine runs, its memory has all of them, whatever process was
/// killed. Once it went down, any page of the file may be of any age: checksums of rows do not show that, and LMDB may
/// end the process over it. So views of an earlier start are folded anew, which costs a second for a million events; and
/// so are those of an unknown one, where the system does not name its starts.
///
/// The file beside the views holds the name of the start, 16 bytes. It need not be flushed: no power cut can make it say
/// the name of a start that was not yet.
enum ViewsBoot {
    private static func file(of views: String) -> String { "\(views).boot" }

    /// Notes that the views at this path were built by the start `boot`. Where that fails, they are built once more.
    static func mark(_ views: String, _ boot: [UInt8]) {
        try? Data(boot).write(to: URL(filePath: file(of: views)))
    }

    /// Whether the views at this path were built by the start `boot`, which is known.
    static func isPresent(_ views: String, _ boot: [UInt8]) -> Bool {
        guard let noted = FileManager.default.contents(atPath: file(of: views)) else { return false }
        return Arrival.isSameBoot([UInt8](noted), boot)
    }
}
