import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveObjectStore
import GroundwaveReplication
import GroundwaveSeededNumbers
import ObjectServers
import Testing

@testable import histories

/// Many logs of ten devices each, in one bucket of a real object store. `GROUNDWAVE_FLEET` names the number of devices; the
/// figures of Docs/Scale.md are those of 200.
@Suite(.enabled(if: ObjectStoreServer.seaweedFS.isExpected, Comment(rawValue: ObjectStoreServer.seaweedFS.absence)))
struct `A fleet of many devices` {
    private static let devicesPerLog = 10
    private static let contactsPerDay = 5
    private static let days = 3

    private static var logCount: Int {
        get throws {
            guard let text = ProcessInfo.processInfo.environment["GROUNDWAVE_FLEET"] else { return 1 }
            return try #require(Int(text), "GROUNDWAVE_FLEET is not a number: \(text)") / devicesPerLog
        }
    }

    /// What one kind of pass asks for.
    private struct Kind {
        var passes = 0
        var counts = CountingPlace.Counts.Values()

        mutating func add(_ values: CountingPlace.Counts.Values, passes: Int = 1) {
            self.passes += passes
            counts.reads += values.reads
            counts.writes += values.writes
            counts.listings += values.listings
            counts.deletes += values.deletes
            counts.readBytes += values.readBytes
            counts.writtenBytes += values.writtenBytes
            counts.durations += values.durations
        }

        mutating func add(_ other: Kind) { add(other.counts, passes: other.passes) }

        func line(_ name: String) -> String {
            func each(_ count: Int) -> String { String(format: "%.2f", Double(count) / Double(max(1, passes))) }
            return
                "| \(name) | \(passes) | \(each(counts.reads)) | \(each(counts.writes)) | \(each(counts.listings)) | "
                + "\(each(counts.deletes)) | \(each(counts.readBytes)) | \(each(counts.writtenBytes)) |"
        }
    }

    /// A device with its log in memory, its key, and what it remembers of the place.
    private struct Member {
        let log: MemoryLog
        let identity: Identity
        var cache = RemoteCache()

        init(_ id: LogID, _ numbers: inout SeededGenerator) {
            (log, identity) = (MemoryLog(id), Identity.random(using: &numbers))
        }

        /// Logs a contact: about as many bytes as one has, of which few compress.
        func write(_ numbers: inout SeededGenerator, at milliseconds: Int64) throws {
            var batch = DraftBatch()
            let shape = (0..<12).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            let values = (0..<110).map { _ in UInt8.random(in: 48...90, using: &numbers) }
            batch.append(
                shape: { $0.append(contentsOf: shape) }, values: { $0.append(contentsOf: values) })
            _ = try log.append(batch, as: identity.replica, arrival: Arrival(milliseconds: milliseconds))
        }

        mutating func look(at place: CountingPlace, milliseconds: Int64) async throws -> SyncPassReport {
            var pass = SyncPass(
                log, as: identity, at: place, cache: cache, now: { Arrival(milliseconds: milliseconds) })
            try await pass.run()
            cache = pass.cache
            return pass.report
        }
    }

    private struct Outcome {
        var kinds: [String: Kind] = [:]
        var objects = 0
        var bytes = 0
    }

    /// Three days of one log. Only the last counts: before it not all of the devices know each other.
    private static func run(seed: UInt64, _ server: ObjectStoreServer) async throws -> Outcome {
        var numbers = SeededGenerator(seed: seed)
        let bucket = try server.freshBucket()
        var members = (0..<devicesPerLog).map { _ in Member(LogID(high: seed, low: 1), &numbers) }
        var outcome = Outcome()
        let start: Int64 = 1_790_000_000_000
        for day in 0..<days {
            for who in members.indices.shuffled(using: &numbers) {
                // An application that was opened: a transport of its own, with nothing in its memory.
                let place = CountingPlace(
                    place: S3Transport(bucket, ObjectStoreServer.credentials), counts: CountingPlace.Counts())
                var time = start + Int64(day) * 100_000_000 + Int64(who) * 1_000_000
                func note(_ kind: String) {
                    outcome.kinds[day < days - 1 ? "on the days before" : kind, default: Kind()].add(
                        place.counts.take())
                }
                _ = try await members[who].look(at: place, milliseconds: time)
                note("the first of a day")
                for _ in 0..<contactsPerDay {
                    time += 60_000
                    try members[who].write(&numbers, at: time)
                    let report = try await members[who].look(at: place, milliseconds: time)
                    #expect(report.sentEvents == 1)
                    note("a contact is pushed")
                }
                _ = try await members[who].look(at: place, milliseconds: time + 2_000)
                note("nothing is new")
            }
        }
        for who in members.indices {
            let transport = S3Transport(bucket, ObjectStoreServer.credentials)
            let place = CountingPlace(place: transport, counts: CountingPlace.Counts())
            _ = try await members[who].look(at: place, milliseconds: start + Int64(days) * 100_000_000)
        }
        let vectors = Set(members.map { $0.log.vector() })
        #expect(vectors.count == 1, "they agree")
        #expect(vectors.first?.eventCount == UInt64(devicesPerLog * contactsPerDay * days))
        for item in try await RemoteInventory(at: S3Transport(bucket, ObjectStoreServer.credentials)).stores {
            (outcome.objects, outcome.bytes) = (outcome.objects + item.objects, outcome.bytes + item.bytes)
        }
        return outcome
    }

    @Test func `asks for as much as Scale.md says`() async throws {
        let server = try await ObjectStoreServer.seaweedFS.shared()
        var seeds = Array(1...UInt64(try Self.logCount))[...]
        var all = Outcome()
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            func next() {
                guard let seed = seeds.popFirst() else { return }
                group.addTask { try await Self.run(seed: seed, server) }
            }
            for _ in 0..<4 { next() }
            while let outcome = try await group.next() {
                for (name, kind) in outcome.kinds { all.kinds[name, default: Kind()].add(kind) }
                (all.objects, all.bytes) = (all.objects + outcome.objects, all.bytes + outcome.bytes)
                next()
            }
        }
        let devices = try Self.logCount * Self.devicesPerLog
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let requests = all.kinds.values.reduce(0) { $0 + $1.counts.requests }
        let durations = all.kinds.values.flatMap(\.counts.durations).sorted()
        func percentile(_ percent: Int) -> String {
            String(format: "%.1f ms", durations[min(durations.count - 1, durations.count * percent / 100)])
        }
        print("| pass | passes | reads | writes | listings | deletes | bytes read | bytes written |")
        for (name, kind) in all.kinds.sorted(by: { $0.key < $1.key }) { print(kind.line(name)) }
        print(
            "\(devices) devices, \(requests) requests in \(Int(seconds)) s, half within \(percentile(50)), 95 % within "
                + "\(percentile(95)), 99 % within \(percentile(99)); \(all.objects) objects, \(all.bytes) bytes")
        // What the page says.
        let idle = try #require(all.kinds["nothing is new"])
        #expect(idle.counts.reads == idle.passes * (1 + Self.devicesPerLog))
        #expect(idle.counts.writes + idle.counts.listings + idle.counts.deletes == 0)
        #expect((5_000..<5_300).contains(idle.counts.readBytes / idle.passes))
        let push = try #require(all.kinds["a contact is pushed"])
        #expect(push.counts.reads == push.passes * (1 + Self.devicesPerLog))
        #expect(push.counts.writes == push.passes * 2, "the segment and the catalog")
        #expect((1_200..<1_500).contains(push.counts.writtenBytes / push.passes))
        let first = try #require(all.kinds["the first of a day"])
        #expect(first.counts.listings == first.passes * (1 + Self.devicesPerLog))
        #expect(first.counts.writes <= first.passes)
        #expect(all.objects <= devices * (1 + Self.days * Self.contactsPerDay))
    }
}

@Suite struct `The page about a million devices` {
    /// The numbers in the rows of a table of the page that begin with a number.
    private static func rows() throws -> [[Double]] {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Docs/Scale.md")
        let text = try String(decoding: Data(contentsOf: page), as: UTF8.self)
        return text.split(separator: "\n").map { line in
            line.split(separator: "|").compactMap { cell in
                Double(cell.filter { $0 != " " && $0 != "," && $0 != "$" })
            }
        }.filter { $0.count == 5 }
    }

    @Test func `computes what it says`() throws {
        let rows = try Self.rows()
        #expect(rows.map(\.first) == [1, 3, 10])
        for row in rows {
            let (days, contacts, devices) = (30.0, 5.0, row[0])
            // Every 2 s for a minute after each contact, and once a minute.
            let looks = contacts * 30 + 60
            let reads = days * (looks * (1 + devices) + contacts * (devices - 1))
            #expect(row[1] == reads)
            // The list of the devices every half minute at most, and the folder of each once a day.
            let writes = days * (contacts * 2 + 1 + contacts * 2 + 60 + devices)
            #expect(row[2] == writes)
            let stored = (5_000 + days * contacts) * 300
            let read = days * looks * devices * (190 + 32 * devices)
            let first = reads * 0.40 + writes * 5 + (stored * 0.023 + read * 0.09) / 1_000
            let second = reads * 0.36 + writes * 4.5 + stored * 0.015 / 1_000
            #expect(row[3] == (first / 100).rounded() * 100, "a million devices, in dollars")
            #expect(row[4] == (second / 100).rounded() * 100)
        }
    }
}
