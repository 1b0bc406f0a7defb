/// The settings of the mirror, a folder that regularly gets all contacts as ADIF and the settings as JSON, and when it
/// was last written.
package struct MirrorState: Codable, Hashable {
    /// The path of the folder.
    package var folder: String
    /// The path of the folder of the photos that sessions name; `nil` if these are not mirrored.
    package var photos: String?
    /// The log's last position when the mirror was last written; 0 for never.
    package var position: UInt64 = 0
    /// When the mirror was last written, in milliseconds since 1970; 0 for never.
    package var written: Int64 = 0

    package init(folder: String, photos: String?) { (self.folder, self.photos) = (folder, photos) }

    /// The least time between two automatic writes of the mirror: an hour.
    static let intervalMilliseconds: UInt64 = 3600 * 1000

    /// Returns whether the mirror is due, for a log whose last position is `position`.
    ///
    /// - Parameter now: Milliseconds since 1970. If the clock was set back by an hour or more, the mirror is due too.
    package func isDue(position: UInt64, now: Int64) -> Bool {
        position != self.position && (now &- written).magnitude >= Self.intervalMilliseconds
    }
}
