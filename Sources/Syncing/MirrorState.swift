/// A folder that the user can see and that gets, from time to time, all contacts as ADIF and the settings as JSON.
package struct MirrorState: Codable, Hashable {
    package var folder: String
    /// Where the photos are that sessions name; `nil` where these are not mirrored.
    package var photos: String?
    /// The log's last position when it was written last; 0 for never.
    package var position: UInt64 = 0
    /// When that was: milliseconds since 1970.
    package var written: Int64 = 0

    package init(folder: String, photos: String?) { (self.folder, self.photos) = (folder, photos) }

    /// How long a change may be missing from it: an hour.
    static let intervalMilliseconds: Int64 = 3600 * 1000

    /// Whether it is due, when the log has come to `position`.
    package func isDue(position: UInt64, now: Int64) -> Bool {
        position != self.position && abs(now - written) >= Self.intervalMilliseconds
    }
}
