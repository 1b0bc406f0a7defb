import Foundation
import Groundwave
import GroundwaveTesting
import Testing

/// The views are disposable: whatever happens to their file is noticed, and they come back from the log.
@Suite(.serialized) struct `Damaged views` {
    /// A part of the file that may be hit.
    enum Part: String, CaseIterable, Sendable {
        case recordValue, recordKey, timeEntryValue, timeEntryKey, callEntryValue, checkpoint, checkpointName, names,
            namesName

        func keys(in pages: LeafPages) -> [[UInt8]] {
            let kind = Array("qso\0".utf8)
            return switch self {
            case .recordValue, .recordKey: pages.keys(startingWith: kind) { $0 == kind.count + 16 }
            case .timeEntryValue, .timeEntryKey: pages.keys(startingWith: kind + [1]) { $0 == kind.count + 25 }
            case .callEntryValue: pages.keys(startingWith: kind + [2]) { $0 > kind.count + 25 }
            case .checkpoint, .checkpointName: [Array("checkpoint".utf8)]
            case .names, .namesName: [Array("names".utf8)]
            }
        }

        var place: KeyPath<LeafPages.Entry, Range<Int>> {
            switch self {
            case .recordKey, .timeEntryKey, .checkpointName, .namesName: \.key
            default: \.value
            }
        }
    }

    @Test(arguments: Part.allCases, UInt64(1)...5)
    func `a flipped bit is noticed, and the views come back as they were`(part: Part, seed: UInt64) async throws {
        let store = try PreparedStore()
        let before = try await store.shown()
        #expect(before.byTime.count == PreparedStore.count)
        var generator = SeededGenerator(seed: seed)
        var pages = try LeafPages(store.views)
        let key = try #require(part.keys(in: pages).randomElement(using: &generator))
        try pages.flip(
            part.place, of: key, byte: Int.random(in: 0..<10_000, using: &generator),
            bit: Int.random(in: 0..<8, using: &generator))
        #expect(try await store.shown() == before)
        #expect(try await store.shown() == before, "and they stay so")
    }

    /// What may become of a whole file.
    enum Loss: String, CaseIterable, Sendable {
        case deleted, empty, halved, cutInThePage, garbage, garbageInFront, ofAnotherLog, lockIsGarbage, folder
    }

    @Test(arguments: Loss.allCases)
    func `a lost or foreign file is replaced`(loss: Loss) async throws {
        let store = try PreparedStore()
        let before = try await store.shown()
        var data = try Data(contentsOf: store.views)
        var generator = SeededGenerator(seed: 7)
        func noise(_ count: Int) -> Data { Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }) }
        switch loss {
        case .deleted: try FileManager.default.removeItem(at: store.views)
        case .empty: try Data().write(to: store.views)
        case .halved: try data.prefix(data.count / 2).write(to: store.views)
        case .cutInThePage: try data.prefix(8192 + 1000).write(to: store.views)
        case .garbage: try noise(data.count).write(to: store.views)
        case .garbageInFront:
            data.replaceSubrange(0..<4096, with: noise(4096))
            try data.write(to: store.views)
        case .ofAnotherLog:
            let other = try await TemporaryStore()
            try await other.store.write { _ = try $0.add(Contact("N0CALL", start: 0)) }
            try other.store.close()
            try Data(contentsOf: other.url.appending(path: "views.mdb")).write(to: store.views)
        case .lockIsGarbage: try noise(8192).write(to: store.url.appending(path: "views.mdb-lock"))
        case .folder:
            try FileManager.default.removeItem(at: store.views)
            try FileManager.default.createDirectory(at: store.views, withIntermediateDirectories: false)
        }
        // First as a process of its own, since a crash would be one of the ways to fail.
        let listed = try Program.groundwave("export", "--store", store.url.path)
        #expect(listed.ended(0), "\(listed.status) \(listed.errors)")
        #expect(Inspection.records(in: listed.data).count == PreparedStore.count)
        if loss == .folder {
            // A folder is nothing that we made, so it stays, and reading is answered from elsewhere.
            let written = try Program.groundwave("qso", "add", "N0CALL", "--store", store.url.path)
            #expect(!written.wasKilled)
            #expect(written.ended(0) || written.errors.contains("views.mdb"), "\(written.status) \(written.errors)")
            return
        }
        #expect(try await store.shown() == before)
    }
}
