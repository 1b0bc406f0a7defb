import Foundation
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveMDBPages
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat
@testable import GroundwaveLogRepair

/// What salvage makes of a damaged copy of an intact log.
private struct Salvaged {
    let salvage: Salvage
    let missing: [EventRange]
    let contents: Contents
    let report: LogReport

    init(_ intact: IntactLog, _ bytes: [UInt8]) throws {
        let folder = intact.store.folder.appending(path: "salvage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (damaged, made) = (folder.appending(path: "damaged.mdb"), folder.appending(path: "log.mdb"))
        try Data(bytes).write(to: damaged)
        salvage = try Salvage(path: damaged.path)
        missing = salvage.missing
        _ = try salvage.write(
            to: made.path, log: salvage.log ?? LogID(high: 1, low: 2), epoch: 9, arrival: .test(0), missing: missing)
        #expect(try Data(contentsOf: damaged) == Data(bytes), "the damaged file is only read")
        report = try LogVerifier.verify(path: made.path)
        let log = try EventLog(opening: made.path)
        contents = try Contents(of: log)
        try log.close()
    }

    /// The events of the new log that are not merely places held for lost ones.
    var events: [(id: EventID, leaf: Hash256)] {
        get throws {
            var hasher = MerkleHasher()
            return try zip(contents.ids, contents.frames).compactMap { id, bytes in
                try bytes.withSpan { span in
                    let frame = try Frame(verifying: span)
                    return frame.isLost ? nil : (id, hasher.leaf(of: frame, in: span))
                }
            }
        }
    }

    /// Holds what was made against what there was: nothing is there that was not, in another form or order; and what is
    /// missing is named.
    func check(_ intact: IntactLog, _ comment: Comment, isNamed: Bool = true) throws {
        var hasher = MerkleHasher()
        var leaves: [EventID: Hash256] = [:]
        for (id, bytes) in zip(intact.contents.ids, intact.contents.frames) {
            leaves[id] = try bytes.withSpan { hasher.leaf(of: try Frame(parsing: $0), in: $0) }
        }
        let found = try events
        for event in found { #expect(leaves[event.id] == event.leaf, "\(comment): \(event.id)") }
        let ids = Set(found.map(\.id))
        #expect(ids.count == found.count, "\(comment): an event twice")
        let order = Dictionary(uniqueKeysWithValues: zip(intact.contents.ids, 0...))
        let places = found.compactMap { order[$0.id] }
        #expect(places == places.sorted(), "\(comment): the order of the log")
        let lost = EventSet(missing)
        for id in leaves.keys {
            #expect(!(ids.contains(id) && lost.contains(id)), "\(comment): \(id) is there and lost")
        }
        for id in leaves.keys where isNamed {
            #expect(ids.contains(id) || lost.contains(id), "\(comment): \(id) is neither there nor named")
        }
        let total = UInt64(found.count) + lost.count + salvage.unnamedCount
        if salvage.isEndKnown {
            #expect(total == UInt64(leaves.count), "\(comment): recovered + lost = appended")
        } else {
            #expect(total <= UInt64(leaves.count), "\(comment): recovered + lost is at least what is known")
        }
        let unexpected = report.damage.filter { $0.what != .lostRange }
        #expect(unexpected.isEmpty, "\(comment): \(unexpected)")
        #expect(EventSet(report.missing) == lost, "\(comment): the new log says what it lacks")
    }
}

@Suite struct `Salvaging a log` {
    private static let intact = Result { try IntactLog() }

    @Test func `that is whole gives every event as it was, and when it came`() throws {
        let intact = try Self.intact.get()
        let salvaged = try Salvaged(intact, intact.pages.bytes)
        try salvaged.check(intact, "whole")
        #expect(try salvaged.events.map(\.id) == intact.contents.ids)
        #expect(salvaged.salvage.isEndKnown && salvaged.salvage.log == LogID(high: 1, low: 2))
    }

    @Test func `needs neither meta pages nor branches nor the tables that find events`() throws {
        let intact = try Self.intact.get()
        var pages = [0, 1]
        pages += intact.pages.branches.values.joined()
        for (name, leaves) in intact.pages.leaves where name != "events" { pages += leaves }
        var bytes = intact.pages.bytes
        for page in pages { for index in page * 4096..<(page + 1) * 4096 { bytes[index] = 0 } }
        let salvaged = try Salvaged(intact, bytes)
        try salvaged.check(intact, "all but the events")
        #expect(try salvaged.events.map(\.id) == intact.contents.ids)
        #expect(!salvaged.salvage.isEndKnown)
    }

    /// The events of the log that `pages` are of, but for those with a byte on `hit`.
    private static func ids(_ ids: [EventID], _ pages: LivePages, butOn hit: Int) -> Set<EventID> {
        var others = Set(ids)
        for (position, place) in pages.frames {
            let onPages = place.bytes.lowerBound / 4096...(place.bytes.upperBound - 1) / 4096
            if place.leaf == hit || onPages.contains(hit) { others.remove(ids[Int(position) - 1]) }
        }
        return others
    }

    @Test(arguments: ["free", "meta", "runs"])
    func `does not believe a leaf of another tree in the place of a branch`(table: String) throws {
        let intact = try Self.intact.get()
        let leaf = try #require(intact.pages.leaves[table]?.first)
        // Without a leaf in the middle the chain alone does not lead through the log.
        let leaves = try #require(intact.pages.leaves["events"])
        let hit = leaves[leaves.count / 2]
        for branch in try #require(intact.pages.branches["events"]) {
            var bytes = intact.pages.bytes
            bytes.replaceSubrange(
                branch * 4096 + 8..<(branch + 1) * 4096, with: bytes[leaf * 4096 + 8..<(leaf + 1) * 4096])
            for index in hit * 4096..<(hit + 1) * 4096 { bytes[index] = 0 }
            let salvaged = try Salvaged(intact, bytes)
            try salvaged.check(intact, "\(table) at \(branch)")
            let there = Set(try salvaged.events.map(\.id))
            #expect(there.isSuperset(of: Self.ids(intact.contents.ids, intact.pages, butOn: hit)))
        }
    }

    @Test func `does not believe a page of the past that leads past what came since`() throws {
        let store = try TestLog()
        var past: [[UInt8]] = []
        for _ in 0..<12 {
            try store.append(60)
            past.append([UInt8](try Data(contentsOf: URL(filePath: store.path))))
        }
        let now = try #require(past.last)
        let ids = try Contents(of: store.log).ids
        let pages = try LivePages(path: store.path)
        let meta = try #require(try MetaPage.newest(of: PageFile(store.path)))
        let root = Int(meta.main.root) * 4096..<(Int(meta.main.root) + 1) * 4096
        let leaves = try #require(pages.leaves["events"])
        let hit = leaves[leaves.count / 2]
        let file = store.folder.appending(path: "damaged").path
        var count = 0
        for earlier in past.dropLast() where root.upperBound <= earlier.count && earlier[root] != now[root] {
            var bytes = now
            bytes.replaceSubrange(root, with: earlier[root])
            for index in hit * 4096..<(hit + 1) * 4096 { bytes[index] = 0 }
            try Data(bytes).write(to: URL(filePath: file))
            var there = Set<EventID>()
            try Salvage(path: file).forEachEvent { frame, _ in there.insert(frame.id) }
            #expect(there.isSuperset(of: Self.ids(ids, pages, butOn: hit)))
            count += 1
        }
        #expect(count > 2)
    }

    enum Kill: CaseIterable { case zeros, noise, other, stale, cut }

    @Test(arguments: Kill.allCases, UInt64(1)...12)
    func `recovers every event that is not on a hit page, and names the rest`(_ kill: Kill, seed: UInt64) throws {
        let intact = try Self.intact.get()
        var numbers = SeededGenerator(seed: seed &* 31 &+ UInt64(Kill.allCases.firstIndex(of: kill) ?? 0))
        var bytes = intact.pages.bytes
        let count = bytes.count / 4096
        var hit = Set<Int>()
        switch kill {
        case .cut:
            let keep = Int.random(in: count / 3..<count, using: &numbers)
            bytes.removeSubrange((keep * 4096)...)
            hit = Set(keep..<count)
        default:
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let page = Int.random(in: 0..<count, using: &numbers)
                hit.insert(page)
                let other = Int.random(in: 2..<count, using: &numbers)
                for index in 0..<4096 {
                    switch kill {
                    case .zeros: bytes[page * 4096 + index] = 0
                    case .noise: bytes[page * 4096 + index] = UInt8(truncatingIfNeeded: numbers.next())
                    // A page that was written to a wrong place, and one that says it is the right one.
                    default: bytes[page * 4096 + index] = intact.pages.bytes[other * 4096 + index]
                    }
                }
                if kill == .stale {
                    for index in 0..<8 { bytes[page * 4096 + index] = UInt8(page >> (8 * index) & 255) }
                }
            }
        }
        let comment: Comment = "\(kill) \(seed): pages \(hit.sorted())"
        let salvaged = try Salvaged(intact, bytes)
        // Where the end of the file is gone with what told of it, not every lost event has a name.
        try salvaged.check(intact, comment, isNamed: kill != .cut)
        let there = Set(try salvaged.events.map(\.id))
        for (position, place) in intact.pages.frames {
            let pages = Set(place.bytes.lowerBound / 4096...(place.bytes.upperBound - 1) / 4096).union([place.leaf])
            let id = intact.contents.ids[Int(position) - 1]
            if pages.isDisjoint(with: hit) { #expect(there.contains(id), "\(comment): \(id) was not hit") }
        }
    }

    @Test func `takes what the state before had not, where the newest tree is gone`() throws {
        let intact = try Self.intact.get()
        let root = intact.pages.bytes.span.bytes.hostUInt64(at: intact.pages.newestMeta * 4096 + 128)
        let file = intact.store.folder.appending(path: UUID().uuidString)
        for page in 2..<intact.pages.bytes.count / 4096 {
            var bytes = intact.pages.bytes
            for hit in [page, Int(root)] { for index in hit * 4096..<(hit + 1) * 4096 { bytes[index] = 0 } }
            try Data(bytes).write(to: file)
            let salvage = try Salvage(path: file.path)
            #expect(!salvage.isEndKnown, "nothing tells how far the newest state went")
            var there = Set<EventID>()
            try salvage.forEachEvent { frame, _ in there.insert(frame.id) }
            for (position, place) in intact.pages.frames {
                let pages = Set(place.bytes.lowerBound / 4096...(place.bytes.upperBound - 1) / 4096).union([place.leaf])
                let id = intact.contents.ids[Int(position) - 1]
                if pages.isDisjoint(with: [page, Int(root)]) { #expect(there.contains(id), "page \(page): \(id)") }
            }
        }
    }

    @Test(arguments: UInt64(1)...16)
    func `never takes a flipped bit for what was written`(seed: UInt64) throws {
        let intact = try Self.intact.get()
        var numbers = SeededGenerator(seed: seed)
        let live = intact.pages.offsets([.live])
        var bytes = intact.pages.bytes
        for _ in 0..<8 {
            bytes[live.randomElement(using: &numbers) ?? 0] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
        }
        try Salvaged(intact, bytes).check(intact, "\(seed)")
    }

    @Test func `keeps when each event came, and which ones were erased`() throws {
        let store = try TestLog()
        // Each commit came at another moment.
        for _ in 0..<5 { try store.append(30) }
        let erased = EventSet([EventRange(store.replica, 40, through: 45)])
        try store.log.erase(erased)
        let moments = try (UInt64(1)...150).map { try store.log.arrival(of: $0) }
        try store.log.close()
        let made = store.folder.appending(path: "made.mdb").path
        let salvage = try Salvage(path: store.path)
        _ = try salvage.write(
            to: made, log: LogID(high: 1, low: 2), epoch: 9, arrival: .test(77), missing: salvage.missing)
        let log = try EventLog(opening: made)
        defer { try? log.close() }
        #expect(try (UInt64(1)...150).map { try log.arrival(of: $0) } == moments)
        #expect(try log.erased() == erased)
    }

    @Test func `finds the events on a page whose list of them is damaged`() throws {
        let intact = try Self.intact.get()
        for leaf in try #require(intact.pages.leaves["events"]) {
            var bytes = intact.pages.bytes
            // The first slot leads nowhere.
            for index in 16..<18 { bytes[leaf * 4096 + index] = 0xFF }
            let salvaged = try Salvaged(intact, bytes)
            try salvaged.check(intact, "leaf \(leaf)")
            #expect(try salvaged.events.map(\.id) == intact.contents.ids, "leaf \(leaf)")
        }
    }

    @Test func `puts an event whose position was altered where the chain has it`() throws {
        let intact = try Self.intact.get()
        let leaves = Set(try #require(intact.pages.leaves["events"]))
        var count = 0
        for position in stride(from: UInt64(20), to: UInt64(intact.contents.ids.count), by: 60) {
            let place = try #require(intact.pages.frames[position])
            // Its key stands before it, unless the event lies on pages of its own.
            guard leaves.contains(place.bytes.lowerBound / 4096) else { continue }
            var bytes = intact.pages.bytes
            bytes[place.bytes.lowerBound - 5] ^= 1
            let salvaged = try Salvaged(intact, bytes)
            try salvaged.check(intact, "position \(position)")
            #expect(try salvaged.events.map(\.id) == intact.contents.ids, "position \(position)")
            count += 1
        }
        #expect(count > 4)
    }

    @Test func `does not believe what was written by who died before the commit`() throws {
        let store = try TestLog()
        try store.append(60)
        // What another process has written behind the 60th event, and did not live to commit.
        let attempt = store.folder.appending(path: "attempt.mdb").path
        try FileManager.default.copyItem(atPath: store.path, toPath: attempt)
        let other = try EventLog(opening: attempt)
        _ = try other.append([.test(20, seed: 4711)], as: store.replica, arrival: .test(1))
        let left = try LivePages(path: attempt)
        try other.close()
        for _ in 0..<3 { try store.append(60) }
        let contents = try Contents(of: store.log)
        let now = try LivePages(path: store.path)
        var bytes = now.bytes
        // Its leaves lie behind the end of the log, and the leaf is lost on which the 61st event stood.
        for leaf in Set((UInt64(61)...80).compactMap { left.frames[$0]?.leaf }) {
            var page = Array(left.bytes[leaf * 4096..<(leaf + 1) * 4096])
            let number = bytes.count / 4096
            for index in 0..<8 { page[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
            bytes += page
        }
        let hit = try #require(now.frames[61]).leaf
        for index in hit * 4096..<(hit + 1) * 4096 { bytes[index] = 0 }
        let damaged = store.folder.appending(path: "damaged").path
        try Data(bytes).write(to: URL(filePath: damaged))
        var count = 0
        try Salvage(path: damaged).forEachEvent { frame, bytes in
            let index = try #require(contents.ids.firstIndex(of: frame.id))
            let committed = contents.frames[index]
            let values = try Frame(verifying: committed.span.bytes, at: UInt64(index + 1)).values
            #expect(bytes[frame.values].elementsEqual(committed[values]), "\(frame.id) is what was committed")
            count += 1
        }
        #expect(count > 100)
    }

    @Test func `that had lost its end already names that again`() throws {
        let store = try TestLog()
        try store.append(60)
        try store.log.close()
        var known = VersionVector()
        known[store.replica] = 70
        let (first, second) = (store.folder.path + "/first", store.folder.path + "/second")
        for (source, target) in [(store.path, first), (first, second)] {
            var salvage = try Salvage(path: source)
            // Somebody else knows of it the first time, and nobody the second time.
            if source == store.path { salvage.expect(known) }
            let missing = salvage.missing
            #expect(missing == [EventRange(store.replica, 61, through: 70)])
            _ = try salvage.write(
                to: target, log: LogID(high: 1, low: 2), epoch: 9, arrival: .test(0), missing: missing)
        }
        #expect(try LogVerifier.verify(path: second).missing == [EventRange(store.replica, 61, through: 70)])
    }

    @Test func `that had holes already names them again`() throws {
        let intact = try Self.intact.get()
        let folder = intact.store.folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (damaged, first, second) = (folder.path + "/damaged", folder.path + "/first", folder.path + "/second")
        var bytes = intact.pages.bytes
        let page = try #require(intact.pages.leaves["events"]?[2])
        for index in page * 4096..<(page + 1) * 4096 { bytes[index] = 0 }
        try Data(bytes).write(to: URL(filePath: damaged))
        func write(_ source: String, _ target: String) throws -> (count: Int, missing: [EventRange]) {
            let salvage = try Salvage(path: source)
            let missing = salvage.missing
            _ = try salvage.write(
                to: target, log: LogID(high: 1, low: 2), epoch: 9, arrival: .test(0), missing: missing)
            return (salvage.count, missing)
        }
        let one = try write(damaged, first)
        let two = try write(first, second)
        #expect(!one.missing.isEmpty && one == two)
        let report = try LogVerifier.verify(path: second)
        #expect(report.damage.allSatisfy { $0.what == .lostRange } && report.missing == one.missing)
    }

    @Test func `of something else gives nothing`() throws {
        let intact = try Self.intact.get()
        for bytes in [[], [0], [UInt8](repeating: 7, count: 100_000), Array(intact.pages.bytes[..<8192])] {
            let folder = intact.store.folder.appending(path: UUID().uuidString)
            try Data(bytes).write(to: folder)
            let salvage = try Salvage(path: folder.path)
            #expect(salvage.count == 0)
            #expect(salvage.missing.isEmpty)
        }
        #expect(throws: PageFileError.self) { try Salvage(path: intact.store.folder.path + "/nowhere") }
    }
}
