/// A folder that the user can see and that regularly receives all contacts as ADIF and the settings as JSON.
package struct MirrorState: Codable, Hashable {
    package var folder: String
    /// The folder of the photos that sessions name; `nil` if these are not mirrored.
    package var photos: String?
    /// The log's last position when the mirror was last written; 0 for never.
    package var position: UInt64 = 0
    /// When the mirror was last written: milliseconds since 1970.
    package var written: Int64 = 0

    package init(folder: String, photos: String?) { (self.folder, self.photos) = (folder, photos) }

    /// The longest time for which a change may be missing from the mirror: an hour.
    static let intervalMilliseconds: Int64 = 3600 * 1000

    /// Returns whether the mirror is due, for a log whose last position is `position`.
    package func isDue(position: UInt64, now: Int64) -> Bool {
        position != self.position && abs(now - written) >= Self.intervalMilliseconds
    }
}
