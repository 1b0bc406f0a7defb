import GroundwaveEvents

/// What an archive took out of a log, or would take.
public struct Archived: Hashable, Sendable {
    /// The events up to which history was archived.
    public let vector: VersionVector
    /// How many events have their values in the file now, and no more in the log.
    public let eventCount: Int
    /// Bytes of the file; 0 where nothing was written.
    public internal(set) var fileBytes = 0
    /// Bytes of the log before.
    public let logBytesBefore: Int
    /// Bytes of the log now.
    public internal(set) var logBytes: Int
}
