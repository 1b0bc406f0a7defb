import Foundation
import GroundwaveEventLog
import GroundwaveEvents

/// The promises of a process of the bench: lines on standard output, each written whole, as soon as it is true.
///
/// | line | what |
/// |---|---|
/// | `e POSITION REPLICA SEQUENCE LEAF HELD` | the event is on the disk; `LEAF` is the start of its hash |
/// |  | `HELD` is 1 if its values are withheld |
/// | `z`, lines, `Z` | the promises from now on, which replace all earlier ones |
/// | `b WORD …` | an operation begins |
/// | `a WORD …` | that operation has returned |
/// | `x WORD …` | that operation has thrown |
/// | `d WORD…` | operations that threw before |
/// | `p PATH…` | archives that were begun before and have not returned |
/// | `w WORDS` | an error that must never occur |
/// | `t TRACE COUNT` | `COUNT` rows of a trace are on the disk |
/// | `l COUNT` | `COUNT` promised events, or rows, are missing |
struct Witness {
    private var hasher = MerkleHasher()
    private(set) var last: Position = 0

    /// Reports the events after the last one that was reported.
    mutating func report(of log: EventLog) throws {
        var text = ""
        try log.scan(from: last + 1) { position, frame, bytes in
            text += line(position, frame, bytes)
            last = position
            return true
        }
        Self.write(text)
    }

    /// Reports the whole log, which replaces all earlier reports, and then `end`.
    mutating func tellAgain(of log: EventLog, then end: String) throws {
        var text = "z\n"
        last = 0
        try log.scan(from: 1) { position, frame, bytes in
            text += line(position, frame, bytes)
            last = position
            return true
        }
        Self.write(text + "Z\n" + (end.isEmpty ? "" : end + "\n"))
    }

    /// Skips the events that are there already.
    mutating func pass(over log: EventLog) throws { last = try log.lastPosition() }

    mutating func line(_ position: Position, _ frame: Frame, _ bytes: RawSpan) -> String {
        let leaf = String(hasher.leaf(of: frame, in: bytes).prefix, radix: 16)
        return "e \(position) \(frame.id.replica) \(frame.id.sequence) \(leaf) \(frame.isWithheld ? 1 : 0)\n"
    }

    /// Writes text at once, so that it is out before a kill.
    static func write(_ text: String) {
        guard !text.isEmpty else { return }
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }

    static func write(line: String) { write(line + "\n") }
}

/// The promises of several processes, one after the other, as read from their lines.
struct Promises {
    struct Event: Hashable {
        var position: UInt64
        var replica: String
        var sequence: UInt64
        var leaf: String
        var isWithheld: Bool

        init?(_ words: [Substring]) {
            guard words.count == 6, let position = UInt64(words[1]), let sequence = UInt64(words[3]) else { return nil }
            self.position = position
            replica = String(words[2])
            self.sequence = sequence
            leaf = String(words[4])
            isWithheld = words[5] == "1"
        }

        var line: String {
            "e \(position) \(replica) \(sequence) \(leaf) \(isWithheld ? 1 : 0)\n"
        }
    }

    var events: [Event] = []
    private var told: Set<Event> = []
    /// The operation that has begun and has neither returned nor thrown.
    private(set) var begun: [String] = []
    /// The number of promised rows of each trace.
    var traces: [String: Int] = [:]
    /// The traces whose recording was ended.
    private(set) var finished: Set<String> = []
    /// Operations that threw: whether they took effect, or a later one completes them, is open until a check is done.
    private(set) var doubtful: Set<String> = []
    /// Whether the store was created.
    private(set) var isCreated = false
    /// The archives that were made and not restored.
    private(set) var archives: [String] = []
    /// The archives that were begun and not completed.
    private(set) var pendingArchives: [String] = []
    /// The errors that were thrown, by operation.
    private(set) var refused: [String] = []
    private(set) var wrong: [String] = []
    private(set) var lost = 0
    /// The number of events and rows that were acknowledged in all.
    private(set) var acknowledged = 0

    init() {}

    /// Reads the file `path`, which ``write(to:)`` has written.
    init(readingFrom path: String) throws { consume(try String(contentsOfFile: path, encoding: .utf8)) }

    /// Reads the lines of one process; an incomplete last line does not count.
    mutating func consume(_ text: String) {
        var again: [Event]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ")
            switch words.first {
            case "e":
                guard let event = Event(words) else { continue }
                if again != nil { again?.append(event) } else { add(event) }
            case "z": again = []
            case "Z":
                events = again ?? events
                told = Set(events)
                again = nil
            case "d": doubtful.formUnion(words.dropFirst().map(String.init))
            case "b":
                begun = words.dropFirst().map(String.init)
                if begun.count == 2, begun[0] == "archive", !pendingArchives.contains(begun[1]) {
                    pendingArchives.append(begun[1])
                }
            case "p": pendingArchives += words.dropFirst().map(String.init)
            case "a": returned(words.dropFirst().map(String.init))
            case "x":
                refused.append(words.dropFirst().joined(separator: " "))
                if let word = words.dropFirst().first { doubtful.insert(String(word)) }
            case "w": wrong.append(words.dropFirst().joined(separator: " "))
            case "t":
                guard words.count == 3, let count = Int(words[2]) else { continue }
                acknowledged += max(0, count - traces[String(words[1]), default: 0])
                traces[String(words[1])] = count
            case "l": lost += words.count > 1 ? Int(words[1]) ?? 0 : 0
            default: continue
            }
        }
    }

    /// Counts an event that two processes report as acknowledged once.
    private mutating func add(_ event: Event) {
        guard told.insert(event).inserted else { return }
        events.append(event)
        acknowledged += 1
    }

    private mutating func returned(_ words: [String]) {
        // A check that was cut has not settled what was begun before it.
        if let word = words.first, [begun.first, "check", "nothing"].contains(word) { begun = [] }
        switch words.first {
        case "create": isCreated = true
        case "finish": if words.count == 2 { finished.insert(words[1]) }
        case "archive":
            if !archives.contains(words[1]) { archives.append(words[1]) }
            pendingArchives.removeAll { $0 == words[1] }
        case "check": (pendingArchives, doubtful) = ([], [])
        case "restore": (archives, pendingArchives) = ([], [])
        default: break
        }
    }

    /// The operations that may have taken effect without having returned.
    var unsure: Set<String> { doubtful.union(begun.prefix(1)) }

    /// Writes what a check needs.
    func write(to path: String) throws {
        var text = isCreated ? "a create\n" : ""
        for archive in archives { text += "a archive \(archive)\n" }
        if !pendingArchives.isEmpty { text += "p \(pendingArchives.joined(separator: " "))\n" }
        for event in events { text += event.line }
        for (trace, count) in traces.sorted(by: { $0.key < $1.key }) { text += "t \(trace) \(count)\n" }
        for trace in finished.sorted() { text += "a finish \(trace)\n" }
        if !doubtful.isEmpty { text += "d \(doubtful.sorted().joined(separator: " "))\n" }
        if !begun.isEmpty { text += "b \(begun.joined(separator: " "))\n" }
        try Data(text.utf8).write(to: URL(filePath: path))
    }
}
