import GroundwaveReplication
import NIOCore
import NIOPosix

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
    /// - Throws: ``ConnectionError`` if nobody answers, or no greeting arrives in time; `Greeting.Refusal`;
    ///   `ProtocolError`; `CancellationError` at once if the task is cancelled.
    public static func ask(
        host: String, port: Int, limits: ConnectionLimits = ConnectionLimits()
    ) async throws -> Answer {
        try await untilCancelled { try await answer(of: host, port, limits) }
    }

    private static func answer(of host: String, _ port: Int, _ limits: ConnectionLimits) async throws -> Answer {
        let start = ContinuousClock.now
        let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
        do {
            channel = try await ClientBootstrap(group: Connection.group).connectTimeout(TimeAmount(limits.connect))
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
                }
        } catch {
            throw ConnectionError.unreachable(SystemReason.text(error))
        }
        let timer = channel.channel.eventLoop.scheduleTask(in: TimeAmount(limits.hello)) {
            channel.channel.close(promise: nil)
        }
        defer { timer.cancel() }
        return try await channel.executeThenClose { inbound, outbound in
            var reader = Greeting.Reader()
            do {
                for try await buffer in inbound {
                    guard let greeting = try reader.read([UInt8](buffer.readableBytesView)) else { continue }
                    let answer = Answer(greeting: greeting, duration: ContinuousClock.now - start)
                    try? await outbound.write(ByteBuffer(bytes: Greeting.farewell("")))
                    return answer
                }
            } catch is IOError {
                throw ConnectionError.cut
            }
            let isLate = ContinuousClock.now - start >= limits.hello
            throw isLate ? ConnectionError.silent(.hello) : ConnectionError.cut
        }
    }
}
