/// Why the values of an event are not in a log.
public enum Withholding: String, Hashable, Sendable {
    /// They were erased permanently.
    case erased
    /// They were moved to an archive.
    case archived
    /// They were never received.
    case absent
}
