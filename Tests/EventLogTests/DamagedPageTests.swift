import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogRepair
import GroundwaveMDBPages
import GroundwaveSeededNumbers
import Testing

@Suite struct `Verifying a log with damaged pages` {
    static let intact = Result { try IntactLog() }
    let intact: IntactLog

    init() throws { intact = try Self.intact.get() }

    /// The pages of the newest state but the meta pages.
    private var livePages: [Int] {
        let pages = intact.pages
        return pages.leaves.values.flatMap { $0 } + pages.branches.values.flatMap { $0 } + pages.overflows
    }

    private func offsets(of page: Int) -> Range<Int> {
        page * intact.pages.pageSize..<(page + 1) * intact.pages.pageSize
    }

    @Test func `a lost leaf costs the events on it, which are named, and no others`() throws {
        for leaf in try #require(intact.pages.leaves["events"]) {
            let report = try intact.verify { bytes in for offset in offsets(of: leaf) { bytes[offset] = 0 } }
            let lost = intact.pages.frames.filter { $0.value.leaf == leaf }.keys
            #expect(report.missing == intact.ranges(at: lost))
            #expect(report.events == UInt64(intact.contents.ids.count - lost.count))
            let named = report.damage.filter { $0.what == .page && $0.replica != nil }
            #expect(named.reduce(0) { $0 + ($1.last ?? 0) - ($1.first ?? 0) + 1 } == UInt64(lost.count))
        }
    }

    @Test func `a lost long value costs its event`() throws {
        for page in intact.pages.overflows {
            let report = try intact.verify { bytes in for offset in offsets(of: page) { bytes[offset] = 0xFF } }
            let start = page * intact.pages.pageSize + 16
            let lost = intact.pages.frames.filter { $0.value.bytes.lowerBound == start }.keys
            #expect(lost.count == 1)
            #expect(report.missing == intact.ranges(at: lost))
        }
    }

    @Test func `a lost branch of the events costs all that hang on it, and they are named`() throws {
        for branch in try #require(intact.pages.branches["events"]) {
            let report = try intact.verify { bytes in for offset in offsets(of: branch) { bytes[offset] = 0 } }
            let isAccountedFor = intact.accounts(for: report)
            #expect(isAccountedFor)
            #expect(!report.missing.isEmpty)
        }
    }

    @Test func `a lost page of a small table costs no event`() throws {
        for table in ["heads", "runs", "trees", "nodes", "arrivals", "meta", "free", "main"] {
            for page in (intact.pages.leaves[table] ?? []) + (intact.pages.branches[table] ?? []) {
                let report = try intact.verify { bytes in for offset in offsets(of: page) { bytes[offset] = 0 } }
                #expect(!report.ok, "\(table)")
                #expect(report.missing == [], "\(table)")
                #expect(report.events == UInt64(intact.contents.ids.count), "\(table)")
            }
        }
    }

    @Test(arguments: UInt64(1)...3)
    func `a page of noise, or another page in its place, is seen and the rest is counted`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        for page in livePages.shuffled(using: &numbers).prefix(80) {
            let other = try #require(livePages.filter { $0 != page }.randomElement(using: &numbers))
            let keepsNumber = Bool.random(using: &numbers)
            let isNoise = Bool.random(using: &numbers)
            let report = try intact.verify { bytes in
                let source = bytes[offsets(of: other)]
                for (offset, from) in zip(offsets(of: page), source.indices) {
                    bytes[offset] = isNoise ? UInt8.random(in: 0...255, using: &numbers) : source[from]
                }
                // A page that was written to the wrong place by someone who gave it the number of that place.
                if keepsNumber {
                    for index in 0..<8 { bytes[page * 4096 + index] = UInt8(truncatingIfNeeded: page >> (8 * index)) }
                }
            }
            let isSeen = !report.ok
            #expect(isSeen, "page \(page), other \(other), noise \(isNoise), number \(keepsNumber)")
            let isAccountedFor = intact.accounts(for: report)
            #expect(isAccountedFor, "page \(page), other \(other), noise \(isNoise), number \(keepsNumber), \(report)")
        }
    }

    @Test(arguments: UInt64(1)...16)
    func `whatever numbers stand in the structure of pages, the answer is a report`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let report = try intact.verify { bytes in
                for _ in 0..<Int.random(in: 1...20, using: &numbers) {
                    // Numbers that are pages, lengths and offsets of this file do more harm than noise.
                    guard let page = livePages.randomElement(using: &numbers) else { return }
                    let value: UInt64 =
                        switch Int.random(in: 0...4, using: &numbers) {
                        case 0: 0
                        case 1: .max
                        case 2: UInt64(livePages.randomElement(using: &numbers) ?? 0)
                        case 3: UInt64.random(in: 0...4096, using: &numbers)
                        default: numbers.next()
                        }
                    let start = Int.random(in: 0..<2000, using: &numbers) * 2
                    let width = [2, 4, 8].randomElement(using: &numbers) ?? 2
                    for index in 0..<width {
                        bytes[page * 4096 + start + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))
                    }
                }
            }
            #expect(report.events <= UInt64(intact.contents.ids.count))
        }
    }

    @Test func `meta pages of the greatest transaction there can be end in a report`() throws {
        let report = try intact.verify { bytes in
            for place in (0..<8).flatMap({ [144 + $0, 4096 + 144 + $0] }) { bytes[place] = 0xFF }
        }
        #expect(!report.ok)
    }

    @Test func `a page that is what it was some commits before is seen`() throws {
        let store = try TestLog()
        var past: [[UInt8]] = []
        for number in 0..<40 {
            try store.append(number.isMultiple(of: 8) ? 20 : 1, sizes: .few)
            if number.isMultiple(of: 5) { try store.append(1, as: ReplicaID(high: 1, low: UInt64(number))) }
            past.append([UInt8](try Data(contentsOf: URL(filePath: store.path))))
        }
        let pages = try LivePages(path: store.path)
        let file = store.folder.appending(path: "stale").path
        try Data(pages.bytes).write(to: URL(filePath: file))
        let truth = Answers(ofLogAt: file)
        #expect(truth.answers.count == 5)
        var (seen, passed) = (0, Set<String>())
        for earlier in past {
            for page in 2..<min(pages.bytes.count, earlier.count) / 4096 {
                let range = page * 4096..<(page + 1) * 4096
                guard range.contains(where: { pages.uses[$0] == .live && pages.bytes[$0] != earlier[$0] }) else {
                    continue
                }
                var bytes = pages.bytes
                bytes.replaceSubrange(range, with: earlier[range])
                try Data(bytes).write(to: URL(filePath: file))
                #expect(try !LogVerifier.verify(path: file).ok, "page \(page)")
                seen += 1
                // And who does not look at every page is told no more than what is so.
                // (Where LMDB meets a branch in the place of a leaf, it ends the process.)
                let isLeaf = pages.leaves.values.contains { $0.contains(page) } && earlier[page * 4096 + 10] == 2
                if isLeaf, try PageCheck.branches(of: file).isEmpty {
                    passed.formUnion(pages.leaves.filter { $0.value.contains(page) }.keys)
                    let answers = Answers(ofLogAt: file).answers
                    for (name, answer) in answers { #expect(truth.answers[name] == answer, "page \(page): \(name)") }
                }
            }
        }
        #expect(seen > 50)
        #expect(passed.isSuperset(of: ["events", "arrivals", "heads", "meta"]), "\(passed.sorted())")
    }

    @Test func `a branch that leads to itself ends`() throws {
        for branch in intact.pages.branches.values.flatMap({ $0 }) {
            let report = try intact.verify { bytes in
                let start = branch * 4096
                let lower = Int(bytes[start + 12]) | Int(bytes[start + 13]) << 8
                for slot in stride(from: 16, to: lower, by: 2) {
                    let entry = Int(bytes[start + slot]) | Int(bytes[start + slot + 1]) << 8
                    for index in 0..<6 {
                        bytes[start + entry + index] = UInt8(truncatingIfNeeded: branch >> (8 * index))
                    }
                }
            }
            #expect(!report.ok)
        }
    }
}

/// What a log says to whoever opens and reads it; without what it does not say, since something is damaged.
private struct Answers {
    private(set) var answers: [String: String] = [:]

    init(ofLogAt path: String) {
        guard let log = try? EventLog(opening: path, options: Environment.Options(isReadOnly: true)) else { return }
        defer { try? log.close() }
        ask("vector") { "\(try log.vector())" }
        ask("erased") { "\(try log.erased())" }
        ask("arrivals") { try (1...log.lastPosition()).map { "\(try log.arrival(of: $0) as Any)" }.joined() }
        var ids: [EventID] = []
        ask("events") {
            try log.scan(from: 1) { _, frame, _ in
                ids.append(frame.id)
                return true
            }
            return "\(ids)"
        }
        if answers["events"] == nil { return }
        ask("positions") { try ids.map { "\(try log.position(of: $0) ?? 0)" }.joined(separator: " ") }
    }

    private mutating func ask(_ name: String, _ answer: () throws -> String) { answers[name] = try? answer() }
}
