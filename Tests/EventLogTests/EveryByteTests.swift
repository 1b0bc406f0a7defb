import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogRepair
import GroundwaveSeededNumbers
import Testing

/// Each byte of a log of some 200 KB is changed in turn. Either the verifier sees it and names by replica and number what
/// is lost; or a reader that shares nothing with this package but Docs/FileFormat.md decodes the same events as before.
///
/// By default some are changed: every byte of the meta pages, every 31st of what leads to events, every 301st of the
/// rest. With `GROUNDWAVE_EVERY_BYTE=1` in the environment all are, which takes 11 minutes
/// in a release build: of 245,760 changes 132,550 were seen and 113,210 were without effect.
@Suite struct `Changing every byte of a log` {
    static let store = Result { try EveryByteLog() }
    let store: EveryByteLog

    init() throws { store = try Self.store.get() }

    static let isWhole = ProcessInfo.processInfo.environment["GROUNDWAVE_EVERY_BYTE"] != nil

    @Test func `the log that is changed has everything that a log may have`() throws {
        #expect(store.report.damage == [])
        #expect(store.report.replicas.count == 4)
        #expect(store.contents.ids.count == Int(store.report.events))
        #expect((180_000...260_000).contains(store.pages.bytes.count))
        #expect(store.pages.overflows.count > 3)
        #expect(store.pages.branches["events"] != nil)
        #expect(store.pages.leaves["erased"] != nil)
        #expect(store.pages.leaves["nodes"] != nil)
        #expect(store.pages.leaves["free"] != nil)
        #expect(store.isLastCommitOfEvents)
    }

    @Test(arguments: ["the meta page", "the table of tables"])
    func `the events of the last commit are named where what leads to it is lost`(what: String) throws {
        let last = store.contents.ids.suffix(5)
        let page = what == "the meta page" ? store.pages.newestMeta : try #require(store.pages.leaves["main"]?.first)
        var bytes = store.pages.bytes
        for offset in page * 4096..<(page + 1) * 4096 { bytes[offset] = 0 }
        let path = store.path + "-without-\(page)"
        try Data(bytes).write(to: URL(filePath: path))
        let report = try LogVerifier.verify(path: path)
        #expect(report.missing == [EventRange(store.store.replica, last.first!.sequence, through: last.last!.sequence)])
        #expect(report.damage.contains { $0.first == last.first!.sequence && $0.last == last.last!.sequence })
        #expect(report.replicas.first { $0.replica == store.store.replica }?.root == nil)
        // The other meta page leads to nothing that is newer.
        bytes = store.pages.bytes
        for offset in (1 - store.pages.newestMeta) * 4096..<(2 - store.pages.newestMeta) * 4096 { bytes[offset] = 0 }
        try Data(bytes).write(to: URL(filePath: path))
        #expect(try LogVerifier.verify(path: path).missing == [])
    }

    @Test(.enabled(if: FormatReader.absence == nil, "needs python3"))
    func `the other reader decodes the events that were written`() throws {
        let lines = try FormatReader.read(store.path).split(separator: "\n")
        #expect(lines.count == store.contents.ids.count)
        for (index, line) in lines.enumerated() {
            let event = try JSONDecoder().decode(FormatReader.Event.self, from: Data(line.utf8))
            let bytes = store.contents.frames[index]
            let frame = try bytes.withSpan { try Frame(parsing: $0) }
            #expect(event == FormatReader.Event(frame, bytes, at: index + 1))
        }
    }

    @Test(.enabled(if: FormatReader.absence == nil, "needs python3"))
    func `the other reader refuses a log that is cut off, and one that is none, with a sentence`() throws {
        let path = store.path + "-cut"
        try Data(store.pages.bytes.prefix(5_000)).write(to: URL(filePath: path))
        #expect(throws: FormatReader.Refusal.self) { try FormatReader.read(path) }
        try Data("This is no log.".utf8).write(to: URL(filePath: path))
        #expect(throws: FormatReader.Refusal(sentence: "neither meta page is one.\n")) { try FormatReader.read(path) }
    }

    @Test(.enabled(if: FormatReader.absence == nil, "needs python3"), .timeLimit(.minutes(60)))
    func `is seen and what is lost is named, or the events are the same to another reader`() throws {
        let copy = try ChangedCopy(store)
        var numbers = SeededGenerator(seed: UInt64(store.pages.bytes.count))
        var unseen: [Flip] = []
        var seen = 0
        for offset in store.pages.bytes.indices {
            let isChosen = Int.random(in: 0..<store.step(at: offset), using: &numbers) == 0
            let flip = Flip(offset: offset, xor: UInt8.random(in: 1...255, using: &numbers))
            guard isChosen || Self.isWhole else { continue }
            let report = try copy.verify(flip)
            guard !report.ok else {
                unseen.append(flip)
                continue
            }
            seen += 1
            if let trouble = store.trouble(with: report, flip) {
                Issue.record("byte \(flip.offset) ^ \(flip.xor): \(trouble): \(report.damage)")
            }
        }
        let digests = try FormatReader.digests(of: store.path, [Flip(offset: 0, xor: 0)] + unseen)
        for (flip, digest) in zip(unseen, digests.dropFirst()) where digest != digests[0] {
            Issue.record("byte \(flip.offset) ^ \(flip.xor) is not seen, and the other reader says: \(digest)")
        }
        #expect(digests.count == unseen.count + 1)
        #expect(digests[0].count == 64)
        #expect(seen > unseen.count)
        print("changed bytes: \(seen) seen, \(unseen.count) without effect, of \(store.pages.bytes.count)")
    }
}

/// One byte changed.
struct Flip {
    var offset: Int
    var xor: UInt8
}

/// A log of four replicas with batches, long values, erased events, free pages, and a last commit of events.
struct EveryByteLog: Sendable {
    let store: TestLog
    let pages: LivePages
    let contents: Contents
    let report: LogReport
    /// Whether the state before the newest one has fewer events.
    let isLastCommitOfEvents: Bool
    /// The bytes of events.
    private let frameBytes: Set<Int>

    var path: String { store.path + "-intact" }

    init() throws {
        store = try TestLog()
        for number in UInt64(1)...3 {
            let peer = try TestLog()
            try peer.append(Int(number) * 30, sizes: .small, as: ReplicaID(high: number, low: 9))
            let frames = try Contents(of: peer.log).frames
            for start in stride(from: 0, to: frames.count, by: 21) {
                _ = try store.log.append(
                    copying: Array(frames[start..<min(start + 21, frames.count)]), arrival: .test(start))
                try store.append(28, sizes: .small)
            }
        }
        try store.append(16, sizes: .mixed)
        _ = try store.log.append([.test(bytes: 12_000)], as: store.replica, arrival: .test(1))
        try store.log.sealPending()
        try store.log.erase(
            EventSet([
                EventRange(store.replica, 10, through: 14), EventRange(ReplicaID(high: 2, low: 9), 3, through: 3),
            ]))
        for _ in 0..<6 { try store.append(7) }
        let before = try store.log.lastPosition()
        try store.append(5)
        isLastCommitOfEvents = try store.log.lastPosition() == before + 5
        // Not closed: that would be one more commit.
        try FileManager.default.copyItem(atPath: store.path, toPath: store.path + "-intact")
        contents = try Contents(of: store.log)
        pages = try LivePages(path: store.path + "-intact")
        frameBytes = Set(pages.frames.values.flatMap(\.bytes))
        report = try LogVerifier.verify(path: store.path + "-intact")
    }

    /// Of how many bytes like the one at `offset` one is changed.
    func step(at offset: Int) -> Int {
        switch pages.uses[offset] {
        case .meta: 1
        case .none: 301
        case .separator, .freeList: 31
        case .live: offset < 2 * pages.pageSize ? 1 : frameBytes.contains(offset) ? 301 : 31
        }
    }

    /// Why `report`, of the log with `flip`, does not account for every event; `nil` where it does.
    func trouble(with report: LogReport, _ flip: Flip) -> String? {
        let named = report.damage.filter { $0.first != nil }
        for whole in self.report.replicas {
            let missing = report.missing.filter { $0.replica == whole.replica }
            let found = report.replicas.first { $0.replica == whole.replica }
            guard (found?.events ?? 0) + missing.reduce(0, { $0 + $1.count }) == whole.events else {
                return "not all events of \(whole.replica) are there or named: \(missing)"
            }
            if missing.isEmpty, found?.root != whole.root { return "the events of \(whole.replica) differ" }
            for range in missing {
                for sequence in range.first...range.last
                where !named.contains(where: {
                    $0.replica == range.replica && ($0.first!...$0.last!).contains(sequence)
                }) {
                    return "event \(sequence) of \(range.replica) is missing, and no damage names it"
                }
            }
        }
        // In the bytes of an event: that one and no other is lost.
        for (position, frame) in pages.frames where frame.bytes.contains(flip.offset) {
            let id = contents.ids[Int(position) - 1]
            if report.missing != [EventRange(id.replica, id.sequence, through: id.sequence)] {
                return "\(id) was changed, and missing are \(report.missing)"
            }
        }
        return nil
    }
}

extension DraftBatch {
    /// One event whose values have `bytes` bytes.
    static func test(bytes: Int) -> DraftBatch {
        var batch = DraftBatch()
        batch.append(
            shape: { $0.append(UInt8(1)) }, values: { for index in 0..<bytes { $0.append(UInt8(index & 0xFF)) } })
        return batch
    }
}

/// A copy of the log in which one byte after the other is changed, and changed back.
private final class ChangedCopy {
    private let path: String
    private let file: FileHandle
    private let bytes: [UInt8]

    init(_ store: EveryByteLog) throws {
        bytes = store.pages.bytes
        path = store.path + "-changed"
        try Data(bytes).write(to: URL(filePath: path))
        file = try FileHandle(forUpdating: URL(filePath: path))
    }

    func verify(_ flip: Flip) throws -> LogReport {
        try write(bytes[flip.offset] ^ flip.xor, at: flip.offset)
        defer { try? write(bytes[flip.offset], at: flip.offset) }
        return try LogVerifier.verify(path: path)
    }

    private func write(_ byte: UInt8, at offset: Int) throws {
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data([byte]))
    }
}
