import GroundwaveADIF

/// What a logging program says in a datagram.
package enum LoggerMessage: Hashable, Sendable {
    /// A contact was logged, or changed.
    case contact(LoggerContact)
    /// A contact was deleted.
    case deletion(LoggerDeletion)
    /// Something that is not about a contact, such as a heartbeat or a decode.
    case other
    /// A message about a contact that cannot be read, with the reason as a clause.
    case unreadable(program: String, reason: String)
    /// Nothing that one of the programs sends.
    case unknown

    /// The most bytes that a UDP datagram can have.
    package static let maximumByteCount = 65_535

    /// Reads a datagram. An ADIF text in it may have several contacts, each of which is a message.
    ///
    /// - Complexity: O(*n*) in time and memory.
    package static func messages(in datagram: [UInt8]) -> [LoggerMessage] {
        guard datagram.count <= maximumByteCount else { return [.unknown] }
        if let messages = NetworkMessage.messages(in: datagram) { return messages }
        if let message = ContestMessage.message(in: datagram) { return [message] }
        return LoggedText.messages(in: datagram)
    }
}

/// A contact as a logging program reports it.
package struct LoggerContact: Hashable, Sendable {
    /// The name of the program, such as `WSJT-X`; the source of what it says.
    package var program: String
    /// The fields of the contact. It has a call.
    package var fields: ADIFFields
    /// Whether the program says that a contact which it has reported before was changed by hand.
    package var isReplacement = false
}

/// A contact that was deleted in a logging program.
package struct LoggerDeletion: Hashable, Sendable {
    /// The name of the program.
    package var program: String
    /// The field in which its contacts have their id.
    package var idField: String
    /// The id of the contact.
    package var id: [UInt8]
    /// The call of the contact, for people.
    package var call: String
    /// The time of the contact as the program writes it, for people.
    package var time: String
}

/// Why a message about a contact cannot be read.
struct UnreadableMessage: Error {
    /// The reason, as a clause.
    let reason: String
}
