import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveProjections

/// However a moment of the past is made, it shows what views do that were folded up to it and no further.
@Suite struct `Views of the past` {
    /// What views show: all records, and the index.
    private struct Shown: Equatable {
        let digest: ViewDigest
        let entries: [String: [UInt64]]
        let position: Position

        init(_ view: borrowing ViewReader) throws {
            digest = try view.digest()
            entries = try view.entries()
            position = view.position
        }
    }

    private let store: TestStore
    private var numbers: SeededGenerator

    init() throws {
        store = try TestStore()
        numbers = SeededGenerator(seed: 1)
    }

    private func path(_ name: String) -> String { store.folder.appending(path: name).path }

    /// What a fold from the first event to `position` shows, made in a file of its own.
    private func folded(through position: Position) throws -> Shown {
        let path = path("folded")
        let (environment, _) = try Views.build(at: path, of: store.log, kinds: store.views.kinds, through: position)
        defer {
            environment.close()
            unlink(path)
        }
        return try environment.read { try ViewReader.lend($0, kinds: store.views.kinds) { try Shown($0) } }
    }

    private func past(at position: Position, snapshots: [String] = []) throws -> PastViews {
        try PastViews(
            of: store.views, EventFilter(try store.log.vector(through: position)),
            temporaryPath: path("past-\(position)"),
            snapshots: snapshots)
    }

    private func snapshot(at position: Position) throws -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try #require(try Snapshot.write(of: past(at: position), created: 0) { bytes += $0 })
        return bytes
    }

    @Test mutating func `near the present are laid over it, and stay what they are while it moves on`() throws {
        try store.write(80, using: &numbers)
        let pasts = try [Position(71), 75, 79, 80].map { (views: try past(at: $0), expected: try folded(through: $0)) }
        for _ in 0..<4 {
            for past in pasts { #expect(try past.views.read { try Shown($0) } == past.expected) }
            try store.write(5, using: &numbers)
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
        #expect(!files.contains { $0.hasPrefix("past-") }, "nothing was folded into a file")
    }

    @Test mutating func `far away are those of a snapshot, with what follows it`() throws {
        try store.write(50, using: &numbers)
        try Data(snapshot(at: 50)).write(to: store.folder.appending(path: "a.snapshot"))
        try store.write(150, using: &numbers)
        for position: Position in [50, 51, 60, 90] {
            let expected = try folded(through: position)
            #expect(try past(at: position, snapshots: [path("a.snapshot")]).read { try Shown($0) } == expected)
            #expect(try past(at: position).read { try Shown($0) } == expected, "without one, from the first event on")
        }
    }

    @Test mutating func `far away are made once more where their file is damaged`() throws {
        try store.write(150, using: &numbers)
        let expected = try folded(through: 20)
        let past = try past(at: 20)
        #expect(try past.read { try Shown($0) } == expected)
        let environment = try Environment.open(path("past-20-1"), options: Views.options)
        try environment.write { transaction in
            let tables = try ViewTables(in: transaction)
            let entry = try transaction.withCursor(tables.records) { cursor in
                guard try cursor.first() else { return nil as ([UInt8], [UInt8])? }
                return try cursor.withEntry { ($0.toArray(), $1.toArray()) }
            }
            var (key, row) = try #require(entry)
            row[row.count - 1] ^= 1
            try transaction.put(row.span.bytes, for: key, in: tables.records)
        }
        #expect(try past.read { try Shown($0) } == expected)
    }

    @Test mutating func `behind archived history begin with its base, and before it are refused`() throws {
        try store.write(80, using: &numbers)
        let places: [Position] = [60, 61, 75, 80]
        let expected = try places.map { try folded(through: $0) }
        let present = try store.views.read { try Shown($0) }
        let record = TestStore.records[2]
        let then = try past(at: 70).record("thing", record)
        let archived = try store.log.vector(through: 60)
        #expect(try store.log.archive(archived, keeping: { _, _ in false }, behind: snapshot(at: 60)) > 40)
        try store.views.rebuild()
        #expect(try store.views.read { try Shown($0) } == present)
        for (position, expected) in zip(places, expected) {
            #expect(try past(at: position).read { try Shown($0) } == expected, "\(position)")
        }
        #expect(try past(at: 70).record("thing", record) == then)
        let early = try past(at: 30)
        #expect(throws: EventLogError.self) { try early.read { try Shown($0) } }
        #expect(throws: EventLogError.self) { try early.record("thing", record) }
    }
}
