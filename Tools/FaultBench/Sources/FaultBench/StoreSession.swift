import Everything
import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents

/// What a person does with a store in some months, through the interface for applications.
///
/// `store FOLDER SEED OPERATIONS`: creates or opens the store in the folder `disk` of FOLDER. The state folder of the
/// device and its archives lie on the same disk.
struct StoreSession {
    static func path(in folder: String) -> String { "\(folder)/disk/store" }

    static func configuration(in folder: String) -> Configuration {
        Configuration.full(author: "N0FLT", deviceName: "bench", stateFolder: URL(filePath: "\(folder)/disk/state"))
    }

    let folder: String
    var generator: SeededGenerator
    private var witness = Witness()
    private var contacts: [RecordID] = []
    private var number: Int64 = 0
    private var archives: [String] = []
    private var nextArchive = ""
    private var habits = Habits.alone

    /// The operations of a session, and how often they occur.
    enum Habits: String {
        /// All operations of a store that meets no other.
        case alone = "store"
        /// No operation that rewrites the log, so that its pages stay those of one file.
        case appending = "more"
        /// `second` does the same beside `first`, another process, which does everything except clear: its decision
        /// alone.
        case second, first
        /// All operations of a store that meets others.
        case meeting = "fleet"

        /// How often the store is closed and opened between two operations; more often beside another process, as on
        /// a command line.
        var reopening: Double { self == .first || self == .second ? 0.4 : 0.06 }

        /// The upper bound of the operation numbers that are used.
        var most: Int {
            switch self {
            case .alone: 100
            case .appending, .second: 75
            // A store that was cleared is no longer part of the fleet.
            case .meeting, .first: 98
            }
        }
    }

    init(_ folder: String, _ generator: SeededGenerator, _ habits: Habits) {
        self.folder = folder
        self.generator = generator
        self.habits = habits
    }

    /// An open store, and its log opened a second time: both share one open file.
    private struct Opened {
        let store: Store
        let log: EventLog
    }

    mutating func run(operations: Int) async {
        guard var opened = await open() else { return }
        for _ in 0..<operations {
            if generator.chance(habits.reopening) {
                guard await close(opened), let next = await open() else { return }
                opened = next
            }
            await operate(opened)
        }
        _ = await close(opened)
    }

    /// Does the same in one go, with a snapshot at the end; for a store that is to be damaged.
    mutating func runMore(operations: Int) async {
        guard let opened = await open() else { return }
        for _ in 0..<operations { await operate(opened) }
        do { _ = try opened.store.createSnapshot() } catch { Witness.write(line: "x snapshot \(Self.words(error))") }
        if await close(opened) { Witness.write(line: "a more") }
    }

    private mutating func open() async -> Opened? {
        let url = URL(filePath: Self.path(in: folder))
        let isNew = !FileManager.default.fileExists(atPath: url.path)
        let word = isNew ? "create" : "open"
        Witness.write(line: "b \(word)")
        do {
            let store: Store
            if isNew {
                store = try await Store.create(at: url, Self.configuration(in: folder))
            } else {
                switch try await Store.open(at: url, Self.configuration(in: folder)) {
                case .ready(let ready): store = ready
                case .recovering(let recovery):
                    Witness.write(line: "w \(Self.words(of: recovery))")
                    try recovery.temporary.close()
                    return nil
                }
            }
            let log = try EventLog(opening: url.appending(path: "log.mdb").path)
            if isNew { try witness.report(of: log) } else { try witness.pass(over: log) }
            contacts = try store.read { try $0.all(.contacts) }.map(\.id)
            archives = try archiveFiles()
            Witness.write(line: "a \(word)")
            return Opened(store: store, log: log)
        } catch {
            Witness.write(line: "x \(word) \(Self.words(error))")
            return nil
        }
    }

    private func archiveFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder)/disk").filter { $0.hasSuffix(".archive") }
            .sorted()
            .map { "\(folder)/disk/\($0)" }
    }

    private func close(_ opened: Opened) async -> Bool {
        do {
            try opened.store.close()
            Witness.write(line: "f")
            return true
        } catch {
            Witness.write(line: "x close \(Self.words(error))")
            return false
        }
    }

    static func words(_ error: any Error) -> String {
        "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// The error text for a store that is in recovery although nothing damaged it.
    static func words(of recovery: Recovery) -> String {
        let reason = recovery.failure.message.split(whereSeparator: \.isNewline).joined(separator: " ")
        return "the store waits in recovery, and nothing damaged it: \(reason)"
    }

    /// Runs one operation and reports its begin and end. An error is reported too, and the session continues.
    private mutating func operate(_ opened: Opened) async {
        let (word, operation) = next()
        nextArchive = "\(folder)/disk/\(UUID().uuidString).archive"
        Witness.write(line: word == "archive" ? "b archive \(nextArchive)" : "b \(word)")
        do {
            var end = "a \(word)"
            let rewrites = try await operation(&self, opened.store, &end)
            if rewrites {
                try witness.tellAgain(of: opened.log, then: end)
            } else {
                try witness.report(of: opened.log)
                Witness.write(line: end)
            }
        } catch {
            Witness.write(line: "x \(word) \(Self.words(error))")
            // A part of it may have been written; it is not promised.
            try? witness.pass(over: opened.log)
        }
    }

    /// An operation; returns whether it may have changed events that were there before.
    typealias Operation = @Sendable (inout StoreSession, Store, inout String) async throws -> Bool

    private mutating func next() -> (word: String, Operation) {
        if habits == .meeting, generator.chance(0.4) {
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<50: return ("sync", Self.sync)
            case 50..<75: return ("bundle", Self.bundle)
            default: return ("join", Self.join)
            }
        }
        switch Int.random(in: 0..<habits.most, using: &generator) {
        case 0..<42: return ("write", Self.write)
        case 42..<56: return ("edit", Self.edit)
        case 56..<60: return ("delete", Self.delete)
        case 60..<67: return ("import", Self.importLog)
        case 67..<75: return ("undo", Self.undo)
        case 75..<82: return ("snapshot", Self.snapshot)
        case 82..<90: return ("erase", Self.erase)
        case 90..<95: return ("archive", Self.archive)
        case 95..<98: return ("restore", Self.restore)
        default: return ("clear", Self.clear)
        }
    }

    mutating func contact() -> Contact {
        number += 1
        let area = Int.random(in: 0...9, using: &generator)
        var contact = Contact("N\(area)FLT", start: 1_700_000_000 + number * 60, mode: .cw)
        contact.comment = "number \(number)"
        if generator.chance(0.03) { contact.notes = String(repeating: "long words ", count: 500) }
        return contact
    }

    private static let write: Operation = { session, store, _ in
        let batch = (0..<Int.random(in: 1...20, using: &session.generator)).map { _ in session.contact() }
        let written = try await store.write { write in
            var ids: [RecordID] = []
            for contact in batch { ids.append(try write.add(contact)) }
            return ids
        }
        session.contacts += written.value
        return false
    }

    private static let edit: Operation = { session, store, _ in
        guard let id = session.contacts.randomElement(using: &session.generator) else { return false }
        let words = "edited \(session.number)"
        try await store.write { _ = try $0.set(\.comment, of: id, to: words) }
        return false
    }

    private static let delete: Operation = { session, store, _ in
        guard let id = session.contacts.randomElement(using: &session.generator) else { return false }
        try await store.write { _ = try $0.removeContact(id) }
        return false
    }

    private static let importLog: Operation = { session, store, _ in
        func field(_ name: String, _ value: String) -> String { "<\(name):\(value.utf8.count)>\(value)" }
        var text = "Made-up contacts<PROGRAMID:5>bench<EOH>\n"
        for _ in 0..<30 {
            let contact = session.contact()
            let minute = session.number % 1_440
            text += field("CALL", contact.call) + field("QSO_DATE", "20240101") + field("MODE", "CW")
            text += field("TIME_ON", String(format: "%02d%02d00", minute / 60, minute % 60)) + field("BAND", "20m")
            text += field("COMMENT", contact.comment ?? "") + "<EOR>\n"
        }
        let source = OneChunk(text)
        _ = try await store.importLog(named: "made-up.adi", chunks: source.next)
        return false
    }

    private static let undo: Operation = { _, store, _ in
        guard let step = try store.undoableSteps(1).first else { return false }
        _ = try await store.revert(step)
        return false
    }

    private static let snapshot: Operation = { _, store, _ in
        _ = try store.createSnapshot()
        return false
    }

    private static let erase: Operation = { session, store, _ in
        guard let id = session.contacts.randomElement(using: &session.generator) else { return false }
        // An archived record cannot be erased.
        do { _ = try await store.erase([id]) } catch let error as StoreError where error.code == .archived {
            return false
        }
        session.contacts.removeAll { $0 == id }
        return true
    }

    private static let archive: Operation = { session, store, end in
        // Events that a device has not received are not archived.
        if session.habits == .meeting { try await letAllSee(store, in: session.folder) }
        let path = session.nextArchive
        let last = try store.read { $0.position }
        end += " \(path)"
        do { _ = try await store.archive(before: .position(last * 2 / 3), to: path) } catch let error as StoreError
            where error.code == .usage
        {
            end = "a nothing"
            return false
        }
        session.archives.append(path)
        return true
    }

    private static let restore: Operation = { session, store, end in
        guard !session.archives.isEmpty else {
            end = "a nothing"
            return false
        }
        try await store.restoreArchives(session.archives)
        // Only the archives that are still needed are in the folder.
        for path in session.archives { try? FileManager.default.removeItem(atPath: path) }
        session.archives = []
        return true
    }

    private static let clear: Operation = { session, store, end in
        do {
            let clearing = try await store.prepareClearing()
            try await store.clear(clearing, discarding: clearing.unsent)
        } catch let error as StoreError where error.code == .archived {
            end = "a nothing"
            return false
        }
        session.contacts = []
        return true
    }
}

/// A text that is returned in one piece, and then nothing.
private final class OneChunk: @unchecked Sendable {
    // Why @unchecked holds: one import calls it, on one queue.
    private var bytes: [UInt8]?

    init(_ text: String) { bytes = [UInt8](text.utf8) }

    @Sendable func next() -> [UInt8]? {
        defer { bytes = nil }
        return bytes
    }
}
