import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogRepair
import GroundwaveProjections

/// A store that the scripted session made, for damaging: it is not changed, and each run gets a copy.
struct MadeStore: Sendable {
    /// The folder with `disk`, which has the store, and `earlier.mdb`, the log as it was some commits before.
    let folder: String
    /// Whether a peer, whose remote is a folder, has everything that this store has.
    let hasPeer: Bool

    /// Makes a store. Every second one has a peer, and none of its events are archived.
    init(_ folder: String, number: UInt64) throws {
        self.folder = folder
        hasPeer = !number.isMultiple(of: 2)
        let trial = try Trial(folder, .store)
        let log = "\(folder)/disk/store/log.mdb"
        if hasPeer {
            try Self.run(["more", folder, "\(number)", "40"], folder)
        } else {
            try trial.write(seed: number + 1, length: 30)
        }
        guard trial.isWhole else { throw Failure("no store to damage: \(trial.troubles)") }
        if !FileManager.default.fileExists(atPath: log) { throw Failure("the session left no log") }
        try FileManager.default.copyItem(atPath: log, toPath: "\(folder)/earlier.mdb")
        try Self.run(["more", folder, "\(number + 100)", "12"], folder)
        if hasPeer { try Self.run(["peer", folder], folder) }
        try? FileManager.default.removeItem(atPath: "\(folder)/tmp")
    }

    /// Makes some stores; the same seed gives the same writes.
    static func several(_ count: Int, _ lane: Lane) throws -> [MadeStore] {
        try (0..<count).map { number in
            try MadeStore(
                "\(lane.settings.folder)/\(lane.name)-made-\(number)",
                number: lane.settings.seed * 1_000 + UInt64(number))
        }
    }

    @discardableResult
    static func run(_ arguments: [String], _ folder: String) throws -> String {
        let ended = try Child(arguments: arguments, folder: folder).run()
        guard ended.signal == 0, ended.text.hasSuffix("a \(arguments[0])\n") else {
            let errors = (try? String(contentsOfFile: "\(folder)/errors", encoding: .utf8)) ?? ""
            throw Failure("\(arguments[0]) \(ended.words): \(ended.text.suffix(300)) \(errors.prefix(300))")
        }
        return ended.text
    }

    var store: String { "\(folder)/disk/store" }

    /// The snapshots, by name.
    var snapshots: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(store)/snapshots")) ?? []
        return names.filter { $0.hasSuffix(".snapshot") }.sorted().map { "snapshots/\($0)" }
    }

    /// Copies the disk to `folder`.
    func copyDisk(to folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: "\(self.folder)/disk") {
            try FileManager.default.copyItem(atPath: "\(self.folder)/disk/\(name)", toPath: "\(folder)/disk/\(name)")
        }
    }

    /// Records the present state of a copy's files as the one that we left, because decay of a disk does not show in
    /// it. Then marks the store as one whose process was killed, so that the next process checks every page, or
    /// leaves it as closed, so that it does not.
    static func leave(_ folder: String, isUnclean: Bool) throws {
        let store = "\(folder)/disk/store"
        for path in ["\(store)/log.mdb", "\(store)/views.mdb"] {
            guard let state = FileState(of: path) else { continue }
            guard WriterLock.note(state, of: path) else { throw Failure("\(path) could not be noted") }
        }
        guard isUnclean else { return }
        var status = stat()
        guard stat(store, &status) == 0 else { throw Failure("\(store) is not there") }
        let marks = "\(folder)/disk/state/open/\(status.st_dev)-\(status.st_ino)"
        try FileManager.default.createDirectory(atPath: marks, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: "\(marks)/1-1"))
    }
}

/// The contents of an intact log, and where they are.
struct IntactLog: Sendable {
    let bytes: [UInt8]
    /// The file as it was some commits before.
    let earlier: [UInt8]
    let pages: LivePages
    /// The events in the order of the log, each with its bytes.
    private(set) var ids: [EventID] = []
    private(set) var frames: [EventID: [UInt8]] = [:]
    /// All events, as a witness reports them.
    private(set) var told = ""
    /// The root of each replica's tree.
    let replicas: [LogReport.Replica]

    init(_ made: MadeStore) throws {
        let path = "\(made.store)/log.mdb"
        pages = try LivePages(path: path)
        bytes = pages.bytes
        earlier = [UInt8](try Data(contentsOf: URL(filePath: "\(made.folder)/earlier.mdb")))
        let report = try LogVerifier.verify(path: path)
        guard report.ok else { throw Failure("the log was damaged before: \(report.damage)") }
        replicas = report.replicas
        // A copy, so that the file itself is not touched.
        let copy = "\(made.folder)/copy.mdb"
        try Data(bytes).write(to: URL(filePath: copy))
        let log = try EventLog(opening: copy)
        var witness = Witness()
        try log.scan(from: 1) { position, frame, bytes in
            told += witness.line(position, frame, bytes)
            ids.append(frame.id)
            frames[frame.id] = bytes.extracting(0..<frame.length).toArray()
            return true
        }
        try log.close()
        for path in [copy, copy + "-lock"] { try? FileManager.default.removeItem(atPath: path) }
    }

    var pageCount: Int { bytes.count / pages.pageSize }

    /// The same log, with an event that was never written.
    var withOneMore: IntactLog {
        var more = self
        if let last = ids.last { more.ids.append(EventID(last.replica, last.sequence + 1_000_000)) }
        return more
    }

    /// The errors of the verifier and the salvage with the damaged copy at `path`; empty if both are right.
    ///
    /// - Parameters:
    ///   - hit: The pages that were changed.
    ///   - mustBeSeen: Whether something in use was hit.
    func judge(_ path: String, hit: Set<Int>, mustBeSeen: Bool) throws -> (wrong: [String], isSeen: Bool, lost: Int) {
        var wrong: [String] = []
        let report = try LogVerifier.verify(path: path)
        let isSeen = !report.ok
        if !isSeen {
            if mustBeSeen { wrong.append("the verifier does not see it") }
            if report.replicas != replicas { wrong.append("the verifier finds other events and no damage") }
        }
        let salvage = try Salvage(path: path)
        var found = Set<EventID>()
        try salvage.forEachEvent { frame, bytes in
            if frame.isLost { return }
            if frames[frame.id] != Array(bytes[..<frame.length]) { wrong.append("event \(frame.id) was altered") }
            if !found.insert(frame.id).inserted { wrong.append("event \(frame.id) came twice") }
        }
        let lost = EventSet(salvage.missing)
        let named = lost.count + salvage.unnamedCount
        let total = UInt64(found.count) + named
        if salvage.isEndKnown ? total != UInt64(ids.count) : total > UInt64(ids.count) {
            wrong.append("recovered \(found.count) + lost \(named) is not \(ids.count)")
        }
        for id in found where lost.contains(id) { wrong.append("event \(id) is there and lost") }
        if salvage.isEndKnown, salvage.unnamedCount == 0 {
            for id in ids where !found.contains(id) && !lost.contains(id) { wrong.append("event \(id) is not named") }
        }
        let size = pages.pageSize
        for (position, place) in pages.frames {
            let used = Set(place.bytes.lowerBound / size...(place.bytes.upperBound - 1) / size).union([place.leaf])
            let id = ids[Int(position) - 1]
            if used.isDisjoint(with: hit), !found.contains(id) { wrong.append("event \(id) was not hit and is gone") }
        }
        return (wrong, isSeen, ids.count - found.count)
    }
}
