import Events

/// What a store says first: for whoever only asks, before there is a conversation, or instead of one.
public struct Greeting: Hashable, Sendable {
    /// Its log.
    public let log: LogID
    /// What it has.
    public let statement: Statement

    /// Puts a greeting together from bytes as they come. Keeps at most one message.
    public struct Reader: Sendable {
        private var reader = MessageReader()

        /// Nothing has come yet.
        public init() {}

        /// The greeting that `bytes` complete; `nil` while part of it is missing.
        ///
        /// - Throws: ``Refusal`` where the other side wants no conversation; ``ProtocolError`` where what it says is no
        ///   greeting.
        public mutating func read(_ bytes: [UInt8]) throws -> Greeting? {
            var messages: [Message] = []
            var failure: ProtocolError?
            do throws(ProtocolError) { try reader.read(bytes, into: &messages) } catch { failure = error }
            switch messages.first {
            case .hello(let log, let statement): return Greeting(log: log, statement: statement)
            case .goodbye(let reason): throw Refusal(reason: reason)
            case nil:
                if let failure { throw failure }
                return nil
            default: throw ProtocolError.unexpected("a message before the greeting")
            }
        }
    }

    /// The other side ended the conversation before it began.
    public struct Refusal: Error, Hashable, Sendable {
        /// Why, in its words.
        public let reason: String
    }

    /// What to send to a peer that is not talked with.
    public static func farewell(_ reason: String) -> [UInt8] { Message.goodbye(reason).bytes }
}
