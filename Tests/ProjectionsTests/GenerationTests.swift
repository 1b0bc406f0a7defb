import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveProjections

/// What is kept of a log's content ends when its file is rewritten, by whomever. Here the log is rewritten beside the views,
/// as another process does it that ends before it comes to them.
@Suite struct `What is kept of a log that was rewritten` {
    private let store: TestStore
    private var numbers: SeededGenerator

    init() throws {
        store = try TestStore()
        numbers = SeededGenerator(seed: 1)
    }

    private func path(_ name: String) -> String { store.folder.appending(path: name).path }

    private func past(at position: Position, _ name: String, former: ReusablePastView? = nil) throws -> PastViews {
        try PastViews(
            of: store.views, EventFilter(try store.log.vector(through: position)), temporaryPath: path(name),
            former: former)
    }

    /// Every third event loses its values.
    private func takeValues() throws {
        var events = EventSet()
        try store.log.scan(from: 1) { position, frame, _ in
            if position % 3 == 1 { events.insert(frame.id) }
            return true
        }
        #expect(try store.log.letGo(events) > 0)
    }

    private func digest(_ past: PastViews) throws -> ViewDigest { try past.read { try $0.digest() } }

    @Test func `the next read of the views shows what is left, and no page of them holds what went`() throws {
        try store.set(1, 1, "forget me")
        try store.set(2, 1, "stay")
        // A process opens a file once, so the ones that were there let go of it.
        store.views.close()
        let other = Views(of: store.log, kinds: store.views.kinds, at: path("views.mdb"))
        defer { other.close() }
        let id = RecordID(high: 0, low: 1)
        #expect(try other.read { try $0.record("thing", id)?[.number(1)]?.shown.value } == Array("forget me".utf8))
        #expect(try store.log.erase(EventSet([EventRange(store.replica, 1, through: 1)])) == 1)
        #expect(try other.read { try $0.record("thing", id)?[.number(1)]?.shown.value } == nil)
        #expect(other.rebuildsSoFar.map(\.reason) == ["from another version or history"])
        let bytes = try Data(contentsOf: store.folder.appending(path: "views.mdb"))
        #expect(bytes.range(of: Data("forget me".utf8)) == nil && bytes.range(of: Data("stay".utf8)) != nil)
    }

    @Test func `views that were never folded behind the rewrite are not gone on with`() throws {
        try store.set(1, 1, "forget me")
        #expect(try store.log.erase(EventSet([EventRange(store.replica, 1, through: 1)])) == 1)
        try store.write([
            Change(
                kind: "thing", record: RecordID(high: 0, low: 2),
                operations: [FieldOperation(.set, .number(1), supersedes: [], value: Array("later".utf8))])
        ])
        try store.views.catchUp()
        let bytes = try Data(contentsOf: store.folder.appending(path: "views.mdb"))
        #expect(bytes.range(of: Data("forget me".utf8)) == nil)
    }

    @Test(arguments: [Position(30), 78])
    mutating func `a moment of the past shows what it does to who first looks at it now`(position: Position) throws {
        try store.write(80, using: &numbers)
        let kept = try past(at: position, "kept")
        let before = try digest(kept)
        try takeValues()
        let now = try digest(past(at: position, "fresh"))
        #expect(now != before)
        #expect(try digest(kept) == now)
        let other = try past(at: position, "other")
        for id in TestStore.records { #expect(try kept.record("thing", id) == other.record("thing", id)) }
    }

    @Test(arguments: [Position(40), 44])
    mutating func `a file of the past is not gone on with`(position: Position) throws {
        try store.write(300, using: &numbers)
        let former = ReusablePastView()
        _ = try digest(past(at: 40, "first", former: former))
        #expect(former.isThere)
        try takeValues()
        let fresh = try digest(past(at: position, "fresh"))
        #expect(try digest(past(at: position, "next", former: former)) == fresh)
    }

    @Test mutating func `a record of archived history has none of what was erased from that`() throws {
        try store.write(80, using: &numbers)
        let vector = try store.log.vector(through: 60)
        let snapshot = try #require(try snapshot(of: past(at: 60, "snapshot")))
        #expect(try store.log.archive(vector, keeping: { _, _ in false }, behind: snapshot) > 40)
        let kept = try past(at: 70, "kept")
        let before = try TestStore.records.map { try kept.record("thing", $0) }
        let erased = EventSet([EventRange(store.replica, 1, through: 60)])
        try store.log.erase(
            erased, baseWithout: { try Views.base(of: store.log, without: $0, temporaryPath: path("base")) })
        let now: [Record?]
        do {
            store.views.close()
            let fresh = Views(of: store.log, kinds: store.views.kinds, at: path("views.mdb"))
            defer { fresh.close() }
            let expected = try PastViews(of: fresh, kept.filter, temporaryPath: path("expected"))
            now = try TestStore.records.map { try expected.record("thing", $0) }
        }
        #expect(now != before)
        #expect(try TestStore.records.map { try kept.record("thing", $0) } == now)
    }

    private func snapshot(of past: PastViews) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        return try Snapshot.write(of: past, created: 0) { bytes += $0 } == nil ? nil : bytes
    }

    @Test mutating func `a moment whose source another thread makes anew meanwhile is answered all the same`() throws {
        try store.write(20, using: &numbers)
        let position = try store.log.lastPosition() - 1
        store.views.close()
        // What another thread does while this one waits for views that were deleted; called on this one.
        nonisolated(unsafe) var meanwhile: (() throws -> Void)?
        let views = Views(
            of: store.log, kinds: store.views.kinds, at: path("views.mdb"),
            didRebuild: { _ in
                let work = meanwhile
                meanwhile = nil
                do { try work?() } catch { Issue.record(error) }
            })
        defer { views.close() }
        let past = try PastViews(
            of: views, EventFilter(try store.log.vector(through: position)), temporaryPath: path("past"))
        _ = try past.read { try $0.digest() }
        let store = store
        meanwhile = {
            try store.log.erase(EventSet([EventRange(store.replica, 1, through: 1)]))
            for number in 0..<200 {
                let change = Change(
                    kind: "thing", record: RecordID(high: 1, low: UInt64(number)),
                    operations: [FieldOperation(.set, .number(1), supersedes: [], value: [1])])
                try store.write([change])
            }
            _ = try past.read { try $0.digest() }
        }
        try FileManager.default.removeItem(atPath: path("views.mdb"))
        let shown = try past.read { try $0.digest() }
        let expected = try PastViews(of: views, past.filter, temporaryPath: path("expected"))
        #expect(try shown == expected.read { try $0.digest() })
    }
}
