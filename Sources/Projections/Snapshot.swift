import EventLog
import Events
import Foundation

/// Compact dumps of the views: the starting point of time travel, a new device and recovery.
public enum Snapshot {
    /// Writes a snapshot of `views`, whose filter must be a plain version vector.
    ///
    /// - Parameters:
    ///   - created: The time of creation, in milliseconds since 1970.
    ///   - sink: Receives the bytes of the file, piece by piece.
    /// - Returns: A description of the snapshot; `nil` if the views were rebuilt meanwhile: then the caller must
    ///   start again.
    /// - Complexity: O(records). No read transaction is held between pieces of some thousand records.
    public static func write(
        of views: PastViews, created: Int64, to sink: @escaping ([UInt8]) throws -> Void
    ) throws -> SnapshotInformation? {
        var writer = try SnapshotWriter(of: views, sink: sink)
        return try writer.write(created: created)
    }

    /// Returns the description stored in the snapshot at `path`. Cost: three small reads.
    ///
    /// - Throws: ``SnapshotError``.
    public static func information(at path: String) throws -> SnapshotInformation {
        try SnapshotReader(path).information
    }

    /// Reads the snapshot at `path` and throws unless every byte is as written and every record is readable.
    ///
    /// - Throws: ``SnapshotError``.
    /// - Complexity: O(bytes), about 100 MB/s of the records.
    public static func verify(at path: String) throws -> SnapshotInformation {
        let reader = try SnapshotReader(path)
        try reader.verify()
        return reader.information
    }
}
