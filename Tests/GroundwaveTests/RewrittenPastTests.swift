import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

/// A store by whose log everything was done that rewrites it, and a witness that kept each event as it was first written.
private final class RewrittenStore {
    private let temporary: TemporaryStore
    private let clock = VirtualClock()
    private let folder: TemporaryFolder
    private let configuration: Configuration
    private(set) var store: Store
    private var first: [EventID: [UInt8]] = [:]
    private var erased: Set<RecordID> = []
    private(set) var done: [String: Int] = [:]
    var numbers: SeededGenerator

    init(seed: UInt64) async throws {
        numbers = SeededGenerator(seed: seed)
        folder = try TemporaryFolder()
        configuration = Configuration.full(author: "N0CALL", surroundings: .virtual(clock, seed: seed &* 31 + 7))
        temporary = try await TemporaryStore(configuration)
        store = temporary.store
    }

    /// One random thing happens; the witness sees what it wrote.
    func step() async throws {
        clock.advance(by: .milliseconds(Int.random(in: 0...90_000, using: &numbers)))
        let ids = try store.read { try $0.all(.everything).map(\.id) }
        let id = ids.randomElement(using: &numbers)
        let number = Int.random(in: 0...99, using: &numbers)
        switch Int.random(in: 0..<20, using: &numbers) {
        case 0...5:
            _ = try await store.write { try $0.add("qso", [Assignment("CALL", text: "N\(number)CALL")]) }
        case 6...11:
            guard let id else { return }
            _ = try await store.write { try $0.set("qso", id, [Assignment("COMMENT", text: "words \(number)")]) }
        case 12:
            guard let id else { return }
            _ = try await store.write { try $0.remove("qso", id) }
        case 13...14:
            guard let step = try store.undoableSteps(1).first else { return }
            try await count("undo") { _ = try await store.revert(step) }
        case 15...16:
            guard let id else { return }
            try await count("erase") {
                _ = try await store.erase([id])
                erased.insert(id)
            }
        case 17: try await count("snapshot") { _ = try store.createSnapshot() }
        case 18:
            guard try store.log.base() == nil, let last = try? store.log.lastPosition(), last > 20 else { return }
            let point = Point.position(.random(in: last / 3...last / 2, using: &numbers))
            let path = folder.path("\(first.count).gwa")
            let gone = Set(try store.log.vector().entries.map(\.replica))
            try await count("archive") { _ = try await store.archive(before: point, to: path, retired: gone) }
        default: try await count("fork") { try await fork() }
        }
        try look()
    }

    /// What the program refuses in the state in which the store is has not happened.
    private func count(_ what: String, _ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as StoreError
            where [.archived, .usage, .notPermitted].contains(error.code)
        { return }
        done[what, default: 0] += 1
    }

    /// A copy that nothing tells from this store goes on with it; then they meet.
    private func fork() async throws {
        try store.close()
        let twin = try await temporary.twin(configuration)
        store = try await temporary.reopened(configuration)
        _ = try await store.write { try $0.add("qso", [Assignment("CALL", text: "N0HERE")]) }
        try look()
        _ = try await twin.store.write { try $0.add("qso", [Assignment("CALL", text: "N0THERE")]) }
        let bundle = folder.path("\(first.count).gwb")
        _ = try await twin.store.createBundle(to: bundle)
        _ = try await store.applyBundle(bundle)
    }

    private func look() throws {
        try store.log.scan(from: 1) { _, frame, bytes in
            if first[frame.id] == nil { first[frame.id] = bytes.extracting(0..<frame.length).toArray() }
            return true
        }
    }

    /// The events of `vector` in the order of the log: as they were first written, but for those that were erased.
    func frames(_ vector: VersionVector) throws -> [[UInt8]] {
        let erased = try store.log.erased()
        var frames: [[UInt8]] = []
        try store.log.scan(from: 1) { _, frame, bytes in
            guard vector.contains(frame.id) else { return true }
            let present = bytes.extracting(0..<frame.length).toArray()
            frames.append(erased.contains(frame.id) ? present : first[frame.id] ?? present)
            return true
        }
        return frames
    }

    deinit { try? store.close() }
}

@Suite struct `The past of a log that was rewritten` {
    @Test(arguments: UInt64(1)...12)
    func `is at any point what its events fold to as they were first written, but for what was erased`(
        seed: UInt64
    ) async throws {
        let rewritten = try await RewrittenStore(seed: seed)
        for _ in 0..<70 { try await rewritten.step() }
        let store = rewritten.store
        let base = try store.log.base()?.vector
        for _ in 0..<15 {
            let point = try PastOracle.point(in: store, &rewritten.numbers)
            let vector = try PastOracle.vector(of: point, in: store)
            #expect(try store.resolve(point).vector == vector, "\(point)")
            let (past, content): (PastStore, Hash256)
            do {
                past = try await store.at(point)
                content = try past.digest().content
            } catch let error as StoreError where error.code == .archived {
                // A point before what was archived; one that a snapshot stands for is shown all the same.
                #expect(try !vector.covers(#require(base)), "\(point)")
                continue
            }
            let fresh = try FreshFold(rewritten.frames(vector), of: store)
            #expect(try content == fresh.views.read { try $0.contentDigest().hash }, "\(point)")
            for query in [ContactQuery.everything, .contacts, .contacts.worked("N0HERE")] {
                let wanted = try fresh.views.read { try $0.all(query) }
                let found = try past.read { try $0.all(query) }
                #expect(found.map(\.id) == wanted.map(\.id), "\(point)")
                #expect(found.map(Self.words) == wanted.map(Self.words), "\(point)")
            }
        }
    }

    /// All that a record says, but for the positions of its events: those of a log of fewer events are others.
    private static func words(_ record: Record) -> [String] {
        record.fields.flatMap { field in
            field.heads.map { head in
                "\(field.key) \(head.id) \(head.stamp) \(head.value ?? [])"
                    + " \(head.value == nil) \(head.isWithheld) \(head.isElement) \(String(describing: head.source))"
            }
        }
    }

    /// The control: without these the test above would try nothing.
    @Test func `has seen all that rewrites it, over some seeds`() async throws {
        var done: [String: Int] = [:]
        for seed in UInt64(1)...4 {
            let rewritten = try await RewrittenStore(seed: seed)
            for _ in 0..<70 { try await rewritten.step() }
            done.merge(rewritten.done, uniquingKeysWith: +)
        }
        for what in ["undo", "erase", "snapshot", "archive", "fork"] {
            #expect(done[what, default: 0] > 1, "\(what): \(done)")
        }
    }
}
