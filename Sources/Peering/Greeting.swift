import GroundwaveEvents
import GroundwaveReplication

/// The first message of a store, for a caller that only probes the store, or has no session yet.
public struct Greeting: Hashable, Sendable {
    /// The log of the store.
    public let log: LogID
    /// The manifest of the store.
    public let manifest: Manifest

    /// Assembles a greeting from received bytes. Buffers at most one message.
    public struct Reader: Sendable {
        private var reader = MessageReader()

        /// Creates an empty reader.
        public init() {}

        /// Adds received bytes. Returns the greeting when it is complete; `nil` before.
        ///
        /// - Throws: ``Refusal`` if the other side refuses the connection; ``ProtocolError`` if the bytes are not a
        ///   greeting.
        public mutating func read(_ bytes: [UInt8]) throws -> Greeting? {
            var messages: [Message] = []
            var failure: ProtocolError?
            do throws(ProtocolError) { try reader.read(bytes, into: &messages) } catch { failure = error }
            switch messages.first {
            case .hello(let log, let manifest): return Greeting(log: log, manifest: manifest)
            case .close(let reason): throw Refusal(reason: reason)
            case nil:
                if let failure { throw failure }
                return nil
            default: throw ProtocolError.unexpected("a message before the greeting")
            }
        }
    }

    /// The other side closed the connection before the session began.
    public struct Refusal: Error, Hashable, Sendable {
        /// The reason that the other side gave.
        public let reason: String
    }

    /// Returns the bytes that close a connection without a session.
    public static func farewell(_ reason: String) -> [UInt8] { Message.close(reason).bytes }
}
