import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwavePeering
import GroundwaveReplication
import GroundwaveSeededNumbers

extension Arrival {
    static func test(_ milliseconds: Int64) -> Arrival {
        Arrival(wallMilliseconds: milliseconds, monotonicMilliseconds: 0, boot: [UInt8](repeating: 0, count: 16))
    }
}

/// A log with an identity, in a folder of its own, which goes away with it. An optimised build releases an array of them
/// after its last use, even while the log of one is being read: `withExtendedLifetime` keeps them.
final class TestStore {
    let folder: URL
    let log: EventLog
    let identity: Identity
    private var count: UInt64 = 0

    init(seed: UInt64, log id: LogID = LogID(high: 1, low: 2)) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-replica-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var numbers = SeededGenerator(seed: seed)
        identity = Identity.random(using: &numbers)
        log = try EventLog.create(
            at: folder.appending(path: "log.mdb").path, id: id, epoch: seed)
    }

    // Optimised code lets go of a store before the last call to its log has ended: the log closes with its last user.
    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Appends `events` in batches of `batchCount`.
    func write(_ events: Int, batchCount: Int = 3, byteCount: Int = 40) throws {
        var left = events
        while left > 0 {
            var batch = DraftBatch()
            for _ in 0..<min(left, batchCount) {
                count += 1
                var numbers = SeededGenerator(seed: count)
                let value = count
                batch.append(
                    shape: { $0.append(varint: value) },
                    values: { writer in
                        for _ in 0..<byteCount / 8 { writer.append(littleEndian: numbers.next()) }
                        for _ in 0..<byteCount % 8 { writer.append(UInt8(truncatingIfNeeded: numbers.next())) }
                    })
            }
            left -= batch.count
            _ = try log.append([batch], as: identity.replica, arrival: .test(Int64(count)))
        }
    }

    func roots() throws -> [String] {
        try log.vector().entries.map {
            "\($0.replica).\($0.sequence) \(try log.root(of: $0.replica, through: $0.sequence)!)"
        }
    }
}

/// Two stores and the bytes between them.
struct Conversation {
    private var runners: [SessionRunner<EventLog>]
    /// Kept, so that their folders stay.
    private let stores: [TestStore]
    /// What is on its way to each side.
    private(set) var underway: [[UInt8]] = [[], []]

    init(_ left: TestStore, _ right: TestStore) throws {
        stores = [left, right]
        runners = try stores.map { try SessionRunner($0.log, as: $0.identity, now: { .test(1) }) }
        for side in 0..<2 { underway[1 - side] += try runners[side].start() }
    }

    subscript(side: Int) -> SessionRunner<EventLog> { runners[side] }

    /// Carries up to `limit` bytes to one side; returns how many there were.
    @discardableResult
    mutating func carry(to side: Int, _ limit: Int = .max) throws -> Int {
        let bytes = Array(underway[side].prefix(limit))
        underway[side].removeFirst(bytes.count)
        underway[1 - side] += try runners[side].received(bytes)
        return bytes.count
    }

    /// Bytes of somebody else come to one side.
    mutating func put(_ bytes: [UInt8], to side: Int) { underway[side] += bytes }

    mutating func logChanged(_ side: Int) throws { underway[1 - side] += try runners[side].logChanged() }

    /// Carries everything until nothing is on its way.
    mutating func run() throws { while try carry(to: 0) + carry(to: 1) > 0 {} }
}
