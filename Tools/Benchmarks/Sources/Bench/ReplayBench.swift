import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords

/// Rebuilding views from a log, and catching up existing views with a few events.
///
/// The events are those of the C yardstick: one in ten is a full record of 20 fields, the others change 1 to 4 fields.
enum ReplayBench {
    static let kind = KindSchema(name: "thing", fields: (1...20).map { FieldSchema($0, "F\($0)") })
    static let replica = ReplicaID(high: 3, low: 4)

    static func generate(_ path: String, events: Int, records: Int) throws {
        for suffix in ["", "-lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let log = try EventLog.create(at: path, id: LogID(high: 1, low: 1), epoch: 1)
        var generator = SeededGenerator(state: 1)
        // The last event that wrote each field of each record: what the next one supersedes.
        var last = [UInt32](repeating: 0, count: (records + 1) * 21)
        var next = 1
        while next <= events {
            var draft = DraftBatch(capacity: 1 << 20)
            while next <= events, draft.count < 4000 {
                draft.append(change(UInt64(next), records, &last), by: replica, using: &generator)
                next += 1
            }
            _ = try log.append([draft], as: replica, arrival: .now())
        }
        print("engine generate \(events): \(try log.fileSizeBytes() >> 20) MiB")
        try log.close()
    }

    static func change(_ number: UInt64, _ records: Int, _ last: inout [UInt32]) -> Change {
        let isFull = number <= UInt64(records)
        let record = isFull ? Int(number) : Int(mixed(number ^ 77) % UInt64(records)) + 1
        let count = isFull ? 20 : 1 + Int(mixed(number &* 3) % 4)
        var operations: [FieldOperation] = []
        var seen: Set<Int> = []
        for index in 0..<count {
            let field = isFull ? index + 1 : Int(mixed(number &* 5 &+ UInt64(index)) % 20) + 1
            guard seen.insert(field).inserted else { continue }
            let length =
                isFull
                ? 6 + Int(mixed(number &+ UInt64(index)) % 6) : index == 0 ? 200 - 24 - (count - 1) * 12 - 2 - 60 : 10
            let place = record * 21 + field
            let before = last[place]
            last[place] = UInt32(number)
            operations.append(
                FieldOperation(
                    .set, .number(UInt32(field)),
                    supersedes: before == 0 ? [] : [HeadID(EventID(replica, UInt64(before)))],
                    value: (0..<length).map { UInt8(65 + mixed(number &+ UInt64($0)) % 26) }))
        }
        return Change(
            kind: "thing", record: RecordID(high: mixed(UInt64(record)), low: UInt64(record)), operations: operations)
    }

    static func rebuild(_ path: String) throws {
        let log = try EventLog(opening: path)
        let views = Views(of: log, kinds: Kinds([kind]), at: path + ".views")
        let memory = MemoryWatch()
        var events = 0
        let elapsed = try seconds { events = try views.rebuild() }
        print(
            "engine rebuild \(events): \(Int(Double(events) / elapsed)) ev/s anonymous memory "
                + "\(memory.peakMiB()) MiB views \(try views.fileSizeBytes() >> 20) MiB")
    }

    static func catchUp(_ path: String, events: Int, records: Int) throws {
        let log = try EventLog(opening: path)
        let views = Views(of: log, kinds: Kinds([kind]), at: path + ".views")
        try views.catchUp()
        var generator = SeededGenerator(state: UInt64(Date().timeIntervalSince1970 * 1e6))
        var draft = DraftBatch()
        for _ in 0..<events {
            let record = Int(generator.next() % UInt64(records)) + 1
            let id = RecordID(high: mixed(UInt64(record)), low: UInt64(record))
            let key = FieldKey.number(UInt32(generator.next() % 20) + 1)
            let heads = try views.read { try $0.record("thing", id)?.superseded(by: key) ?? [] }
            draft.append(
                Change(
                    kind: "thing", record: id,
                    operations: [FieldOperation(.set, key, supersedes: heads, value: Array("catching up".utf8))]),
                by: replica, using: &generator)
        }
        _ = try log.append([draft], as: replica, arrival: .now())
        let elapsed = try seconds { try views.catchUp() }
        print("engine catchup \(events): \(String(format: "%.2f", elapsed * 1e6 / Double(events))) us/ev")
        try log.close()
    }
}

/// The peak of this process's anonymous memory, sampled every few milliseconds.
final class MemoryWatch: @unchecked Sendable {
    // Why @unchecked holds: both are used under the lock only.
    private let lock = NSLock()
    private var peak = 0
    private var isRunning = true

    init() {
        Thread.detachNewThread { [self] in
            while lock.withLock({ isRunning }) {
                let now = Self.anonymousKiB()
                lock.withLock { peak = max(peak, now) }
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
    }

    func peakMiB() -> Int {
        lock.withLock {
            isRunning = false
            return peak >> 10
        }
    }

    private static func anonymousKiB() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") })
        else { return 0 }
        return Int(line.split(whereSeparator: \.isWhitespace)[1]) ?? 0
    }
}
