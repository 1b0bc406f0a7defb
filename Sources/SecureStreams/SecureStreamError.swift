import GroundwaveEvents

/// Why a ``SecureStream`` was not opened, or has ended.
package enum SecureStreamError: Error, Hashable, Sendable {
    /// The other end does not know the secret of the log, or its first bytes were changed on the way.
    case stranger
    /// The other end knows the secret, and does not prove who it is.
    case unproven
    /// The other end has proved to be this replica, which does not belong to the log.
    case notMember(ReplicaID)
    /// The other end has closed the connection before it said anything about the log: it takes this one for a stranger, or
    /// does not count it among the members; or the connection was cut.
    case refused
    /// A record was changed, left out, repeated or moved on the way.
    case changed
    /// The connection was cut before the other end closed it, or was closed at this end.
    case endedEarly
}

extension SecureStreamError: CustomStringConvertible {
    /// What happened, as a clause for people.
    package var description: String {
        switch self {
        case .stranger: "the other side does not know the secret of this log"
        case .unproven: "the other side does not prove which device it is"
        case .notMember(let replica): "the other side is \(replica), which does not belong to this log"
        case .refused: "the other side closed the connection at once: this device may not belong to its log"
        case .changed: "the connection was tampered with"
        case .endedEarly: "the connection was cut"
        }
    }
}
