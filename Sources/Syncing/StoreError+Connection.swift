import GroundwavePeering
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveStore

extension StoreError {
    /// Creates the error for a connection that failed.
    package init(_ error: ConnectionError, at address: RemoteAddress) {
        if error.isAboutTrust {
            self.init(error, with: "\(address)")
        } else {
            self.init(
                .unreachable, "\(address) cannot be reached: \(error.sentence).",
                hint: address.isOfApplication
                    ? "Nothing is lost: what was logged or received is kept here."
                    : "Nothing is lost: what was logged or received is kept here. On that device: \(.serve)",
                cause: error)
        }
    }

    /// Creates the error for a connection whose two ends do not both prove that they belong to a sealed log.
    package init(_ error: ConnectionError, with peer: String) {
        self.init(
            error == .tampered || error == .turnedAway ? .unreachable : .notPermitted,
            "There is no connection with \(peer): \(error.sentence).",
            hint: "The log is sealed, and both devices must belong to it. To see which ones do: \(.list(.devices))",
            cause: error)
    }

    /// Creates the error for a store that was asked for its log and did not say it.
    package init(probing address: RemoteAddress, _ error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as Greeting.Refusal: self.init(endedAt: address, reason: error.reason)
        case let error as ProtocolError:
            self.init(
                .damaged, "The program at \(address) is not groundwave, or its log is sealed. \(error.sentence)",
                hint: "Check what is at the other end. A sealed log is joined with a code.", cause: error)
        default: self.init(error as? ConnectionError ?? .silent(.hello), at: address)
        }
    }

    /// Creates the error for a device that says nothing, as one of a sealed log does to whoever has no code of it.
    package init(silentAt address: RemoteAddress) {
        self.init(
            .unreachable, "The device at \(address) says nothing: its log may be sealed.",
            hint: "Nothing was written. If it is, have a code shown there: \(.giveCode)",
            cause: SealedRemote())
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
    /// Whether one of the two ends was not believed to belong to a sealed log.
    package var isAboutTrust: Bool {
        switch self {
        case .stranger, .unproven, .notMember, .tampered, .turnedAway: true
        case .unreachable, .cannotListen, .notAPipe, .cut, .silent: false
        }
    }

    /// What happened, as a clause for people.
    package var sentence: String {
        switch self {
        case .unreachable(let reason), .cannotListen(let reason), .notAPipe(let reason): reason
        case .cut: "the connection was cut"
        case .silent(.hello): "the other side does not send a greeting"
        case .silent(.answer): "the other side has stopped answering"
        case .silent(.reading): "the other side has stopped reading"
        case .stranger: "the other side does not know the secret of this log"
        case .unproven: "the other side does not prove which device it is"
        case .notMember(let replica): "the other side is \(replica.short), which does not belong to this log"
        case .turnedAway: "the other side closed it without a word"
        case .tampered: "what was sent was changed on the way"
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
