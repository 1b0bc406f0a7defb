import Everything
import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import Synchronization

/// Time travel in a store that grew over three years: 60 % new contacts, 40 % edits of a field of an older one.
///
/// Nothing is written after the newest snapshot, so it covers everything.
enum TimeTravelBench {
    private static let start: Int64 = 1_672_531_200_000
    private static let span: Int64 = 3 * 365 * 86_400_000
    private static let dayMilliseconds: Int64 = 86_400_000
    /// A query that shows whether a state can be read: an index and a hundred rows.
    private static let latest: ContactQuery = {
        var query = ContactQuery.contacts
        query.limit = 100
        return query
    }()

    /// A clock that is set for each batch.
    private final class Clock: Sendable {
        private let milliseconds = Mutex<Int64>(TimeTravelBench.start)

        func set(_ moment: Int64) { milliseconds.withLock { $0 = moment } }

        var now: Arrival {
            let moment = milliseconds.withLock { $0 }
            return Arrival(
                wallMilliseconds: moment, monotonicMilliseconds: moment - TimeTravelBench.start,
                boot: [UInt8](repeating: 0, count: 16))
        }
    }

    /// Creates a store of `events` events, with the snapshots that maintenance creates and keeps.
    static func build(_ path: String, events: Int, batch: Int, steps: Int) async throws {
        try? FileManager.default.removeItem(atPath: path)
        let clock = Clock()
        let numbers = Mutex(SeededGenerator(state: 7))
        let surroundings = Surroundings(now: { clock.now }, randomNumber: { numbers.withLock { $0.next() } })
        let store = try await Store.create(
            at: URL(filePath: path), Configuration.full(author: "N0CALL", surroundings: surroundings))
        var ids: [RecordID] = []
        var made = 0
        var step = 1
        while made < events {
            let count = min(batch, events - made)
            clock.set(start + Int64(Double(span) * Double(made) / Double(events)))
            let (first, known) = (made, ids)
            let written = try await store.write(note: "Batch") { batch in
                var added: [RecordID] = []
                for number in first..<(first + count) {
                    let random = mixed(UInt64(number))
                    if known.isEmpty || random % 10 < 6 {
                        added.append(try batch.add(contact(number, random)))
                    } else {
                        try edit(known[Int((random >> 8) % UInt64(known.count))], number, random, &batch)
                    }
                }
                return added
            }
            ids += written.value
            made += count
            if made * steps >= step * events {
                try store.runMaintenance()
                step += 1
            }
        }
        try store.close()
        let bytes = store.snapshots().reduce(0) { $0 + ($1.information?.byteCount ?? 0) }
        let log = try size(path + "/log.mdb")
        print(
            "engine past-build \(made): \(ids.count) contacts log \(log >> 20) MiB views \(try size(path + "/views.mdb") >> 20)"
                + " MiB snapshots \(store.snapshots().count) of \(bytes >> 20) MiB, \(bytes * 100 / log) % of the log")
    }

    static func contact(_ number: Int, _ random: UInt64) -> Contact {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        let suffix = String((0..<3).map { letters[Int(random >> UInt64(8 + 6 * $0)) % 26] })
        let hertz: Int64 = [14_000_000, 7_000_000, 21_000_000][Int(random >> 30) % 3] + Int64(random >> 40) % 350_000
        var contact = Contact(
            "N\(random % 10)\(suffix)", start: start / 1000 + Int64(number) * 94, frequency: Frequency(hertz: hertz),
            mode: [.cw, .ssb, .ft8][Int(random >> 26) % 3])
        contact.reportSent = "599"
        contact.reportReceived = "579"
        contact.grid = "FN\(10 + random % 90)ab"
        contact.name = ["Ann", "Bob", "Eve", "Joe"][Int(random >> 24) % 4]
        contact.station = "N0CALL"
        contact.myGrid = "EM12ab"
        return contact
    }

    static func edit(_ id: RecordID, _ number: Int, _ random: UInt64, _ batch: inout WriteBatch) throws {
        switch (random >> 4) % 4 {
        case 0: try batch.set(\.comment, of: id, to: "edited, number \(number)")
        case 1: try batch.set(\.reportReceived, of: id, to: "\(random % 5 + 5)\(random % 7 + 3)9")
        case 2: try batch.set(\.name, of: id, to: "Name \(random % 1000)")
        default: try batch.set(\.frequency, of: id, to: Frequency(hertz: 14_000_000 + Int64(number % 350_000)))
        }
    }

    // MARK: - Measurements

    /// Measures the time from requesting a point to its latest hundred contacts, and to a digest over all of it, and
    /// the replay from the start that it replaces.
    static func whole(_ path: String, points: Int) async throws {
        let store = try await open(path, isReadOnly: false)
        // The log has one replica, so every position is the number of an event.
        let views = Views(
            of: try EventLog(opening: path + "/log.mdb"), kinds: store.kinds, at: path + "/views.mdb")
        var (readable, digest, replay): ([Double], [Double], [Double]) = ([], [], [])
        for number in 0..<points {
            let moment = start + Int64(mixed(UInt64(number) &+ 99) % UInt64(span))
            var begin = ContinuousClock.now
            let past = try await store.at(.time(milliseconds: moment))
            _ = try past.read { try $0.all(latest) }
            readable.append(elapsed(since: begin))
            begin = .now
            let found = try past.read { try $0.digest() }
            digest.append(elapsed(since: begin))
            let scratch = path + "-replay.mdb"
            for suffix in ["", "-lock"] { try? FileManager.default.removeItem(atPath: scratch + suffix) }
            begin = .now
            let folded = try views.digest(at: past.vector.eventCount, foldingInto: scratch)
            replay.append(elapsed(since: begin) - (digest.last ?? 0))
            for suffix in ["", "-lock"] { try FileManager.default.removeItem(atPath: scratch + suffix) }
            if folded != found { print("past-whole: the digests differ at \(moment)") }
            if CommandLine.arguments.contains("-v") {
                print(past.vector.eventCount, readable.last ?? 0, digest.last ?? 0, replay.last ?? 0)
            }
        }
        let ratio = replay.reduce(0, +) / readable.reduce(0, +)
        print(
            "engine past-whole \(points): \(text(median(readable))) s greatest \(text(readable.max() ?? 0)) "
                + "digest \(text(median(digest))) replay \(text(median(replay))) faster \(text(ratio))")
        try store.close()
    }

    /// Measures one contact at a past point, its history there and its blame: the 99th percentile of each.
    static func record(_ path: String, rounds: Int) async throws {
        let store = try await open(path)
        var ids: [RecordID] = []
        try store.read { view in
            try view.forEachState(of: QSOKind.name) { id, _ in
                ids.append(id)
                return true
            }
        }
        var (one, history, blame): ([Double], [Double], [Double]) = ([], [], [])
        for round in 0..<rounds {
            let random = mixed(UInt64(round) &+ 555)
            let moment = start + Int64(random % UInt64(span))
            let id = ids[Int(mixed(random) % UInt64(ids.count))]
            var begin = ContinuousClock.now
            let past = try await store.at(.time(milliseconds: moment))
            let record = try past.record(QSOKind.name, id)
            one.append(elapsed(since: begin))
            guard record != nil else { continue }
            var query = HistoryQuery()
            query.record = (QSOKind.name, id)
            begin = .now
            _ = try past.history(query)
            history.append(elapsed(since: begin))
            begin = .now
            _ = try past.blame(QSOKind.name, id)
            blame.append(elapsed(since: begin))
        }
        let greatest = [one, history, blame].map { percentile($0) * 1000 }
        print(
            "engine past-record \(rounds): \(text(greatest.max() ?? 0)) ms record \(text(greatest[0])) history "
                + "\(text(greatest[1])) blame \(text(greatest[2]))")
        try store.close()
    }

    /// Measures the differences between two points that are a day apart.
    static func difference(_ path: String, rounds: Int) async throws {
        let store = try await open(path)
        var times: [Double] = []
        var count = 0
        for round in 0..<rounds {
            let moment = start + Int64(mixed(UInt64(round) &+ 321) % UInt64(span - dayMilliseconds))
            let begin = ContinuousClock.now
            let first = try await store.at(.time(milliseconds: moment))
            let second = try await store.at(.time(milliseconds: moment + dayMilliseconds))
            try store.forEachDifference(from: first, to: second) { _ in
                count += 1
                return true
            }
            times.append(elapsed(since: begin))
        }
        print(
            "engine past-difference \(rounds): \(text(median(times) * 1000)) ms greatest \(text((times.max() ?? 0) * 1000)) "
                + "records \(count / rounds)")
        try store.close()
    }

    /// Measures all of a log, point by point in order, with the latest hundred contacts of each.
    static func steps(_ path: String, points: Int) async throws {
        let store = try await open(path)
        let end = try store.read { $0.position }
        let begin = ContinuousClock.now
        var slowest = 0.0
        for step in 1...points {
            let one = ContinuousClock.now
            let past = try await store.at(.position(end * UInt64(step) / UInt64(points)))
            _ = try past.read { try $0.all(latest) }
            slowest = max(slowest, elapsed(since: one))
            if CommandLine.arguments.contains("-v") { print(step, elapsed(since: one)) }
        }
        print("engine past-steps \(points): \(text(elapsed(since: begin))) s slowest \(text(slowest))")
        try store.close()
    }

    /// Measures writing a snapshot of an imported log, and loading it. The writes after it are so many that loading
    /// it is the fastest way back.
    static func snapshot(_ path: String, log: String) async throws {
        try? FileManager.default.removeItem(atPath: path)
        let store = try await Store.create(at: URL(filePath: path), Configuration.full(author: "N0CALL"))
        try await take(log, into: store)
        var begin = ContinuousClock.now
        let information = try store.createSnapshot()
        let write = elapsed(since: begin)
        let digest = try store.read { try $0.digest() }
        var ids: [RecordID] = []
        try store.read { view in
            try view.forEachState(of: QSOKind.name) { id, _ in
                ids.append(id)
                return true
            }
        }
        for part in stride(from: 0, to: ids.count, by: 4000) {
            let some = ids[part..<min(part + 4000, ids.count)]
            try await store.write { batch in
                for id in some { try batch.set(\.comment, of: id, to: "edited") }
            }
        }
        begin = .now
        let past = try await store.at(.vector(information.vector))
        _ = try past.read { try $0.all(latest) }
        let load = elapsed(since: begin)
        if try past.read({ try $0.digest() }) != digest { print("past-snapshot: the digests differ") }
        print(
            "engine past-snapshot \(information.recordCount): write \(text(write)) s load \(text(load)) bytes "
                + text(Double(information.byteCount) / Double(information.recordCount)))
        try store.close()
    }

    /// Prints the bytes per contact of a snapshot of all ADI files below `folder`; a contact in several files counts
    /// once.
    static func bytes(_ path: String, folder: String) async throws {
        try? FileManager.default.removeItem(atPath: path)
        let store = try await Store.create(at: URL(filePath: path), Configuration.full(author: "N0CALL"))
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        for file in files.sorted() where file.lowercased().hasSuffix(".adi") || file.lowercased().hasSuffix(".adif") {
            // A file without a complete record is not a log.
            try? await take(folder + "/" + file, into: store)
        }
        let information = try store.createSnapshot()
        let contacts = information.kinds.first { $0.name == QSOKind.name }?.records ?? 0
        print(
            "engine past-bytes \(contacts): \(text(Double(information.byteCount) / Double(max(contacts, 1)))) bytes a contact of "
                + "\(information.byteCount)")
        try store.close()
    }

    private static func take(_ path: String, into store: Store) async throws {
        var options = ImportOptions()
        options.source = "bench"
        let content = Mutex<[UInt8]?>([UInt8](try Data(contentsOf: URL(filePath: path))))
        _ = try await store.importLog(named: "log", options) {
            content.withLock { content in
                defer { content = nil }
                return content
            }
        }
    }

    // MARK: - Helpers

    private static func open(_ path: String, isReadOnly: Bool = true) async throws -> Store {
        var configuration = Configuration.full()
        configuration.isReadOnly = isReadOnly
        return try await Store.open(at: URL(filePath: path), configuration).whole
    }

    private static func size(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? 0
    }

    private static func elapsed(since begin: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - begin) / .seconds(1)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func percentile(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
    }

    private static func text(_ value: Double) -> String { String(format: "%.3f", value) }
}
