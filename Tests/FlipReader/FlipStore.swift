import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRecords

/// A store with something in each table of its log and its views.
struct FlipStore {
    let log: String
    let views: String
    /// What the log has: to be asked for.
    let ids: [EventID]
    let records: [(kind: String, id: RecordID)]

    static let kinds = Kinds(
        ["other", "thing", "zebra"].map { name in
            KindSchema(
                name: name, fields: [FieldSchema(1, "A"), FieldSchema(2, "B")],
                indexes: [IndexSchema(1, "first"), IndexSchema(2, "reversed")],
                indexEntries: { values, entries in
                    let key = values.value(1)?.prefix(60) ?? []
                    entries.add(key, to: 1)
                    entries.add(key.reversed()[...], to: 2)
                })
        })

    /// The store that ``make(in:)`` made in `folder`.
    init(_ folder: String) throws {
        log = folder + "/log.mdb"
        views = folder + "/views.mdb"
        let log = try EventLog(opening: log, options: .readOnly)
        var ids: [EventID] = []
        try log.scan(from: 1) { _, frame, _ in
            ids.append(frame.id)
            return true
        }
        self.ids = ids
        var records: [(kind: String, id: RecordID)] = []
        try Views(of: log, kinds: Self.kinds, at: views).readOnce { view in
            for kind in try view.kindsWithRecords() {
                try view.forEachState(of: kind) { id, _ in
                    records.append((kind, id))
                    return true
                }
            }
        }
        self.records = records
        try log.close()
    }

    static func make(in folder: String) throws {
        let id = LogID(high: 1, low: 2)
        func newLog(_ name: String) throws -> EventLog {
            try EventLog.create(at: "\(folder)/\(name).mdb", id: id, epoch: 3)
        }
        let log = try newLog("log")
        var generator = SystemRandomNumberGenerator()
        let own = ReplicaID(high: 7, low: 7)
        var number: UInt64 = 0
        func batch(_ count: Int, by replica: ReplicaID, bytes: Int = 30) -> DraftBatch {
            var batch = DraftBatch()
            for _ in 0..<count {
                number += 1
                let kind = number % 40 == 0 ? "zebra" : number % 9 == 0 ? "other" : "thing"
                let value = Array("value \(number * 7919 % 1000) ".utf8) + [UInt8](repeating: 65, count: bytes)
                let change = Change(
                    kind: kind, record: RecordID(high: number &* 0x9E37_79B9_7F4A_7C15, low: number % 50),
                    operations: [FieldOperation(.set, .number(1 + UInt32(number % 2)), supersedes: [], value: value)])
                batch.append(change, by: replica, using: &generator)
            }
            return batch
        }
        func arrival() -> Arrival {
            Arrival(
                wallMilliseconds: 1_700_000_000_000 + Int64(number), monotonicMilliseconds: Int64(number),
                boot: [UInt8](repeating: 9, count: 16))
        }
        // Other replicas, in turn with the own one: many runs and arrivals.
        for round in 0..<90 {
            for other in UInt64(1)...2 where round % Int(other) == 0 {
                let replica = ReplicaID(high: other, low: 9)
                _ = try log.append([batch(2, by: replica)], as: replica, arrival: arrival())
            }
            _ = try log.append([batch(3, by: own)], as: own, arrival: arrival())
        }
        _ = try log.append([batch(300, by: own)], as: own, arrival: arrival())
        _ = try log.append([batch(1, by: own, bytes: 9_000)], as: own, arrival: arrival())
        // One replica that signs, whose history has parted, and of which a later range waits.
        let identity = Identity.random(using: &generator)
        let before = number
        for name in ["one", "two"] {
            let peer = try newLog(name)
            number = before
            _ = try peer.append([batch(5, by: identity.replica)], as: identity.replica, arrival: arrival())
            if name == "two" { number += 500 }
            for _ in 0..<4 {
                _ = try peer.append([batch(5, by: identity.replica)], as: identity.replica, arrival: arrival())
            }
            for part in [EventRange(identity.replica, 1, through: 15), EventRange(identity.replica, 21, through: 25)] {
                if let frame = try peer.frame(of: part, signedBy: identity) {
                    _ = try log.receive([frame], arrival: arrival())
                }
            }
            try peer.close()
        }
        var unknown = DraftBatch()
        unknown.append(shape: { $0.append(UInt8(9)) }, values: { $0.append(UInt8(1)) })
        _ = try log.append([unknown], as: own, arrival: arrival())
        try log.erase([
            EventID(own, 9): EventSet([EventRange(own, 10, through: 14)]),
            EventID(own, 15): EventSet([EventRange(ReplicaID(high: 2, low: 9), 3, through: 3)]),
        ])
        try log.sealPending()
        try log.claim { _ in (Claim(replica: own, former: nil, token: LogID(high: 5, low: 6)), []) }
        for _ in 0..<20 {
            _ = try log.append([batch(2, by: own)], as: own, arrival: arrival())
        }
        let views = Views(of: log, kinds: kinds, at: folder + "/views.mdb")
        try views.catchUp()
        for _ in 0..<10 {
            _ = try log.append([batch(2, by: own)], as: own, arrival: arrival())
            try views.catchUp()
        }
        try views.synchronise()
        views.close()
        // The last commits come behind the archive, which writes the log anew.
        var vector = VersionVector()
        vector[ReplicaID(high: 1, low: 9)] = 20
        try log.archive(vector, keeping: { _, _ in false }, behind: [UInt8](repeating: 3, count: 20_000))
        try log.close()
    }
}

extension FlipStore {
    /// What a log says, read in every way there is.
    func answers(ofLog path: String) -> String {
        var answers = Answers()
        let log: EventLog
        do { log = try EventLog(opening: path, options: .readOnly) } catch { return "open=!" }
        defer { try? log.close() }
        let replicas = Array(Set(ids.map(\.replica))).sorted()
        let strangers = (0..<40).map { ReplicaID(high: $0 &* 0x0765_4321_89AB_CDEF, low: 3) }
        let end = UInt64(ids.count)
        answers.ask("name") { ["\(log.id) \(log.epoch)"] }
        answers.ask("vector") { try log.vector().entries.map { "\($0)" } }
        answers.ask("state") { ["\(try log.lastPosition()) \(try log.lastChecksum())"] }
        answers.ask("scan") {
            var lines: [String] = []
            try log.scan(from: 1) { position, frame, bytes in
                lines.append("\(position) \(frame.id) \(CRC32C.checksum(bytes))")
                return true
            }
            return lines
        }
        answers.ask("slices") {
            var lines: [String] = []
            for start in stride(from: UInt64(1), to: end, by: 37) {
                try log.scan(from: start) { position, frame, bytes in
                    lines.append("\(position) \(frame.id) \(CRC32C.checksum(bytes))")
                    return position < start + 5
                }
            }
            return lines
        }
        answers.ask("ranges") {
            var lines: [String] = []
            for replica in replicas {
                try log.scan(EventRange(replica, 3, through: .max - 1)) { position, frame, bytes in
                    lines.append("\(position) \(frame.id) \(CRC32C.checksum(bytes))")
                    return true
                }
            }
            return lines
        }
        for part in 0..<8 {
            let range = end * UInt64(part) / 8 + 1..<end * UInt64(part + 1) / 8 + 3
            answers.ask("at\(part)") {
                try range.map { "\(try log.withEvent(at: $0) { "\($0.id) \(CRC32C.checksum($1))" } ?? "none")" }
            }
            answers.ask("arrival\(part)") { try range.map { "\($0) \(String(describing: try log.arrival(of: $0)))" } }
            answers.ask("position\(part)") {
                try range.prefix { $0 <= end }.map { "\(try log.position(of: ids[Int($0) - 1]) ?? 0)" }
            }
        }
        answers.ask("several") {
            var lines: [String] = []
            try log.withEvents(at: stride(from: UInt64(1), to: end + 5, by: 11)) { position, frame, bytes in
                lines.append("\(position) \(frame.id) \(CRC32C.checksum(bytes))")
            }
            return lines
        }
        for (place, stranger) in strangers.enumerated() {
            answers.ask("stranger\(place)") {
                [
                    "\(try log.position(of: EventID(stranger, 1)) ?? 0) \(String(describing: try log.signedHead(of: stranger)))"
                ]
            }
        }
        for (place, replica) in replicas.enumerated() {
            answers.ask("root\(place)") { ["\(String(describing: try log.root(of: replica)))"] }
            answers.ask("past root\(place)") { ["\(String(describing: try log.root(of: replica, through: 9)))"] }
            answers.ask("signed\(place)") { ["\(String(describing: try log.signedHead(of: replica)))"] }
            answers.ask("frame\(place)") {
                ["\(try log.frame(of: EventRange(replica, 1, through: 30), signedBy: nil)?.bytes.checksum ?? 0)"]
            }
            answers.ask("stamped\(place)") {
                try [UInt64(1), 400, 700].map {
                    let stamp = Stamp(rawValue: (1_700_000_000_000 + $0) << 16)
                    return "\(try log.lastSequence(of: replica, stampedUpTo: stamp))"
                }
            }
        }
        for event in ids.enumerated().filter({ $0.offset % 29 == 0 }).map(\.element) {
            answers.ask("around \(event)") {
                [
                    "\(String(describing: try log.batch(of: event)))",
                    "\(try log.context(of: event)?.entries.map { "\($0)" } ?? [])",
                    "\(try log.observedHeads(before: event))", "\(try log.withholding(of: event))",
                    "\(String(describing: try log.leaf(of: event)))",
                ]
            }
        }
        answers.ask("past") { try [5, 100, end].map { "\(try log.vector(through: $0).entries.map { "\($0)" })" } }
        answers.ask("index") {
            let index = try log.runIndex()
            return (1...end).map { "\(String(describing: index.event(at: $0)))" }
                + ids.map { "\(index.position(of: $0.replica, $0.sequence))" }
        }
        answers.ask("erased") { ["\(try log.erased().ranges)"] }
        answers.ask("lacking") { ["\(try log.missingValues().ranges)"] }
        answers.ask("claim") { ["\(String(describing: try log.claim()))"] }
        answers.ask("streams") {
            try log.streams().branches.sorted { $0.key < $1.key }.map { "\($0)" } + ["\(try log.resolutionsCount())"]
        }
        answers.ask("waiting") { try log.pendingRanges().map { "\($0)" } }
        answers.ask("kept") { try log.retainedFrames().map { "\($0.bytes.checksum)" } }
        answers.ask("proven") { try log.provenVector(signedBy: nil).entries.map { "\($0)" } }
        answers.ask("base") {
            var lines = [
                "\(String(describing: try log.base().map { ($0.byteCount, $0.vector.entries.map { "\($0)" }) }))"
            ]
            try log.forEachPieceOfBase { lines.append("\($0.checksum)") }
            return lines
        }
        return answers.text.joined(separator: "\t")
    }

    /// What views say, read in every way there is. They are not built anew where they are damaged.
    func answers(ofViews path: String) -> String {
        var answers = Answers()
        guard let log = try? EventLog(opening: log, options: .readOnly) else { return "log=!" }
        defer { try? log.close() }
        let views = Views(of: log, kinds: Self.kinds, at: path)
        defer { views.close() }
        func ask(_ name: String, _ read: (borrowing ViewReader) throws -> [String]) {
            answers.ask(name) { try views.readOnce(read) }
        }
        func line(_ state: RecordState?) -> String {
            var writer = ByteWriter()
            state?.encode(into: &writer)
            return "\(writer.bytes.checksum)"
        }
        func entries(
            _ view: borrowing ViewReader, _ kind: String, _ index: UInt8, _ prefix: String, _ from: String = "",
            isBackwards: Bool = false, limit: Int = .max
        ) throws -> [String] {
            var lines: [String] = []
            try view.forEachEntry(
                of: kind, index: index, prefix: Array(prefix.utf8), from: Array(from.utf8), isBackwards: isBackwards
            ) { key, record in
                lines.append("\(CRC32C.checksum(key)) \(record)")
                return lines.count < limit
            }
            return lines
        }
        ask("position") { ["\($0.position)"] }
        ask("kinds") { try $0.kindsWithRecords() }
        ask("digest") { ["\(try $0.digest())"] }
        ask("unread") { try $0.unreadEvents().map { "\($0)" } }
        for kind in ["aaa", "other", "p", "thing", "zebra", "zzz"] {
            ask("has \(kind)") { ["\(try $0.hasRecords(of: kind))"] }
            ask("all \(kind)") { view in
                var lines: [String] = []
                try view.forEachState(of: kind) { id, state in
                    lines.append("\(id) \(line(state))")
                    return true
                }
                return lines
            }
            for text in ["", "0", "5", "Z"] {
                ask("ids \(kind)\(text)") { view in
                    var lines: [String] = []
                    try view.forEachRecordID(of: kind, textPrefix: text) { id in
                        lines.append("\(id)")
                        return true
                    }
                    return lines
                }
            }
            for index in UInt8(1)...3 {
                ask("entries \(kind)\(index)") { try entries($0, kind, index, "") }
                ask("backwards \(kind)\(index)") { try entries($0, kind, index, "", isBackwards: true) }
                for start in ["value 1", "value 55", "value 999", "A", "AAA 7"] {
                    ask("some \(kind)\(index)\(start)") {
                        try entries($0, kind, index, start) + entries($0, kind, index, "", start, limit: 4)
                            + entries($0, kind, index, start, isBackwards: true)
                    }
                }
            }
        }
        for part in 0..<16 {
            let some = records.indices.filter { $0 % 16 == part }
            ask("records\(part)") { view in try some.map { line(try view.state(of: records[$0].kind, records[$0].id)) }
            }
            // Beside each record one that is not there.
            ask("absent\(part)") { view in
                try some.map { place in
                    let id = records[place].id
                    let other = RecordID(high: id.high, low: id.low &+ 1)
                    return line(try view.state(of: records[place].kind, other))
                }
            }
        }
        return answers.text.joined(separator: "\t")
    }
}

extension Environment.Options {
    static var readOnly: Self {
        var options = Self()
        options.isReadOnly = true
        return options
    }
}
