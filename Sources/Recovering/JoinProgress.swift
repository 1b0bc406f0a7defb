import GroundwaveProjections

/// What happens while a store is being joined.
public enum JoinProgress: Sendable {
    /// A part of the newest snapshot is being fetched.
    case snapshot(part: Int, of: Int)
    /// The snapshot that was made at that time (milliseconds since 1970) cannot be used, because of the reason that the
    /// sentence states. An older one is used, or none: the log itself is fetched as always.
    case unusable(created: Int64, reason: String)
    /// The records can be read from now on, by this process and others, as the snapshot has them: see
    /// ``Store/whileJoining(at:_:)``.
    case readable(SnapshotInformation)
    /// This number of events is here; and the least number that there will be, if a snapshot tells.
    case history(events: UInt64, of: UInt64?)
}
