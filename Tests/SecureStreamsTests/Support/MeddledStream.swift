import GroundwavePeering
import Synchronization

/// A stream whose written bytes are recorded, and changed on the way.
final class MeddledStream: ByteStream {
    /// Returns what is sent instead of `bytes`, which is the write number `index` and begins at byte `offset`.
    typealias Meddling = @Sendable (_ index: Int, _ offset: Int, _ bytes: [UInt8]) -> [UInt8]

    private struct State {
        var writes: [[UInt8]] = []
        var received: [UInt8] = []
        var greatestLimit = 0
    }

    private let stream: any ByteStream
    private let meddling: Meddling
    private let state = Mutex(State())

    init(_ stream: any ByteStream, meddling: @escaping Meddling = { $2 }) {
        self.stream = stream
        self.meddling = meddling
    }

    /// What was to be written, before it was changed.
    var writes: [[UInt8]] { state.withLock { $0.writes } }
    /// What was read.
    var received: [UInt8] { state.withLock { $0.received } }
    /// The greatest number of bytes that were wanted at once.
    var greatestLimit: Int { state.withLock { $0.greatestLimit } }

    func read(upTo limit: Int) async throws -> [UInt8]? {
        state.withLock { $0.greatestLimit = max($0.greatestLimit, limit) }
        let bytes = try await stream.read(upTo: limit)
        state.withLock { $0.received += bytes ?? [] }
        return bytes
    }

    func write(_ bytes: [UInt8]) async throws {
        let (index, offset) = state.withLock { state in
            defer { state.writes.append(bytes) }
            return (state.writes.count, state.writes.reduce(0) { $0 + $1.count })
        }
        let sent = meddling(index, offset, bytes)
        if !sent.isEmpty { try await stream.write(sent) }
    }

    func close() async { await stream.close() }
}
