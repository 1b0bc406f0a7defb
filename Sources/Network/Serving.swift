import GroundwaveConnections
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveReplication
import GroundwaveStore
import GroundwaveSyncing
import Synchronization

/// Waits for other devices of the log and talks with each, many at once, until it is stopped.
///
/// Nothing is encrypted yet, and nobody is asked who they are: whoever reaches it can read the whole log and add to it.
public final class Serving: Sendable {
    /// A device that is connected.
    public struct Peer: Hashable, Sendable {
        /// Its number among those that came, from 1.
        public let number: Int
        /// Where it is.
        public let address: String
        /// The replica that it writes as, as it says; `nil` before its hello.
        public internal(set) var replica: ReplicaID?
        /// The name of the device, where it is known here.
        public internal(set) var device: String?
    }

    /// What happened.
    public enum Event: Sendable {
        /// A device has said hello.
        case connected(Peer)
        /// Nothing is left to send either way: what has come and gone since it was last so. `returnedEvents` of those that
        /// came had been lost here.
        case synced(Peer, sentEvents: UInt64, receivedEvents: Int, returnedEvents: Int)
        /// A device did what no honest one does, and was left: what, in a sentence.
        case quarantined(Peer, String)
        /// A device has gone; why, where there is a reason.
        case gone(Peer, String?)
    }

    /// What happened, in order. The newest thousand wait for whoever reads; ends with ``stop()``.
    public let events: AsyncStream<Event>
    /// Where it waits.
    public let address: HostAndPort
    private let listener: Listener
    private let sink: AsyncStream<Event>.Continuation

    init(_ store: Store, at place: HostAndPort, peerLimit: Int) async throws {
        let (events, sink) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(1000))
        let numbers = Mutex(0)
        do {
            listener = try await Listener.listen(host: place.host, port: place.port, peerLimit: peerLimit) {
                connection in
                let number = numbers.withLock { number in
                    number += 1
                    return number
                }
                await store.serve(connection, number: number, to: sink)
            }
        } catch {
            throw StoreError(cannotListenAt: place, error)
        }
        self.events = events
        self.sink = sink
        address = HostAndPort(host: listener.host, port: listener.port)
    }

    /// How many devices are connected now.
    public var count: Int { listener.count }

    /// Says goodbye to everybody, and returns when all are gone.
    public func stop() async {
        await listener.stop()
        sink.finish()
    }

    deinit { sink.finish() }
}
