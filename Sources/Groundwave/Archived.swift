import Events

/// The result of archiving, or of its dry run.
public struct Archived: Hashable, Sendable {
    /// The events up to which history was archived.
    public let vector: VersionVector
    /// The number of events whose values moved from the log to the file.
    public let eventCount: Int
    /// The size of the file in bytes; 0 if nothing was written.
    public internal(set) var fileBytes = 0
    /// The size of the log in bytes before archiving.
    public let logBytesBefore: Int
    /// The size of the log in bytes after archiving.
    public internal(set) var logBytes: Int
}
