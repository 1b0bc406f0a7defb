import Foundation
import GroundwaveEventLog
import GroundwaveProjections
import Synchronization

/// Flips single bits in files of a store.
///
/// Most flips are checked by this process, with code that reads without liblmdb. Some are made in copies of the
/// store, which other processes open and read: with the mark of an unclean end, so that every page is checked, and
/// without.
struct Flips {
    let lane: Lane
    let flips: Int
    /// The number of additional flips that other processes read.
    let sample: Int

    private static let chunk = 50

    /// A bit, and whether it is in use.
    private struct Flip {
        var file: String
        var offset: Int
        var bit: UInt8
        var isLive: Bool

        var words: String { "\(file), byte \(offset), bit \(bit)\(isLive ? "" : ", not in use")" }
    }

    /// A store, and what is known of it.
    private struct Subject: Sendable {
        let made: MadeStore
        let log: IntactLog
        let truth: Answers
        /// The other files in which bits are flipped, and which of their bytes are in use.
        let files: [String: (bytes: [UInt8], live: [Int])]
        /// Which bytes of the log are in use.
        let live: [Int]

        init(_ made: MadeStore, _ lane: Lane) throws {
            self.made = made
            log = try IntactLog(made)
            truth = try DamagedCopy.truth(of: made, in: "\(made.folder)/truth")
            live = log.pages.offsets([.live])
            let views = try LivePages(path: "\(made.store)/views.mdb")
            var files = ["views.mdb": (views.bytes, views.offsets([.live]))]
            for name in made.snapshots {
                let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(made.store)/\(name)")))
                files[name] = (bytes, Array(bytes.indices))
            }
            guard files.count > 1 else { throw Failure("a store without a snapshot") }
            self.files = files
            if Views.damage(at: "\(made.store)/views.mdb") != nil { throw Failure("the views were damaged before") }
        }

        /// Returns a bit of the log in 3 of 5 cases; at least three in four are in use.
        func flip(_ generator: inout SeededGenerator) -> Flip {
            let others = files.keys.sorted()
            let isOfLog = generator.chance(0.6)
            let name = isOfLog ? "log.mdb" : generator.chance(0.6) ? "views.mdb" : others[0]
            let bytes = isOfLog ? log.bytes : files[name]!.bytes
            let live = isOfLog ? self.live : files[name]!.live
            var offset = Int.random(in: bytes.indices, using: &generator)
            if generator.chance(0.75) { offset = live[Int.random(in: live.indices, using: &generator)] }
            let isLive = isOfLog ? log.pages.uses[offset] == .live : Flips.has(live, offset)
            return Flip(
                file: name, offset: offset, bit: 1 << UInt8.random(in: 0..<8, using: &generator), isLive: isLive)
        }
    }

    private static func has(_ sorted: [Int], _ wanted: Int) -> Bool {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < wanted { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && sorted[low] == wanted
    }

    func run() throws {
        let subjects = try MadeStore.several(4, lane).map { try Subject($0, lane) }
        for subject in subjects { try lane.control(subject.made, subject.log, subject.truth) }
        let chunks = (flips + Self.chunk - 1) / Self.chunk
        let tally = Mutex((seen: Tally(), read: Tally()))
        lane.work(units: chunks + sample) { unit, folder in
            var generator = lane.generator(unit)
            let subject = subjects[unit % subjects.count]
            var here = (seen: Tally(), read: Tally())
            if unit < chunks {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                for _ in 0..<min(Self.chunk, flips - unit * Self.chunk) {
                    try look(at: subject.flip(&generator), of: subject, unit, folder, &here.seen, &here.read)
                }
            } else {
                try read(subject.flip(&generator), of: subject, unit, folder, &here.read)
            }
            if lane.settings.unit == nil { try? FileManager.default.removeItem(atPath: folder) }
            tally.withLock {
                $0.seen.add(here.seen)
                $0.read.add(here.read)
            }
            return nil
        }
        lane.note("without liblmdb: \(tally.withLock { $0.seen.text })")
        lane.note("read by other processes: \(tally.withLock { $0.read.text })")
    }

    /// Checks the damaged file without liblmdb.
    private func look(
        at flip: Flip, of subject: Subject, _ unit: Int, _ folder: String, _ seen: inout Tally, _ read: inout Tally
    ) throws {
        let path = "\(folder)/damaged"
        var bytes = flip.file == "log.mdb" ? subject.log.bytes : subject.files[flip.file]!.bytes
        bytes[flip.offset] ^= flip.bit
        try Data(bytes).write(to: URL(filePath: path))
        lane.ran()
        let isSeen: Bool
        switch flip.file {
        case "log.mdb":
            let hit: Set = [flip.offset / subject.log.pages.pageSize]
            let found = try subject.log.judge(path, hit: hit, mustBeSeen: flip.isLive)
            isSeen = found.isSeen
            seen.add("events lost", found.lost)
            lane.found(unit, acknowledged: subject.log.ids.count, wrong: found.wrong.map { "\(flip.words): \($0)" })
        case "views.mdb": isSeen = Views.damage(at: path) != nil
        default: isSeen = (try? Snapshot.verify(at: path)) == nil
        }
        let sort = flip.file.hasPrefix("snapshots/") ? "snapshot" : flip.file
        seen.add("\(sort) \(flip.isLive ? "in use" : "not in use") \(isSeen ? "seen" : "unseen")")
        seen.add("in use", flip.isLive ? 1 : 0)
        if flip.isLive, !isSeen {
            // Then the answers must still be right.
            if sort == "snapshot" { lane.found(unit, wrong: ["\(flip.words): the snapshot is whole, it says"]) }
            if sort == "views.mdb" { try self.read(flip, of: subject, unit, folder + "-read", &read) }
        }
    }

    /// Has other processes read a store with the damaged file: after an unclean end, and after a clean one.
    private func read(
        _ flip: Flip, of subject: Subject, _ unit: Int, _ folder: String, _ tally: inout Tally
    ) throws {
        for isUnclean in [true, false] {
            let copy = try DamagedCopy(of: subject.made, in: folder)
            let handle = try FileHandle(forUpdating: URL(filePath: copy.path(flip.file)))
            try handle.seek(toOffset: UInt64(flip.offset))
            let old = try handle.read(upToCount: 1)?.first ?? 0
            try handle.seek(toOffset: UInt64(flip.offset))
            try handle.write(contentsOf: Data([old ^ flip.bit]))
            try handle.close()
            lane.ran()
            let found = try copy.read(isUnclean: isUnclean, subject.truth, events: subject.log.ids.count)
            tally.add("\(isUnclean ? "unclean" : "closed") \(found.word)")
            let way = isUnclean ? "after an unclean end" : "closed before"
            lane.found(
                unit, acknowledged: subject.log.ids.count, wrong: found.wrong.map { "\(flip.words), \(way): \($0)" },
                died: found.died)
            if lane.settings.unit == nil { copy.remove() }
        }
    }
}

extension Tally {
    mutating func add(_ other: Tally) { for (word, count) in other.counts { add(word, count) } }
}
