import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecovery
import GroundwaveSeededNumbers

/// The folder of a store that has nothing but a log, which is damaged; it goes away with this.
final class DamagedLog {
    let files: RecoveryFiles
    let log = LogID(high: 1, low: 2)
    let replica = ReplicaID(high: 7, low: 7)
    /// The leaves of the events that were appended, in order.
    let leaves: [Hash256]

    /// A log of `count` events, of which `damage` has changed the bytes.
    init(_ count: Int, _ damage: (inout [UInt8]) -> Void = { _ in }) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-recovery-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        files = RecoveryFiles(folder)
        let log = try EventLog.create(at: files.log, id: self.log, epoch: 3)
        for number in 0..<count { _ = try log.append([.test(number)], as: replica, arrival: .test(number)) }
        leaves = try log.leaves()
        try log.close()
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: files.log)))
        damage(&bytes)
        try Data(bytes).write(to: URL(filePath: files.log))
    }

    deinit { try? FileManager.default.removeItem(at: files.folder) }

    /// What is done about it, by what the log itself says.
    var incident: Incident {
        Incident(
            files,
            Incident.Surroundings(
                arrival: .test(1000), random: { 5 }, logName: { nil }, witnesses: { [] }, snapshot: { nil }))
    }

    /// The record of what was found.
    func begin() throws -> FailureRecord {
        try incident.begin(Incident.Finding(code: "damaged", message: "for a test", file: "log.mdb"))
    }

    /// The store that is used meanwhile, with `count` events of a replica of its own; their leaves.
    func logMeanwhile(_ count: Int) throws -> [Hash256] {
        try FileManager.default.createDirectory(at: files.temporary, withIntermediateDirectories: true)
        let path = files.temporary.appending(path: "log.mdb").path
        let log = try EventLog.create(at: path, id: self.log, epoch: 9)
        for number in 0..<count {
            _ = try log.append([.test(5000 + number)], as: ReplicaID(high: 8, low: 8), arrival: .test(number))
        }
        let leaves = try log.leaves()
        try log.close()
        try Data(repeating: 1, count: 32).write(to: files.temporary.appending(path: "identity"))
        return leaves
    }

    /// The leaves of the log that is there now.
    func leavesNow() throws -> [Hash256] {
        let log = try EventLog(opening: files.log)
        defer { try? log.close() }
        return try log.leaves()
    }
}

extension EventLog {
    /// The leaves of all events, in order of position; those of lost ones are left out.
    func leaves() throws -> [Hash256] {
        var leaves: [Hash256] = []
        var hasher = MerkleHasher()
        try scan(from: 1) { _, frame, bytes in
            if !frame.isLost { leaves.append(hasher.leaf(of: frame, in: bytes)) }
            return true
        }
        return leaves
    }
}

extension DraftBatch {
    /// One event, whose bytes follow from `number`.
    static func test(_ number: Int) -> DraftBatch {
        var batch = DraftBatch()
        var numbers = SeededGenerator(seed: UInt64(number))
        batch.append(
            shape: { $0.append(varint: number) },
            values: { writer in
                for _ in 0..<number * 37 % 200 { writer.append(UInt8.random(in: 0...255, using: &numbers)) }
            })
        return batch
    }
}

extension Arrival {
    static func test(_ number: Int) -> Arrival {
        Arrival(
            wallMilliseconds: 1_700_000_000_000 + Int64(number), monotonicMilliseconds: Int64(number),
            boot: [UInt8](repeating: 9, count: 16))
    }
}
