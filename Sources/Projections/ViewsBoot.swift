import Foundation
import GroundwaveEventLog
import GroundwaveLogFormat

/// Distinguishes views written since the machine started from those of an earlier boot.
///
/// Commits of the views are not flushed. While the machine runs, its memory has all of them, even if the process was
/// killed. After it went down, any page of the file may be of any age: row checksums do not detect that, and LMDB may
/// crash on it. So views of an earlier boot are rebuilt, which takes a second for a million events. Views of an
/// unknown boot are rebuilt too, on systems without boot IDs.
///
/// The file beside the views holds the 16-byte boot ID. It need not be flushed: no power cut can make it contain the
/// ID of a later boot.
enum ViewsBoot {
    private static func file(of views: String) -> String { "\(views).boot" }

    /// Records that the views at this path were built during `boot`. If that fails, the views are only rebuilt once
    /// more.
    static func mark(_ views: String, _ boot: [UInt8]) {
        try? Data(boot).write(to: URL(filePath: file(of: views)))
    }

    /// Whether the views at this path were built during `boot`; `false` if `boot` is unknown.
    static func isPresent(_ views: String, _ boot: [UInt8]) -> Bool {
        guard let noted = FileManager.default.contents(atPath: file(of: views)) else { return false }
        return Arrival.isSameBoot([UInt8](noted), boot)
    }
}
