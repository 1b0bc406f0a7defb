import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwavePeering
import GroundwaveReplication
import GroundwaveSeededNumbers
import Synchronization

extension Arrival {
    static func test(_ milliseconds: Int64) -> Arrival {
        Arrival(wallMilliseconds: milliseconds, monotonicMilliseconds: 0, boot: [UInt8](repeating: 0, count: 16))
    }
}

/// A log with an identity, in a folder of its own, which goes away with it.
final class TestStore: Sendable {
    let folder: URL
    let log: EventLog
    let identity: Identity
    private let count = Mutex<UInt64>(0)
    /// Bytes that do not compress.
    private static let noise: [UInt8] = {
        var numbers = SeededGenerator(seed: 1)
        return (0..<1 << 18).flatMap { _ in
            let number = numbers.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
    }()

    init(seed: UInt64, log id: LogID = LogID(high: 1, low: 2)) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-connection-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var numbers = SeededGenerator(seed: seed)
        identity = Identity.random(using: &numbers)
        log = try EventLog.create(at: folder.appending(path: "log.mdb").path, id: id, epoch: seed)
    }

    deinit {
        try? log.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// This side of a conversation.
    func runner() throws -> SessionRunner<EventLog> { try SessionRunner(log, as: identity, now: { .test(1) }) }

    /// Appends `events` in batches of `batchCount`, each with bytes that do not compress.
    func write(_ events: Int, batchCount: Int = 3, byteCount: Int = 40) throws {
        var left = events
        while left > 0 {
            var batch = DraftBatch()
            for _ in 0..<min(left, batchCount) {
                let value = count.withLock { count in
                    count += 1
                    return count
                }
                let start = Int(value) * 30_011 % (Self.noise.count - byteCount)
                batch.append(
                    shape: { $0.append(varint: value) },
                    values: { $0.append(contentsOf: Array(Self.noise[start..<start + byteCount])) })
            }
            left -= batch.count
            _ = try log.append([batch], as: identity.replica, arrival: .test(Int64(events)))
        }
    }

    func roots() throws -> [String] {
        try log.vector().entries.map {
            "\($0.replica).\($0.sequence) \(try log.root(of: $0.replica, through: $0.sequence)!)"
        }
    }

    /// The first bytes of a conversation: a hello.
    func hello() throws -> [UInt8] {
        var runner = try runner()
        return try runner.start()
    }
}
