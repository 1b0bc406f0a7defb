import EventLog
import Events
import Foundation
import Synchronization

/// A kind of damage to pages of a log.
enum PageKill: String, CaseIterable {
    case zeros
    case noise
    /// Another page's content, with that page's number: a write to a wrong position.
    case other
    /// The content of some commits before: a write that was lost.
    case stale
    /// The end of the file is gone.
    case cut

    /// Returns the damaged file, and the pages that have changed.
    func damage(_ log: IntactLog, _ generator: inout SeededGenerator) -> (bytes: [UInt8], hit: Set<Int>) {
        let size = log.pages.pageSize
        var bytes = log.bytes
        if self == .cut {
            let keep = Int.random(in: log.bytes.count / 3..<log.bytes.count, using: &generator)
            bytes.removeSubrange(keep...)
            return (bytes, Set(keep / size..<log.pageCount))
        }
        var hit = Set<Int>()
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let page = Int.random(in: 0..<log.pageCount, using: &generator)
            let range = page * size..<(page + 1) * size
            switch self {
            case .zeros: bytes.replaceSubrange(range, with: repeatElement(0, count: size))
            case .noise: bytes.replaceSubrange(range, with: generator.bytes(size))
            case .other, .cut:
                let from = Int.random(in: 2..<log.pageCount, using: &generator) * size
                bytes.replaceSubrange(range, with: log.bytes[from..<from + size])
            case .stale:
                guard range.upperBound <= log.earlier.count else { continue }
                bytes.replaceSubrange(range, with: log.earlier[range])
            }
            if bytes[range] != log.bytes[range] { hit.insert(page) }
        }
        return (bytes, hit)
    }
}

/// Damages pages of the log. This process checks the salvage; some stores are opened by other processes, restored,
/// and completed from a peer.
struct PageKills {
    let lane: Lane
    let kills: Int
    /// The number of additional stores that other processes read, without restoring anything.
    let reads: Int
    /// The number of additional stores that are restored.
    let restores: Int

    private static let chunk = 25

    private struct Subject: Sendable {
        let made: MadeStore
        let log: IntactLog
        let truth: Answers

        init(_ made: MadeStore) throws {
            self.made = made
            log = try IntactLog(made)
            truth = try DamagedCopy.truth(of: made, in: "\(made.folder)/truth")
        }
    }

    func run() throws {
        let subjects = try MadeStore.several(4, lane).map { try Subject($0) }
        for subject in subjects { try lane.control(subject.made, subject.log, subject.truth) }
        let chunks = (kills + Self.chunk - 1) / Self.chunk
        let tally = Mutex((found: Tally(), read: Tally(), restored: Tally()))
        lane.work(units: chunks + reads + restores) { unit, folder in
            var generator = lane.generator(unit)
            let subject = subjects[unit % subjects.count]
            var here = (found: Tally(), read: Tally(), restored: Tally())
            var trial: Trial?
            if unit < chunks {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                for number in 0..<min(Self.chunk, kills - unit * Self.chunk) {
                    let kill = PageKill.allCases[(unit * Self.chunk + number) % PageKill.allCases.count]
                    try look(at: kill, subject, unit, folder, &generator, &here.found)
                }
                if lane.settings.unit == nil { try? FileManager.default.removeItem(atPath: folder) }
            } else if unit < chunks + reads {
                try read(subject, unit, folder, &generator, &here.read)
            } else {
                trial = try restore(subject, unit, folder, &generator, &here.restored)
            }
            tally.withLock {
                $0.found.add(here.found)
                $0.read.add(here.read)
                $0.restored.add(here.restored)
            }
            return trial
        }
        lane.note("without opening: \(tally.withLock { $0.found.text })")
        lane.note("read by other processes: \(tally.withLock { $0.read.text })")
        lane.note("gone the whole way: \(tally.withLock { $0.restored.text })")
    }

    private func look(
        at kill: PageKill, _ subject: Subject, _ unit: Int, _ folder: String, _ generator: inout SeededGenerator,
        _ tally: inout Tally
    ) throws {
        let (bytes, hit) = kill.damage(subject.log, &generator)
        let path = "\(folder)/damaged"
        try Data(bytes).write(to: URL(filePath: path))
        lane.ran()
        let found = try subject.log.judge(path, hit: hit, mustBeSeen: false)
        tally.add("\(kill.rawValue) \(found.isSeen ? "seen" : "of free pages")")
        tally.add("events lost", found.lost)
        let words = found.wrong.map { "\(kill.rawValue), pages \(hit.sorted().prefix(8)): \($0)" }
        lane.found(unit, acknowledged: subject.log.ids.count, wrong: words)
        // Kept for finding the cause.
        if !words.isEmpty, lane.settings.unit != nil {
            try? FileManager.default.moveItem(atPath: path, toPath: path + "-kept")
        }
    }

    private func read(
        _ subject: Subject, _ unit: Int, _ folder: String, _ generator: inout SeededGenerator, _ tally: inout Tally
    ) throws {
        let kill = PageKill.allCases[unit % PageKill.allCases.count]
        let (bytes, hit) = kill.damage(subject.log, &generator)
        let copy = try DamagedCopy(of: subject.made, in: folder)
        let isUnclean = generator.chance(0.3)
        try DamagedCopy.overwrite(copy.path("log.mdb"), with: bytes)
        lane.ran()
        let found = try copy.read(isUnclean: isUnclean, subject.truth, events: subject.log.ids.count)
        tally.add("\(isUnclean ? "unclean" : "closed") \(found.word)")
        let way = isUnclean ? "after an unclean end" : "closed before"
        let words = found.wrong.map { "\(kill.rawValue), pages \(hit.sorted().prefix(8)), \(way): \($0)" }
        lane.found(unit, acknowledged: subject.log.ids.count, wrong: words, died: found.died)
        if lane.settings.unit == nil { copy.remove() }
    }

    private func restore(
        _ subject: Subject, _ unit: Int, _ folder: String, _ generator: inout SeededGenerator, _ tally: inout Tally
    ) throws -> Trial? {
        let kill = PageKill.allCases[unit % PageKill.allCases.count]
        let (bytes, _) = kill.damage(subject.log, &generator)
        let trial = try Trial(folder, .recovery)
        let isSeen = try RecoverySubject.prepare(trial, subject.made, bytes, subject.log.told)
        lane.ran()
        try trial.write(seed: generator.next() >> 1, length: 0)
        if trial.isWhole { try trial.check() }
        if trial.isWhole, subject.made.hasPeer { try trial.meet() }
        try lane.control(unit, trial)
        tally.add(isSeen ? "restored" : "whole")
        if isSeen, subject.made.hasPeer { tally.add("met a peer") }
        return trial
    }
}

extension DamagedCopy {
    /// Replaces the bytes of a file, which stays the same file.
    static func overwrite(_ path: String, with bytes: [UInt8]) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        try handle.write(contentsOf: Data(bytes))
        try handle.truncate(atOffset: UInt64(bytes.count))
        try handle.close()
    }
}
