import Foundation
import GroundwaveTesting
import Testing

/// A log of contacts with long notes that no compression makes small: its snapshot has two parts.
private final class LongLog: Sendable {
    static let count = 4200
    static let partCount = 2
    static let shared = Result { try LongLog() }
    let folder: TemporaryFolder
    var store: URL { folder.url.appending(path: "store") }
    var place: URL { folder.url.appending(path: "place") }
    let export: Data
    /// How long an undisturbed sync, and an undisturbed join, takes.
    let syncSeconds: Double
    let joinSeconds: Double

    private init() throws {
        folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: 3)
        var text = "Made-up contacts<PROGRAMID:7>Made up<EOH>\n"
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-")
        for number in 0..<Self.count {
            let notes = String((0..<1500).map { _ in letters[Int(truncatingIfNeeded: generator.next() % 64)] })
            let time = String(format: "%02d%02d%02d", number / 3600, number / 60 % 60, number % 60)
            text += "<CALL:6>N0CALL<QSO_DATE:8>20260501<TIME_ON:6>\(time)<BAND:3>20m<MODE:2>CW"
            text += "<NOTES:1500>\(notes)<EOR>\n"
        }
        let file = folder.url.appending(path: "log.adi")
        try Data(text.utf8).write(to: file)
        let (store, place) = (folder.url.appending(path: "store"), folder.url.appending(path: "place"))
        for arguments in [
            ["init"], ["import", file.path], ["settings", "set", "syncEngine", "journal"],
            ["remote", "add", "place", place.path],
        ] {
            let outcome = try Child(Program.path("groundwave"), arguments + ["--store", store.path]).wait()
            try #require(outcome.ended(0), "\(outcome.errors)")
        }
        export = try Self.exported(store)
        let fresh = folder.url.appending(path: "fresh")
        try FileManager.default.copyItem(at: store, to: fresh)
        func measured(_ arguments: String...) throws -> Double {
            let start = ContinuousClock.now
            let outcome = try Child(Program.path("groundwave"), arguments).wait()
            try #require(outcome.ended(0), "\(outcome.errors)")
            return (ContinuousClock.now - start) / .seconds(1)
        }
        syncSeconds = try measured("sync", "--store", store.path)
        joinSeconds = try measured("join", place.path, "--store", folder.path("first"))
        try #require(try Self.parts(at: place).count == Self.partCount)
    }

    /// What an export has behind its header, which names the time.
    static func exported(_ store: URL, state: URL? = nil) throws -> Data {
        let outcome = try Child(Program.path("groundwave"), ["export", "--store", store.path], state: state).wait()
        try #require(outcome.ended(0), "\(outcome.errors)")
        let end = try #require(outcome.data.range(of: Data("<EOH>".utf8)))
        return outcome.data[end.upperBound...]
    }

    /// A copy of the store from before its first sync.
    func fresh(to url: URL) throws {
        try FileManager.default.copyItem(at: folder.url.appending(path: "fresh"), to: url)
    }

    /// The parts of all snapshots at a place, by when each file was made.
    static func parts(at place: URL) throws -> [String: Int] {
        let folder = place.appending(path: "snapshots/parts")
        let names = (FileManager.default.subpaths(atPath: folder.path) ?? []).filter { $0.hasSuffix(".part") }
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
                return (name, (attributes[.systemFileNumber] as? NSNumber)?.intValue ?? 0)
            })
    }

    static func heads(at place: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: place.appending(path: "snapshots/heads").path)) ?? [])
            .filter { $0.hasSuffix(".head") }
    }
}

@Suite(.serialized) struct `A snapshot for new devices, killed` {
    @Test(arguments: trials)
    func `while it is left is no snapshot or a whole one, and goes on behind the parts that are there`(moment: UInt64)
        throws
    {
        let log = try LongLog.shared.get()
        let folder = try TemporaryFolder()
        let (store, place) = (folder.url.appending(path: "store"), folder.url.appending(path: "place"))
        let state = folder.url.appending(path: "state")
        try log.fresh(to: store)
        func run(_ arguments: String...) throws -> Program.Outcome {
            try Child(Program.path("groundwave"), arguments + ["--store", store.path], state: state).wait()
        }
        for verb in [["remote", "remove", "place"], ["remote", "add", "place", place.path]] {
            let outcome = try Child(Program.path("groundwave"), verb + ["--store", store.path], state: state).wait()
            try #require(outcome.ended(0), "\(outcome.errors)")
        }
        var generator = SeededGenerator(seed: moment)
        let syncing = try Child(Program.path("groundwave"), ["sync", "--store", store.path], state: state)
        usleep(UInt32(.random(in: 0..<log.syncSeconds, using: &generator) * 1_000_000))
        syncing.killNow()
        _ = syncing.wait()
        let before = try LongLog.parts(at: place)
        // What has a head is whole, at any moment.
        if !LongLog.heads(at: place).isEmpty { #expect(before.count == LongLog.partCount) }
        let resumed = try run("sync")
        #expect(resumed.ended(0), "\(resumed.errors)")
        let after = try LongLog.parts(at: place)
        #expect(LongLog.heads(at: place).count == 1)
        for (name, file) in before { #expect(after[name] == file, "\(name) was not sent again") }
        #expect(after.count == LongLog.partCount, "\(before) \(after)")
        let joined = try Child(
            Program.path("groundwave"), ["join", place.path, "--store", folder.path("joined"), "--json"], state: state
        ).wait()
        #expect(joined.ended(0) && joined.errors.contains("Readable from now on"), "\(joined.errors)")
        #expect(try LongLog.exported(folder.url.appending(path: "joined"), state: state) == log.export)
    }

    @Test(arguments: trials)
    func `while it is fetched shows nothing or all of it, and goes on behind the parts that are there`(moment: UInt64)
        throws
    {
        let log = try LongLog.shared.get()
        let folder = try TemporaryFolder()
        let (store, state) = (folder.url.appending(path: "store"), folder.url.appending(path: "state"))
        func run(_ arguments: String...) throws -> Program.Outcome {
            try Child(Program.path("groundwave"), arguments + ["--store", store.path], state: state).wait()
        }
        let partial = store.appending(path: "join.snapshot.partial")
        var generator = SeededGenerator(seed: moment &+ 1000)
        for _ in 0..<2 {
            let joining = try Child(
                Program.path("groundwave"), ["join", log.place.path, "--store", store.path], state: state)
            usleep(UInt32(.random(in: 0..<log.joinSeconds, using: &generator) * 1_000_000))
            joining.killNow()
            _ = joining.wait()
            let isJoining = FileManager.default.fileExists(atPath: store.appending(path: "joining").path)
            let counted = try run("qso", "count", "--json")
            if counted.ended(0) {
                // All of the contacts, or it is not said to be any number.
                #expect(counted.output.contains("\"total\":\(LongLog.count)"), "\(counted.output)")
                #expect(counted.output.contains("\"joining\"") == isJoining, "\(counted.output)")
                #expect(counted.errors.contains("still being fetched") == isJoining, "\(counted.errors)")
            } else {
                #expect(counted.ended(78) || counted.ended(66), "\(counted.errors)")
            }
            if isJoining {
                #expect(try run("sync", "status").ended(78), "nothing is said to be complete")
                #expect(try run("qso", "add", "W1AW").ended(78))
            }
        }
        // Whole parts of 4 MiB stay as they are, and are not fetched again: they keep their bytes on the disk.
        let kept = (try? Data(contentsOf: partial)).map { $0.prefix($0.count / (4 << 20) * (4 << 20)) } ?? Data()
        if !kept.isEmpty {
            let whole = try Self.snapshot(at: log.place)
            #expect(whole.starts(with: kept))
        }
        let resumed = try run("sync")
        #expect(resumed.ended(0) || resumed.ended(66), "\(resumed.errors)")
        if resumed.ended(66) { #expect(try run("join", log.place.path).ended(0)) }
        #expect(try LongLog.exported(store, state: state) == log.export)
        let names = try FileManager.default.contentsOfDirectory(atPath: store.path)
        #expect(!names.contains { $0.hasPrefix("join") }, "\(names)")
        _ = try Inspection.log(of: store)
    }

    /// The bytes of the only snapshot at a place.
    private static func snapshot(at place: URL) throws -> Data {
        let folder = place.appending(path: "snapshots/parts")
        return try LongLog.parts(at: place).keys.sorted().reduce(into: Data()) { data, name in
            data += try Data(contentsOf: folder.appending(path: name))
        }
    }
}
