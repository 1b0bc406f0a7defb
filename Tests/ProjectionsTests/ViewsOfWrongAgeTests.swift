import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords
import GroundwaveSeededNumbers
import Synchronization
import Testing

@testable import GroundwaveProjections

/// Pages of the views that are not those of their last commit: noticed before liblmdb sees them, whatever the bytes are.
@Suite struct `Views with pages of a wrong age` {
    /// Views of some hundred records, with what the file was after each of the last commits.
    private struct Aged: Sendable {
        let folder = Result { try Folder() }
        let log: EventLog
        /// The file after each commit, the last one at the end.
        let ages: [Data]
        let kinds: Kinds
        let digest: ViewDigest
        let entries: [String: [UInt64]]

        init() throws {
            let store = try TestStore()
            let changes = (UInt64(0)..<400).map { number in
                let value = Array("v\(number) and some words more".utf8)
                return Change(
                    kind: "thing", record: RecordID(high: 0, low: number),
                    operations: [FieldOperation(.set, .number(1), supersedes: [], value: value)])
            }
            try store.write(changes)
            try store.views.catchUp()
            let path = store.folder.appending(path: "views.mdb").path
            var ages: [Data] = []
            for number in UInt64(0)..<24 {
                // One write in four adds a record, the others change the same one, without a change of its index: so its
                // page is written again and again, and no count is another one.
                if number % 4 == 0 {
                    try store.set(400 + number, 1, "new \(number)")
                } else {
                    try store.set(7, 2, "new \(number)")
                }
                ages.append(try Data(contentsOf: URL(filePath: path)))
            }
            self.ages = ages
            kinds = store.views.kinds
            (digest, entries) = try store.views.read { (try $0.digest(), try $0.entries()) }
            let copy = try folder.get().path("log.mdb")
            try FileManager.default.copyItem(atPath: store.folder.appending(path: "log.mdb").path, toPath: copy)
            var options = Environment.Options()
            options.isReadOnly = true
            log = try EventLog(opening: copy, options: options)
        }
    }

    private static let aged = Result { try Aged() }

    /// How a page is put where it does not belong.
    enum Mishap: String, CaseIterable, Sendable { case earlier, zeros, noise, ofAnotherPage, cut }

    /// The file with one page changed; `nil` where that changes nothing.
    private static func changed(_ ages: [Data], _ change: Mishap, seed: UInt64) -> Data? {
        var numbers = SeededGenerator(seed: seed)
        var bytes = ages[ages.count - 1]
        let earlier = ages[Int.random(in: 0..<ages.count - 1, using: &numbers)]
        let pages = (0..<bytes.count / 4096).map { $0 * 4096..<$0 * 4096 + 4096 }
        let differing = pages.filter { $0.upperBound <= earlier.count && bytes[$0] != earlier[$0] }
        let page = change == .earlier ? differing.randomElement(using: &numbers) : pages.randomElement(using: &numbers)
        guard let page else { return nil }
        switch change {
        case .earlier: bytes.replaceSubrange(page, with: earlier[page])
        case .zeros: bytes.replaceSubrange(page, with: Data(count: 4096))
        case .noise:
            bytes.replaceSubrange(page, with: Data(page.map { _ in UInt8.random(in: 0...255, using: &numbers) }))
        case .ofAnotherPage:
            guard let other = pages.randomElement(using: &numbers), other != page else { return nil }
            bytes.replaceSubrange(page, with: bytes[other])
        case .cut: bytes.removeSubrange(page.lowerBound + 100..<bytes.count)
        }
        return bytes
    }

    @Test(arguments: Mishap.allCases, UInt64(1)...52)
    func `are called damaged, or say what they said`(change: Mishap, seed: UInt64) throws {
        let aged = try Self.aged.get()
        let bytes = try #require(
            (0..<20).lazy.compactMap { Self.changed(aged.ages, change, seed: seed * 100 + $0) }.first)
        let folder = try Folder()
        let path = folder.path("views.mdb")
        try bytes.write(to: URL(filePath: path))
        if Views.damage(at: path) == nil {
            // A page that no tree uses, or a commit that vanished whole: then the views go on from the one before.
            let environment = try Environment.open(path, options: Views.options)
            defer { environment.close() }
            _ = try Replayer(log: aged.log, kinds: aged.kinds).catchUp(environment)
            let (digest, entries) = try environment.read { transaction in
                try ViewReader.lend(transaction, kinds: aged.kinds) { (try $0.digest(), try $0.entries()) }
            }
            #expect(digest == aged.digest && entries == aged.entries)
        }
    }

    @Test(arguments: Mishap.allCases)
    func `are noticed in most tries, and an earlier age of a page by its rows alone`(change: Mishap) throws {
        let aged = try Self.aged.get()
        let folder = try Folder()
        let path = folder.path("views.mdb")
        try aged.ages[aged.ages.count - 1].write(to: URL(filePath: path))
        #expect(Views.damage(at: path) == nil)
        var (noticed, tries): ([String], Int) = ([], 0)
        for seed in UInt64(1)...200 {
            guard let bytes = Self.changed(aged.ages, change, seed: seed) else { continue }
            try bytes.write(to: URL(filePath: path))
            tries += 1
            if let damage = Views.damage(at: path) { noticed.append(damage) }
        }
        #expect(noticed.count > tries / 3, "\(noticed.count) of \(tries)")
        if change == .earlier {
            #expect(noticed.contains { $0.contains("are not those of its last commit") }, "\(Set(noticed))")
            #expect(noticed.contains { $0.contains("its checkpoint counts") }, "\(Set(noticed))")
        }
    }

    @Test func `are none where pages are used again meanwhile`() throws {
        let store = try TestStore()
        try store.views.catchUp()
        let path = store.folder.appending(path: "views.mdb").path
        for number in 0..<50 { try store.set(UInt64(number), 1, "v\(number)") }
        let isDone = Atomic(false)
        let looks = Mutex<[String?]>([])
        let reader = Thread {
            repeat {
                let damage = Views.damage(at: path)
                looks.withLock { $0.append(damage) }
            } while !isDone.load(ordering: .acquiring)
            isDone.store(false, ordering: .releasing)
        }
        reader.start()
        for number in 0..<400 { try store.set(UInt64(number % 50), 1, "w\(number)") }
        isDone.store(true, ordering: .releasing)
        while !reader.isFinished { usleep(1000) }
        let found = looks.withLock { $0 }
        #expect(found.count > 3 && found.allSatisfy { $0 == nil }, "\(found.compactMap { $0 })")
    }

    @Test func `are no views, where there is no file`() throws {
        let folder = try Folder()
        #expect(Views.damage(at: folder.path("views.mdb")) == nil)
        try Data().write(to: URL(filePath: folder.path("views.mdb")))
        #expect(Views.damage(at: folder.path("views.mdb")) != nil)
        #expect(Views.damage(at: folder.path("")) != nil, "a folder is no file of ours")
    }
}

/// A temporary folder.
final class Folder: Sendable {
    private let url = FileManager.default.temporaryDirectory.appending(path: "groundwave-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }
}
