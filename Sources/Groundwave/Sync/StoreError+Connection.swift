import Connections
import Replication

extension StoreError {
    init(_ error: ConnectionError, at address: RemoteAddress) {
        self.init(
            .unreachable, "\(address) cannot be reached: \(error.sentence).",
            hint:
                "Nothing is lost: what was logged waits here, and what has come stays. Is groundwave serve running there?",
            cause: error)
    }

    init(cannotListenAt place: HostAndPort, _ error: ConnectionError) {
        self.init(
            .inputOutput, "Nobody can be waited for at \(place): \(error.sentence).",
            hint: "Choose another port, or end the program that has this one.", cause: error)
    }

    /// Creates the error for a peer that ended the connection before both sides were caught up.
    init(endedAt address: RemoteAddress, reason: String) {
        self.init(
            .unreachable,
            "\(address) ended the conversation\(reason.isEmpty ? "" : ": \(reason)").",
            hint: "Nothing is lost: what has come stays, and the next sync goes on.")
    }
}

extension ConnectionError {
    /// What happened, as a clause for people.
    var sentence: String {
        switch self {
        case .unreachable(let reason), .cannotListen(let reason), .notAPipe(let reason): reason
        case .cut: "the connection was cut"
        case .silent(.hello): "the other side does not say hello"
        case .silent(.answer): "the other side has stopped answering"
        case .silent(.reading): "the other side has stopped reading"
        }
    }
}

extension ProtocolError {
    /// What the peer did, for people.
    var sentence: String {
        switch self {
        case .garbage: "It sends bytes that are no message of ours."
        case .tooLong(let count): "It announced a message of \(count) bytes, which is more than any of ours."
        case .unexpected(let what): "It said something that does not belong there: \(what)."
        case .otherLog(let log): "It is a store of another log, \(log.short)."
        case .badRange(let error): "It sent events that are not what was signed (\(error))."
        case .madeUp(let range):
            "It sent events \(range.first)-\(range.last) of \(range.replica.short) that say of their author what is not so."
        case .claims(let range):
            "It says that it has events \(range.first)-\(range.last) of \(range.replica.short), and does not send them."
        case .goesBack(let replica): "It says now that it has less of \(replica.short) than it had."
        case .repeats(let bytes): "It sent \(bytes) bytes of what is here already."
        }
    }
}
