import EventLog
import Foundation
import Groundwave

/// A copy of a made store, with damage, which other processes open and read.
struct DamagedCopy {
    /// The result of reading it.
    struct Outcome {
        var wrong: [String] = []
        /// How the first process found it: `truth`, `errors`, `recovering`, `refused`, or `died`.
        var word = ""
        /// The number of processes that hung, or that ended by a signal after the first one.
        var died = 0
    }

    private let folder: String

    init(of made: MadeStore, in folder: String) throws {
        self.folder = folder
        try? FileManager.default.removeItem(atPath: folder)
        for name in ["disk", "tmp"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        try made.copyDisk(to: folder)
    }

    func path(_ file: String) -> String { "\(folder)/disk/store/\(file)" }

    /// The answers of an intact store.
    static func truth(of made: MadeStore, in folder: String) throws -> Answers {
        let copy = try DamagedCopy(of: made, in: folder)
        defer { copy.remove() }
        try MadeStore.leave(folder, isUnclean: true)
        let answers = Answers(try MadeStore.run(["read", folder], folder))
        guard answers.word == "truth" else { throw Failure("a whole store says \(answers.opening)") }
        return answers
    }

    /// Has another process read everything. A second process reads if the first ended by a signal, which damage may
    /// cause once, or met an error: the second one detects the damage, and recovers or rebuilds.
    func read(isUnclean: Bool, _ truth: Answers, events: Int) throws -> Outcome {
        try MadeStore.leave(folder, isUnclean: isUnclean)
        var outcome = Outcome()
        for round in 0..<2 {
            let ended = try Child(arguments: ["read", folder], folder: folder).run()
            let answers = Answers(ended.text)
            outcome.wrong += answers.wrong(truth, events: events)
            let died = ended.signal != 0
            if round == 0 { outcome.word = died ? "died" : answers.word }
            if !died {
                if !answers.isWhole { outcome.wrong.append("the reader \(ended.words) and did not come to its end") }
                if answers.word != "errors" { break }
                if round > 0 { outcome.wrong.append("damage that one process met is an error to the next one too") }
            } else if round > 0 || ended.isHung {
                outcome.died += 1
            }
        }
        return outcome
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}

/// Counts of words, for a line of text.
struct Tally: Sendable {
    fileprivate(set) var counts: [String: Int] = [:]

    mutating func add(_ word: String, _ count: Int = 1) { counts[word, default: 0] += count }

    var text: String { counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ") }
}
