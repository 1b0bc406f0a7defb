import Foundation
import Synchronization

/// One store on one disk, its promises so far, and the faults that it meets.
final class Trial {
    /// The session that writes, and the check that reads.
    enum Subject: Hashable {
        case lean(LeanSession.Sort)
        case store
        /// A store that syncs with others.
        case fleet
        /// A damaged store that is recovered.
        case recovery
        /// A store that records a meter.
        case trace

        var check: String {
            switch self {
            case .lean(.unread): "unread"
            case .lean: "lean"
            case .store: "store"
            case .fleet: "fleet"
            case .recovery: "recovery"
            case .trace: "trace"
            }
        }

        func session(_ folder: String, seed: UInt64, length: Int) -> [String] {
            switch self {
            case .lean(let sort): ["lean", folder, "\(seed)", "\(length)", sort.rawValue]
            case .store: ["store", folder, "\(seed)", "\(length)"]
            case .fleet: ["fleet", folder, "\(seed)", "\(length)"]
            case .recovery: ["recover", folder, "\(seed)"]
            case .trace: ["trace", folder, "\(seed)", "\(length)"]
            }
        }
    }

    let folder: String
    let subject: Subject
    private(set) var promises = Promises()
    /// Descriptions of what went wrong.
    private(set) var troubles: [String] = []
    private(set) var lost = 0
    private(set) var wrong = 0
    private(set) var died = 0
    /// The number of power cuts.
    private(set) var boot = 0
    /// The reports of the shim about its cuts.
    private(set) var cuts: [String] = []

    /// Creates an empty disk in `folder`, or uses what is mounted on its folder `disk`.
    init(_ folder: String, _ subject: Subject) throws {
        self.folder = folder
        self.subject = subject
        try? FileManager.default.removeItem(atPath: folder)
        for name in ["", "disk", "aside", "tmp"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
    }

    var isWhole: Bool { troubles.isEmpty }

    /// Lets the subject write for a while, and reads its promises.
    @discardableResult
    func write(
        seed: UInt64, length: Int, shim: Shim? = nil, incident: Child.Incident? = nil
    ) throws -> Child.Ended {
        let ended = try Child(
            arguments: subject.session(folder, seed: seed, length: length), shim: shim, boot: boot, folder: folder,
            incident: incident
        ).run()
        take(ended, of: "the session")
        return ended
    }

    /// Lets two processes write to the store at once, and reads the promises of both. One of them sometimes rewrites
    /// the log.
    ///
    /// - Parameter mayRefuse: Whether the disk may fail before they are killed.
    func writeTogether(seed: UInt64, length: Int, incident: Child.Incident, mayRefuse: Bool = false) throws {
        // Both must find a store: which of them creates it is not tested here.
        if !promises.isCreated { try write(seed: seed, length: 2) }
        let children = [("first", seed), ("second", seed ^ 1)].map { word, seed in
            Child(
                arguments: [word, folder, "\(seed)", "\(length)"], boot: boot, folder: folder, incident: incident)
        }
        // A separate thread: if several trials run at once, no queue has room for it.
        let (second, done) = (Beside(), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            second.ended.withLock { $0 = Result { try children[1].run() } }
            done.signal()
        }
        let first = Result { try children[0].run() }
        done.wait()
        let before = promises.refused.count
        take(try first.get(), of: "the first session")
        if let ended = second.ended.withLock({ $0 }) { take(try ended.get(), of: "the second session") }
        // After one process has rewritten the log, the other may still have reported the old events.
        promises.consume("d erase archive restore\n")
        let refused = mayRefuse ? [] : promises.refused.dropFirst(before)
        for words in refused where ["write", "open", "close"].contains(Self.first(words)) {
            wrong += 1
            trouble("refused beside another process: \(words)")
        }
        let writers = Set(promises.events.map(\.replica))
        if writers.count > 1 {
            wrong += 1
            trouble("two processes of one store wrote as \(writers.count) replicas")
        }
    }

    /// The result of the process for which another thread waits.
    private final class Beside: Sendable {
        let ended = Mutex<Result<Child.Ended, any Error>?>(nil)
    }

    private static func first(_ words: String) -> String { words.split(separator: " ").first.map(String.init) ?? "" }

    /// Adds promises from elsewhere.
    func promise(_ lines: String) { promises.consume(lines) }

    private func take(_ ended: Child.Ended, of what: String) {
        let before = promises
        promises.consume(ended.text)
        keep(ended, what)
        if ended.died {
            died += 1
            trouble("\(what) \(ended.words)", withErrors: true)
        }
        if promises.lost > before.lost {
            lost += promises.lost - before.lost
            trouble("\(promises.lost - before.lost) events lost")
        }
        for words in promises.wrong.dropFirst(before.wrong.count) {
            wrong += 1
            trouble(words)
        }
        if let report = try? String(contentsOfFile: "\(folder)/report", encoding: .utf8) {
            cuts += report.split(separator: "\n").map(String.init)
            boot += 1
            try? FileManager.default.removeItem(atPath: "\(folder)/report")
        }
        for entry in (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/aside")) ?? [] {
            try? FileManager.default.removeItem(atPath: "\(folder)/aside/\(entry)")
        }
    }

    /// Appends all output to the file `said`, for finding the cause of an error.
    private func keep(_ ended: Child.Ended, _ what: String) {
        let said = (try? String(contentsOfFile: "\(folder)/said", encoding: .utf8)) ?? ""
        let text = "\(said)== \(what), which \(ended.words), in boot \(boot)\n\(ended.text)"
        try? Data(text.utf8).write(to: URL(filePath: "\(folder)/said"))
    }

    /// The operations that last began, returned or failed.
    var lastOperations: String {
        let said = (try? String(contentsOfFile: "\(folder)/said", encoding: .utf8)) ?? ""
        let lines = said.split(separator: "\n").filter { line in
            ["b ", "a ", "x ", "=="].contains { line.hasPrefix($0) }
        }
        return lines.suffix(30).map { $0.prefix(120) }.joined(separator: "; ")
    }

    private func trouble(_ words: String, withErrors: Bool = false) {
        var words = words
        if withErrors, let errors = try? String(contentsOfFile: "\(folder)/errors", encoding: .utf8) {
            words += ": " + errors.split(separator: "\n").prefix(6).joined(separator: " | ").prefix(600)
        }
        troubles.append(words)
    }

    /// Opens what is left and compares it with the promises. With a shim the recovery itself meets a fault, and what
    /// it has promised by then counts too.
    func check(shim: Shim? = nil) throws {
        try promises.write(to: "\(folder)/promises")
        let ended = try Child(arguments: ["check", subject.check, folder], shim: shim, boot: boot, folder: folder).run()
        let before = promises
        take(ended, of: "the check")
        let isFaulty = shim?.failing != nil
        for words in promises.refused.dropFirst(before.refused.count) where words.hasPrefix("check ") && !isFaulty {
            wrong += 1
            trouble(words)
        }
        if shim == nil, ended.signal == 0, !ended.text.hasSuffix("a check\n"), !ended.text.contains("\nx check") {
            wrong += 1
            trouble("the check \(ended.words) and said nothing", withErrors: true)
        }
    }

    /// Reads the store and changes nothing, as on a disk that is still full.
    func look() throws {
        let ended = try Child(arguments: ["look", folder], boot: boot, folder: folder).run()
        take(ended, of: "the look")
        if !ended.text.hasSuffix("a look\n") {
            wrong += 1
            trouble("the look: \(ended.text.isEmpty ? ended.words : ended.text)", withErrors: true)
        }
    }

    /// Syncs the store with its peer, after it was recovered.
    func meet() throws {
        let ended = try Child(arguments: ["meet", folder], boot: boot, folder: folder).run()
        take(ended, of: "the meeting")
        if !ended.text.hasSuffix("a meet\n") {
            wrong += 1
            trouble("the meeting: \(ended.text.isEmpty ? ended.words : ended.text)", withErrors: true)
        }
    }

    /// Counts a shutdown of the machine that the shim did not cause.
    func restart() { boot += 1 }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
