import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRadio
import GroundwaveTesting
import Testing

@testable import GroundwaveProjections
@testable import GroundwaveRecords
@testable import GroundwaveStore

@Suite struct `A snapshot` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a snapshot of `past` into a file and returns its path.
    private func write(_ past: PastViews, _ name: String = "a.snapshot") throws -> String {
        var bytes: [UInt8] = []
        let information = try #require(try Snapshot.write(of: past, created: 1_700_000_000_000) { bytes += $0 })
        #expect(information.byteCount == bytes.count)
        try Data(bytes).write(to: URL(filePath: folder.path(name)))
        #expect(try Snapshot.verify(at: folder.path(name)) == information)
        return folder.path(name)
    }

    private func views(_ store: Store, at vector: VersionVector, _ snapshots: [String] = []) throws -> PastViews {
        let path = folder.path("scratch-\(UInt32.random(in: 0 ... .max)).mdb")
        return try PastViews(of: store.views, EventFilter(vector), temporaryPath: path, snapshots: snapshots)
    }

    /// Everything that the fold keeps and that can still matter, in an order of its own.
    ///
    /// Whether a head came before what superseded it leaves a mark in some orders of arrival and none in others. It
    /// matters as long as the head has not come; `all` is what has.
    private func everything(_ view: borrowing ViewReader, _ all: VersionVector) throws -> [String] {
        var lines: [String] = []
        for kind in try view.kindsWithRecords() {
            try view.forEachState(of: kind) { id, state in
                let names = view.names
                func event(_ replica: UInt32, _ sequence: SequenceNumber) -> String {
                    "\(names.replicas[Int(replica)]).\(sequence)"
                }
                let waiting = state.superseded.filter {
                    !all.contains(EventID(names.replicas[Int($0.replica)], $0.sequence))
                }
                let gone = waiting.map {
                    "\($0.field == .max ? "-" : "\(names.field($0.field))") \(event($0.replica, $0.sequence)) \($0.index)"
                }
                let said = state.assertions.map {
                    "\(names.field($0.field)) \(names.sources[Int($0.source) - 1]) \(event($0.replica, $0.sequence)) \($0.stamp) \($0.valueHash) \($0.isElement) \($0.hasNoHead)"
                }
                lines.append("\(kind) \(id) \(gone.sorted()) \(said.sorted()) \(state.history.positions)")
                return true
            }
            try view.forEachRecord(of: kind) { record in
                lines.append("\(record)")
                return true
            }
        }
        for event in try view.unreadEvents() { lines.append("\(event)") }
        return lines
    }

    @Test(arguments: UInt64(1)...20)
    func `at any cut and the events after it fold to what all events fold to`(seed: UInt64) async throws {
        var fleet = try await Fleet(1 + Int(seed % 3), seed: seed)
        defer { fleet.close() }
        for _ in 0..<90 { try await fleet.step() }
        let store = fleet.stores[0]
        let last = try store.log.lastPosition()
        let all = try store.log.vector()
        for _ in 0..<8 {
            let cut = try store.resolve(.position(.random(in: 1...last, using: &fleet.numbers))).vector
            let known = try store.resolve(
                .known(try #require(try store.log.runIndex().event(at: .random(in: 1...last, using: &fleet.numbers)))))
            for vector in [cut, known.vector] where vector.eventCount > 0 {
                let reader = try SnapshotReader(write(try views(store, at: vector)))
                #expect(reader.information.vector == vector)
                for end in [vector, all] {
                    let missing = end.ranges(missingFrom: vector)
                    let first = try missing.compactMap { try store.log.position(of: EventID($0.replica, $0.first)) }
                        .min()
                    let path = folder.path("loaded-\(UInt32.random(in: 0 ... .max)).mdb")
                    let loaded = try Views.load(
                        reader, at: path, of: store.log, kinds: store.kinds, resumingAfter: (first ?? last + 1) - 1,
                        content: store.log.content())
                    defer { loaded.close() }
                    let replayer = Replayer(
                        log: store.log, kinds: store.kinds, filter: EventFilter(end), folded: reader.head.vector)
                    _ = try replayer.catchUp(loaded)
                    let fresh = try FreshFold(of: store) { _, frame in end.contains(frame.id) }
                    let digest = try loaded.read { try ViewReader.lend($0, kinds: store.kinds) { try $0.digest() } }
                    #expect(try digest == fresh.views.read { try $0.digest() })
                    let lines = try loaded.read {
                        try ViewReader.lend($0, kinds: store.kinds) { try everything($0, all) }
                    }
                    if end == all { #expect(try lines == store.read { try everything($0, all) }) }
                    let query = ContactQuery.everything
                    let listed = try loaded.read {
                        try ViewReader.lend($0, kinds: store.kinds) { try $0.all(query).map(\.id) }
                    }
                    #expect(try listed == fresh.views.read { try $0.all(query).map(\.id) })
                }
            }
        }
    }

    @Test func `in which any byte was changed is refused, and a replay starts earlier`() async throws {
        var fleet = try await Fleet(2, seed: 9)
        defer { fleet.close() }
        for _ in 0..<40 { try await fleet.step() }
        let store = fleet.stores[0]
        let vector = try store.resolve(.position(store.log.lastPosition() / 2)).vector
        let path = try write(try views(store, at: vector))
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
        let expected = try views(store, at: vector).read { try $0.digest() }
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= UInt8(1 << (place % 8))
            try Data(changed).write(to: URL(filePath: path))
            #expect(throws: SnapshotError.self, "byte \(place)") { try Snapshot.verify(at: path) }
            if place % 97 == 0 {
                #expect(try views(store, at: vector, [path]).read { try $0.digest() } == expected)
            }
        }
        for length in stride(from: 0, to: bytes.count, by: 13) {
            try Data(bytes[..<length]).write(to: URL(filePath: path))
            #expect(throws: SnapshotError.self, "\(length) bytes") { try Snapshot.verify(at: path) }
        }
        try Data(bytes + [0]).write(to: URL(filePath: path))
        #expect(throws: SnapshotError.self) { try Snapshot.verify(at: path) }
    }

    @Test func `of another log or another history is not used, one by a program with other kinds is`() async throws {
        let one = try await TemporaryStore(.full())
        let two = try await TemporaryStore(.full())
        for store in [one.store, two.store] { try await store.importText(generatedLog(30)) }
        let reader = try SnapshotReader(write(try views(one.store, at: one.store.log.vector())))
        #expect(throws: SnapshotError.otherHistory) {
            try Views.load(
                reader, at: folder.path("x.mdb"), of: two.store.log, kinds: two.store.kinds, resumingAfter: 0,
                content: two.store.log.content())
        }
        let kinds = Kinds(one.store.kinds.all.dropLast())
        let environment = try Views.load(
            reader, at: folder.path("x.mdb"), of: one.store.log, kinds: kinds,
            resumingAfter: one.store.log.lastPosition(), content: one.store.log.content())
        defer { environment.close() }
        let loaded = try environment.read { try ViewReader.lend($0, kinds: kinds) { try $0.digest() } }
        #expect(try loaded == one.store.read { try $0.digest() })
    }

    @Test func `is due when something changed and the newest is six hours old, and is used by time travel`()
        async throws
    {
        let clock = VirtualClock()
        let temporary = try await TemporaryStore(Configuration.full(surroundings: .virtual(clock, seed: 1)))
        let store = temporary.store
        try await store.importText(generatedLog(50))
        #expect(try store.runMaintenance().snapshot == nil, "the store is not six hours old")
        clock.advance(by: .seconds(6 * 3600))
        // What the import has asked for may run only now, and then has saved it already.
        _ = try store.runMaintenance()
        try #require(store.snapshots().count == 1)
        let first = try #require(store.snapshots()[0].information)
        #expect(first.kinds.first { $0.name == "qso" }?.visible == 50)
        #expect(try store.runMaintenance().snapshot == nil)
        clock.advance(by: .seconds(7 * 3600))
        #expect(try store.runMaintenance().snapshot == nil, "nothing has changed")
        _ = try await store.write { try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) }
        // The write has asked for it already: this waits until it is done.
        _ = try store.runMaintenance()
        let events = store.snapshots().compactMap(\.information?.vector.eventCount)
        #expect(events.count == 2 && events[1] > first.vector.eventCount)
        #expect(try store.snapshots().allSatisfy { try store.verifySnapshot($0.file).id == $0.information?.id })
        // A moment between the two, told from the first one.
        let past = try await store.at(.time(milliseconds: clock.now.wallMilliseconds - 3_600_000))
        #expect(try past.read { try $0.count(.everything) } == 50)
    }

    @Test(arguments: UInt64(1)...20)
    func `rule keeps the newest, spreads the others, and keeps to half of the log`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        var kept: [SnapshotInformation] = []
        var events: UInt64 = 0
        for round in 0..<200 {
            events += .random(in: 1...2000, using: &numbers)
            var vector = VersionVector()
            vector[ReplicaID(high: 1, low: 1)] = events
            let new = SnapshotInformation(
                hash: Array("\(round)".utf8).withSpan { Hash256(hashing: $0) },
                log: LogID(high: 1, low: 1), vector: vector, created: Int64(round), byteCount: Int(events) * 12,
                kinds: [], residue: 0)
            kept.append(new)
            let gone = Set(SnapshotRule.superfluous(kept, logBytes: Int(events) * 230).map(\.id))
            #expect(!gone.contains(new.id))
            kept.removeAll { gone.contains($0.id) }
            #expect(kept.count == 1 || kept.reduce(0) { $0 + $1.byteCount } <= Int(events) * 115)
            #expect(kept.count <= SnapshotRule.countLimit)
        }
        #expect(kept.count >= 2)
    }
}
