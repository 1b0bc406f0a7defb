import Foundation
import Synchronization

/// One store on one disk, what it has promised so far, and the faults that it meets.
final class Trial {
    /// Which session writes, and which check reads.
    enum Subject: Hashable {
        case lean(LeanSession.Sort)
        case store
        /// A store that syncs with others.
        case fleet
        /// A store that is damaged, and recovered.
        case recovery
        /// A store in which a meter is recorded.
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
    /// What went wrong, in words.
    private(set) var troubles: [String] = []
    private(set) var lost = 0
    private(set) var wrong = 0
    private(set) var died = 0
    /// How often the power went.
    private(set) var boot = 0
    /// What the shim said of its cuts.
    private(set) var cuts: [String] = []

    /// A new, empty disk in `folder`, or in what is mounted on `disk` in it.
    init(_ folder: String, _ subject: Subject) throws {
        self.folder = folder
        self.subject = subject
        try? FileManager.default.removeItem(atPath: folder)
        for name in ["", "disk", "aside", "tmp"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
    }

    var isWhole: Bool { troubles.isEmpty }

    /// Lets the subject write for a while, and takes its promises.
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

    /// Lets two processes write to the store at once, and takes the promises of both. One of them rewrites the log now and
    /// then.
    ///
    /// - Parameter mayRefuse: Whether the disk may give way before they are killed.
    func writeTogether(seed: UInt64, length: Int, incident: Child.Incident, mayRefuse: Bool = false) throws {
        // Which of them would make the store is not the question.
        if !promises.isCreated { try write(seed: seed, length: 2) }
        let children = [("first", seed), ("second", seed ^ 1)].map { word, seed in
            Child(
                arguments: [word, folder, "\(seed)", "\(length)"], boot: boot, folder: folder, incident: incident)
        }
        // A thread of its own: where several trials run at once, no queue would have room for it.
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
        // What one has rewritten, the other may have told of as it was.
        promises.take("d erase archive restore\n")
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

    /// What came of the process that another thread waits for.
    private final class Beside: Sendable {
        let ended = Mutex<Result<Child.Ended, any Error>?>(nil)
    }

    private static func first(_ words: String) -> String { words.split(separator: " ").first.map(String.init) ?? "" }

    /// Takes promises that somebody else has made.
    func promise(_ lines: String) { promises.take(lines) }

    private func take(_ ended: Child.Ended, of what: String) {
        let before = promises
        promises.take(ended.text)
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

    /// Everything that was said, in the file `said`: for whoever looks for the reason of what was found.
    private func keep(_ ended: Child.Ended, _ what: String) {
        let said = (try? String(contentsOfFile: "\(folder)/said", encoding: .utf8)) ?? ""
        let text = "\(said)== \(what), which \(ended.words), in boot \(boot)\n\(ended.text)"
        try? Data(text.utf8).write(to: URL(filePath: "\(folder)/said"))
    }

    /// What was begun, returned and thrown last.
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

    /// Opens what is left and compares it with the promises; with a shim the recovery itself meets a fault, and what it
    /// then has promised counts too.
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

    /// Reads what is there and changes nothing, as on a disk that is still full.
    func look() throws {
        let ended = try Child(arguments: ["look", folder], boot: boot, folder: folder).run()
        take(ended, of: "the look")
        if !ended.text.hasSuffix("a look\n") {
            wrong += 1
            trouble("the look: \(ended.text.isEmpty ? ended.words : ended.text)", withErrors: true)
        }
    }

    /// Has the store meet its peer, once it was recovered.
    func meet() throws {
        let ended = try Child(arguments: ["meet", folder], boot: boot, folder: folder).run()
        take(ended, of: "the meeting")
        if !ended.text.hasSuffix("a meet\n") {
            wrong += 1
            trouble("the meeting: \(ended.text.isEmpty ? ended.words : ended.text)", withErrors: true)
        }
    }

    /// The machine was shut down by something else than the shim.
    func restart() { boot += 1 }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
