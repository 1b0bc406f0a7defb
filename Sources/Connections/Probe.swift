import GroundwavePeering
import GroundwaveReplication

/// Asks a store for its log and manifest, without a session.
public enum Probe {
    /// The answer of a store.
    public struct Answer: Hashable, Sendable {
        /// The first message of the store.
        public let greeting: Greeting
        /// The time from the first attempt to connect until the whole greeting was received.
        public let duration: Duration
    }

    /// Connects, reads the greeting, and closes with a close message.
    ///
    /// - Parameter secure: Returns the stream over which the stores of the log talk with each other.
    /// - Throws: ``ConnectionError`` if nobody answers, or no greeting arrives in time; `Greeting.Refusal`;
    ///   `ProtocolError`; the error of `secure`; `CancellationError` at once if the task is cancelled.
    public static func ask(
        host: String, port: Int, limits: ConnectionLimits = ConnectionLimits(),
        over secure: (any ByteStream) async throws -> any ByteStream = { $0 }
    ) async throws -> Answer {
        let start = ContinuousClock.now
        let stream = try await secure(try await ChannelStream.open(host: host, port: port, limits: limits))
        let greeting = try await GreetedStream(stream).greeting(within: limits.hello)
        let answer = Answer(greeting: greeting, duration: ContinuousClock.now - start)
        try? await stream.write(Greeting.farewell(""))
        await stream.close()
        return answer
    }
}
