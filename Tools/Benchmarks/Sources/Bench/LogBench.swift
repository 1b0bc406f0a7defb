import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveLogRepair

/// Append, scan and hashing, for comparison with plain C loops.
enum LogBench {
    /// An event whose frame is 200 bytes, like the values of the yardsticks.
    static let payloadBytes = 200 - DraftBatch.overheadPerEvent

    static func append(_ path: String, events: Int, batch: Int) throws {
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.removeItem(atPath: path + "-lock")
        let log = try EventLog.create(at: path, id: LogID(high: 1, low: 1), epoch: 1)
        let replica = ReplicaID(high: 1, low: 2)
        let words = payloadBytes / 8
        let elapsed = try seconds {
            var next: UInt64 = 1
            while next <= UInt64(events) {
                var draft = DraftBatch(capacity: batch * payloadBytes)
                for _ in 0..<min(batch, events - Int(next) + 1) {
                    draft.append(
                        shape: { _ in },
                        values: { writer in
                            for word in 0..<words { writer.append(littleEndian: mixed(next &* 25 &+ UInt64(word))) }
                            for _ in 0..<(payloadBytes - words * 8) { writer.append(UInt8(0)) }
                        })
                    next += 1
                }
                _ = try log.append([draft], as: replica, arrival: .now())
            }
        }
        print("engine append N=\(events) batch=\(batch): \(Int(Double(events) / elapsed)) ev/s")
        try log.close()
    }

    static func scan(_ path: String, rounds: Int) throws {
        let log = try EventLog(opening: path)
        for _ in 0..<rounds {
            var count = 0
            var sum: UInt64 = 0
            let elapsed = try seconds {
                try log.scan(from: 1) { _, frame, _ in
                    sum &+= frame.id.sequence
                    count += 1
                    return true
                }
            }
            print("engine scan \(count): \(String(format: "%.1f", elapsed * 1e9 / Double(count))) ns/ev # \(sum)")
        }
    }

    /// All checks of a log that `verify` does, on all cores; pages are read from the file and not through LMDB.
    static func verify(_ path: String) throws {
        var report: LogReport?
        let elapsed = try seconds { report = try LogVerifier.verify(path: path) }
        guard let report, report.ok else { return print("engine verify: 0 # the log is damaged") }
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let perCore = Double(report.events) / elapsed / Double(cores)
        print("engine verify \(report.events): \(Int(perCore)) ev/s a core, with \(cores)")
    }

    /// The checks after an unclean end: every page and every event.
    static func preflight(_ path: String) throws {
        var report: LogReport?
        let elapsed = try seconds { report = try LogVerifier.verify(path: path) }
        print("engine preflight: \(report?.ok == true ? String(format: "%.3f", elapsed) : "0 # the log is damaged") s")
    }

    /// Salvage of every event in the file, without its tree.
    static func salvage(_ path: String) throws {
        var salvage: Salvage?
        let elapsed = try seconds { salvage = try Salvage(path: path) }
        guard let salvage, salvage.missing.isEmpty else { return print("engine salvage: 0 # events are missing") }
        print("engine salvage: \(Int(Double(salvage.byteCount) / 1e6 / elapsed)) MB/s, \(salvage.count) events")
    }

    /// All hashes of the tree over the log's events: two parts, a leaf and on average one node for each event.
    static func hash(_ path: String) throws {
        let log = try EventLog(opening: path)
        var count = 0
        var edge = MerkleEdge()
        var hasher = MerkleHasher()
        let elapsed = try seconds {
            try log.scan(from: 1) { _, frame, bytes in
                edge.append(leaf: hasher.leaf(of: frame, in: bytes), hasher: &hasher)
                count += 1
                return true
            }
        }
        let root = edge.root(hasher: &hasher)
        print("engine hash \(count): \(String(format: "%.1f", elapsed * 1e9 / Double(count))) ns/ev # \(root.prefix)")
    }
}
