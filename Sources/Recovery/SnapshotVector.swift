import GroundwaveEvents
import GroundwaveProjections

/// What the snapshots of a store say of its log.
package enum SnapshotVector {
    /// The events that the snapshot at `path` counts; `nil` where it cannot be read.
    static func read(_ path: String) -> VersionVector? { (try? Snapshot.information(at: path))?.vector }
}
