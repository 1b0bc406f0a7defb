import GroundwaveReplication
import GroundwaveStore

extension StoreError {
    /// Creates the error for a connection that failed.
    package init(_ error: ConnectionError, at address: RemoteAddress) {
        self.init(
            .unreachable, "\(address) cannot be reached: \(error.sentence).",
            hint: address.isOfApplication
                ? "Nothing is lost: what was logged or received is kept here."
                : "Nothing is lost: what was logged or received is kept here. On that device: \(.serve)",
            cause: error)
    }

    /// Creates the error for a peer that ended the connection before both sides were caught up.
    package init(endedAt address: RemoteAddress, reason: String) {
        self.init(
            .unreachable,
            "\(address) closed the connection\(reason.isEmpty ? "" : ": \(reason)").",
            hint: "Nothing is lost: what has arrived is kept, and the next sync continues.")
    }
}

extension ConnectionError {
    /// What happened, as a clause for people.
    package var sentence: String {
        switch self {
        case .unreachable(let reason), .cannotListen(let reason), .notAPipe(let reason): reason
        case .cut: "the connection was cut"
        case .silent(.hello): "the other side does not send a greeting"
        case .silent(.answer): "the other side has stopped answering"
        case .silent(.reading): "the other side has stopped reading"
        }
    }
}

extension ProtocolError {
    /// What the peer did, for people.
    package var sentence: String {
        switch self {
        case .garbage: "It sends bytes that are not a groundwave message."
        case .tooLong(let count): "It announced a message of \(count) bytes, more than any groundwave message has."
        case .unexpected(let what): "It sent something unexpected: \(what)."
        case .otherLog(let log): "It is a store of another log, \(log.short)."
        case .badRange(let error): "It sent events that do not match their signature (\(error))."
        case .madeUp(let range):
            "It sent events \(range.first)-\(range.last) of \(range.replica.short) with false claims about the author."
        case .claims(let range):
            "It claims to have events \(range.first)-\(range.last) of \(range.replica.short), but does not send them."
        case .rewound(let replica): "It now claims to have fewer events of \(replica.short) than before."
        case .repeats(let bytes): "It sent \(bytes) bytes that are already here."
        }
    }
}
