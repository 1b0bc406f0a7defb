import Events
import Projections

/// Reads how much of its log a snapshot covers.
package enum SnapshotVector {
    /// Returns the vector of the snapshot at `path`; `nil` if it cannot be read.
    static func read(_ path: String) -> VersionVector? { (try? Snapshot.information(at: path))?.vector }
}
