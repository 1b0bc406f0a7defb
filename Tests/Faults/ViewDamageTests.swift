import Everything
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
            // The indexes of contacts are what the views derive first, and so have the number 1.
            case .timeEntryValue, .timeEntryKey: pages.keys(startingWith: [0, 1, 1]) { $0 == 33 }
            case .callEntryValue: pages.keys(startingWith: [0, 1, 2]) { $0 > 27 }
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
            let other = try await TemporaryStore(.full())
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

    // MARK: - Pages

    /// A store of 300 contacts, closed, with what views.mdb was after each of its last commits.
    private struct Aged: Sendable {
        let folder = Result { try TemporaryFolder() }
        let url: URL
        /// The last one is that of the store.
        let ages: [Data]
        let records: [String]

        init() async throws {
            let prepared = try PreparedStore()
            url = try folder.get().url.appending(path: "store")
            try FileManager.default.copyItem(at: prepared.url, to: url)
            let store = try await Inspection.open(url)
            let ids = try store.read { try $0.all(.contacts).map(\.id) }
            var ages: [Data] = []
            for number in 0..<16 {
                // One write in four adds a contact, the others change one: then no count is another one.
                if number % 4 == 0 {
                    try await store.write { _ = try $0.add(Contact("N0CALL", start: Int64(number))) }
                } else {
                    try await store.write { try $0.set(\.comment, of: ids[number * 17], to: "changed \(number)") }
                }
                _ = try store.read { $0.position }
                ages.append(try Data(contentsOf: url.appending(path: "views.mdb")))
            }
            try store.close()
            self.ages = ages
            let listed = try Program.groundwave("export", "--store", url.path)
            #expect(listed.ended(0), "\(listed.errors)")
            records = Inspection.records(in: listed.data).map { "\($0)" }
        }

        /// A copy of the store whose views are `bytes`, of which no file is known to this device.
        func copy(views bytes: Data) throws -> Copy {
            let folder = try TemporaryFolder()
            let url = folder.url.appending(path: "store")
            try FileManager.default.copyItem(at: self.url, to: url)
            try bytes.write(to: url.appending(path: "views.mdb"))
            return Copy(folder: folder, url: url)
        }
    }

    private struct Copy {
        let folder: TemporaryFolder
        let url: URL

        /// Runs the program as one of its own, since a signal would be one of the ways to fail.
        func run(_ arguments: String...) throws -> Program.Outcome {
            try Child(
                Program.path("groundwave"), arguments + ["--store", url.path],
                state: folder.url.appending(path: "state")
            ).wait()
        }
    }

    private static let aged = Task { try await Aged() }

    @Test(arguments: trials)
    func `a page that says what it said some commits ago changes no list, export or count`(seed: UInt64) async throws {
        let aged = try await Self.aged.value
        var generator = SeededGenerator(seed: seed)
        var bytes = aged.ages[aged.ages.count - 1]
        let earlier = aged.ages[Int.random(in: 0..<aged.ages.count - 1, using: &generator)]
        let differing = (2..<min(bytes.count, earlier.count) / 4096).map { $0 * 4096..<$0 * 4096 + 4096 }
            .filter { bytes[$0] != earlier[$0] }
        let page = try #require(differing.randomElement(using: &generator))
        bytes.replaceSubrange(page, with: earlier[page])
        let store = try aged.copy(views: bytes)
        let verified = try store.run("verify")
        #expect(verified.ended(0) || verified.ended(65) && verified.output.contains("views"), "\(verified)")
        let listed = try store.run("export")
        #expect(listed.ended(0), "\(listed.status) \(listed.errors)")
        #expect(Inspection.records(in: listed.data).map { "\($0)" } == aged.records)
        let counted = try store.run("qso", "count")
        #expect(counted.ended(0) && counted.output.contains("\(aged.records.count)"), "\(counted)")
    }

    @Test(arguments: trials)
    func `a leaf of zeros ends no command, and the next one that writes builds the views anew`(
        seed: UInt64
    ) async throws {
        let aged = try await Self.aged.value
        var generator = SeededGenerator(seed: seed)
        var bytes = aged.ages[aged.ages.count - 1]
        let leaves = (2..<bytes.count / 4096).filter { bytes[$0 * 4096 + 10] == 0x02 && bytes[$0 * 4096 + 11] == 0 }
        let leaf = try #require(leaves.randomElement(using: &generator)) * 4096
        bytes.replaceSubrange(leaf..<leaf + 4096, with: Data(count: 4096))
        let store = try aged.copy(views: bytes)
        let first = try store.run("verify", "--deep")
        #expect(first.ended(0) || first.ended(65) && first.output.contains("views"), "\(first)")
        for _ in 1...2 {
            let again = try store.run("verify", "--deep")
            #expect(again.wasKilled == false && again.status == first.status, "\(again)")
        }
        let listed = try store.run("export")
        #expect(listed.ended(0), "\(listed.status) \(listed.errors)")
        #expect(Inspection.records(in: listed.data).map { "\($0)" } == aged.records)
        let added = try store.run("qso", "add", "W1AW")
        #expect(added.ended(0), "\(added.status) \(added.errors)")
        let counted = try store.run("qso", "count")
        #expect(counted.ended(0) && counted.output.contains("\(aged.records.count + 1)"), "\(counted)")
        #expect(try store.run("verify", "--deep").ended(0))
    }
}
