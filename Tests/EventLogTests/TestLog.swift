import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveSeededNumbers
import Synchronization

/// A log in a folder of its own, which goes away with it.
final class TestLog: Sendable {
    let folder: URL
    let log: EventLog
    let replica = ReplicaID(high: 7, low: 7)

    var path: String { folder.appending(path: "log.mdb").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-log-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        log = try EventLog.create(
            at: folder.appending(path: "log.mdb").path, id: LogID(high: 1, low: 2), epoch: 3)
    }

    deinit {
        try? log.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Appends `count` events of `replica`, in batches of `batchCount`, several batches to a commit.
    func append(_ count: Int, batchCount: Int = 7, sizes: Sizes = .small, as replica: ReplicaID? = nil) throws {
        var left = count
        while left > 0 {
            var batches: [DraftBatch] = []
            while left > 0, batches.count < 20 {
                let size = min(left, batchCount)
                batches.append(.test(size, sizes: sizes, seed: UInt64(left)))
                left -= size
            }
            _ = try log.append(batches, as: replica ?? self.replica, arrival: .test(left))
        }
    }
}

/// How long the values of test events are.
enum Sizes {
    /// Up to 200 bytes: on leaf pages.
    case small
    /// Mostly small, each fourth 3 to 9 KB: on pages of their own.
    case mixed

    /// Mostly small, each sixteenth 3 to 9 KB.
    case few

    func byteCount(of index: UInt64) -> Int {
        switch self {
        case .small: Int(index * 37 % 200)
        case .few: index % 16 == 3 ? 3_000 + Int(index * 997 % 6_000) : Int(index * 37 % 200)
        case .mixed: index % 4 == 3 ? 3_000 + Int(index * 997 % 6_000) : Int(index * 37 % 200)
        }
    }
}

extension DraftBatch {
    /// Events whose bytes follow from `seed`.
    static func test(_ count: Int, sizes: Sizes = .small, seed: UInt64) -> DraftBatch {
        var batch = DraftBatch()
        for index in 0..<UInt64(count) {
            let byteCount = sizes.byteCount(of: seed &+ index)
            var numbers = SeededGenerator(seed: seed &* 1000 &+ index)
            batch.append(
                shape: { $0.append(varint: seed &+ index) },
                values: { writer in for _ in 0..<byteCount { writer.append(UInt8(truncatingIfNeeded: numbers.next())) }
                })
        }
        return batch
    }
}

extension Arrival {
    /// A moment that follows from `number`.
    static func test(_ number: Int) -> Arrival {
        Arrival(
            wallMilliseconds: 1_700_000_000_000, monotonicMilliseconds: Int64(number),
            boot: [UInt8](repeating: 9, count: 16))
    }
}

/// What a log holds, read through its own scan.
struct Contents: Equatable, Sendable {
    var frames: [[UInt8]] = []
    var ids: [EventID] = []

    init(of log: EventLog) throws {
        try log.scan(from: 1) { _, frame, bytes in
            frames.append(bytes.toArray())
            ids.append(frame.id)
            return true
        }
    }

    /// The root over the events of `replica`, the first `count` of them where that is given, by the definition of RFC
    /// 6962.
    func root(of replica: ReplicaID, through count: Int? = nil) throws -> Hash256 {
        let leaves = try leaves(of: replica)
        return Self.root(of: leaves.prefix(count ?? leaves.count))
    }

    /// The leaves of the tree over the events of `replica`.
    func leaves(of replica: ReplicaID) throws -> [Hash256] {
        var hasher = MerkleHasher()
        return try zip(ids, frames).filter { $0.0.replica == replica }.map { _, bytes in
            try bytes.withSpan { hasher.leaf(of: try Frame(parsing: $0), in: $0) }
        }
    }

    /// The root over `leaves`, by the definition of RFC 6962, section 2.1.
    static func root(of leaves: ArraySlice<Hash256>) -> Hash256 {
        guard leaves.count > 1 else { return leaves.first ?? [].withSpan { Hash256(hashing: $0) } }
        var split = 1
        while split * 2 < leaves.count { split *= 2 }
        var hasher = MerkleHasher()
        return hasher.node(root(of: leaves.prefix(split)), root(of: leaves.dropFirst(split)))
    }
}

/// Work on a thread of its own, which does not wait for a free thread of the pool that tests run on: with two of these
/// taken by loops that wait for each other's end, a task would never begin.
final class BackgroundWork: Sendable {
    private let outcome = Mutex<Result<Void, any Error>?>(nil)

    init(_ work: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [self] in
            let result = Result { try work() }
            outcome.withLock { $0 = result }
        }
    }

    var isDone: Bool { outcome.withLock { $0 != nil } }

    /// Throws what the work threw; to be called when it is done.
    func check() throws { try outcome.withLock { try $0?.get() } }
}

extension EventLog {
    /// Erases values, as if the first event of the first author had said so.
    @discardableResult
    func erase(_ events: EventSet) throws -> Int {
        try erase(events.ranges.first.map { [EventID($0.replica, 1): events] } ?? [:])
    }
}
