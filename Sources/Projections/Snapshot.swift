import Foundation
import GroundwaveEventLog
import GroundwaveEvents

/// Compacted dumps of the views: what time travel, a new device and recovery begin with.
public enum Snapshot {
    /// Writes a snapshot of what `views` show, which count a whole vector.
    ///
    /// - Parameters:
    ///   - created: The moment, in milliseconds since 1970.
    ///   - sink: Takes the bytes of the file, piece by piece.
    /// - Returns: What was written; `nil` where the views were built anew meanwhile, so that it has to be begun again.
    /// - Complexity: O(records); nothing is held between two pieces of some thousand records.
    public static func write(
        of views: PastViews, created: Int64, to sink: @escaping ([UInt8]) throws -> Void
    ) throws -> SnapshotInformation? {
        var writer = try SnapshotWriter(of: views, sink: sink)
        return try writer.write(created: created)
    }

    /// What the snapshot at `path` says of itself. Cost: three small reads.
    ///
    /// - Throws: ``SnapshotError``.
    public static func information(at path: String) throws -> SnapshotInformation {
        try SnapshotReader(path).information
    }

    /// Reads the snapshot at `path` and throws unless every byte of it is what was written, and every record can be read.
    ///
    /// - Throws: ``SnapshotError``.
    /// - Complexity: O(bytes), about 100 MB/s of the records.
    public static func verify(at path: String) throws -> SnapshotInformation {
        let reader = try SnapshotReader(path)
        try reader.verify()
        return reader.information
    }
}
