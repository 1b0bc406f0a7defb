/// Why values that belong to an event are not in a log.
public enum Withholding: String, Hashable, Sendable {
    /// They were taken out for ever.
    case erased
    /// They were moved to an archive.
    case archived
    /// They never came.
    case absent
}
