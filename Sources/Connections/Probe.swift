import GroundwaveReplication
import NIOCore
import NIOPosix

/// Asks a store which log it has and what of it, without a conversation.
public enum Probe {
    /// What a store answered.
    public struct Answer: Hashable, Sendable {
        /// What it says first.
        public let greeting: Greeting
        /// From the first attempt to reach it until its whole greeting was there.
        public let duration: Duration
    }

    /// Connects, takes the greeting, and leaves with a goodbye.
    ///
    /// - Throws: ``ConnectionError`` where nobody answers, or nothing is said in time; `Greeting.Refusal`, `ProtocolError`.
    public static func ask(
        host: String, port: Int, limits: ConnectionLimits = ConnectionLimits()
    ) async throws -> Answer {
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
