import Foundation
import GroundwaveEventLog
import GroundwaveEvents

/// What a process of the bench promises: lines on standard output, each written whole, at the moment it is true.
///
/// | line | what |
/// |---|---|
/// | `e POSITION REPLICA SEQUENCE LEAF HELD` | the event is on the disk; `LEAF` is the start of its hash, `HELD` 1 where its values are withheld |
/// | `z`, lines, `Z` | what is promised from now on, in the place of everything before |
/// | `b WORD …` | an operation begins |
/// | `a WORD …` | that operation has returned |
/// | `x WORD …` | that operation has thrown |
/// | `d WORD…` | operations of which that was said before |
/// | `p PATH…` | archives of which that was said before |
/// | `w WORDS` | what must never be so |
/// | `t TRACE COUNT` | so many rows of a trace are on the disk |
/// | `l COUNT` | so many promised events, or rows, are not there |
struct Witness {
    private var hasher = MerkleHasher()
    private(set) var last: Position = 0

    /// Says that the events behind the last one it told of are there.
    mutating func tell(of log: EventLog) throws {
        var text = ""
        try log.scan(from: last + 1) { position, frame, bytes in
            text += line(position, frame, bytes)
            last = position
            return true
        }
        Self.say(text)
    }

    /// Says what the whole log holds, in the place of all that was said before, and then `end`.
    mutating func tellAgain(of log: EventLog, then end: String) throws {
        var text = "z\n"
        last = 0
        try log.scan(from: 1) { position, frame, bytes in
            text += line(position, frame, bytes)
            last = position
            return true
        }
        Self.say(text + "Z\n" + (end.isEmpty ? "" : end + "\n"))
    }

    /// What is there already is no news.
    mutating func pass(over log: EventLog) throws { last = try log.lastPosition() }

    mutating func line(_ position: Position, _ frame: Frame, _ bytes: RawSpan) -> String {
        let leaf = String(hasher.leaf(of: frame, in: bytes).prefix, radix: 16)
        return "e \(position) \(frame.id.replica) \(frame.id.sequence) \(leaf) \(frame.isWithheld ? 1 : 0)\n"
    }

    /// Writes text at once: what was said before a kill was said.
    static func say(_ text: String) {
        guard !text.isEmpty else { return }
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }

    static func say(line: String) { say(line + "\n") }
}

/// What was promised, as the lines of several processes say it, one after the other.
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
    /// The operation that has begun and neither returned nor thrown.
    private(set) var begun: [String] = []
    /// How many rows of each trace were promised.
    var traces: [String: Int] = [:]
    /// The traces whose recording was ended.
    private(set) var finished: Set<String> = []
    /// Operations that threw: what they did, and whether a later one finishes it, is open until a check is done.
    private(set) var doubtful: Set<String> = []
    /// Whether the store was made.
    private(set) var isCreated = false
    /// Archives that were made and not taken back.
    private(set) var archives: [String] = []
    /// Archives that were begun and did not return.
    private(set) var pendingArchives: [String] = []
    /// What threw, by operation.
    private(set) var refused: [String] = []
    private(set) var wrong: [String] = []
    private(set) var lost = 0
    /// How many events were acknowledged in all.
    private(set) var acknowledged = 0

    init() {}

    /// What is in the file `path`, as ``write(to:)`` left it.
    init(readingFrom path: String) throws { take(try String(contentsOfFile: path, encoding: .utf8)) }

    /// Takes the lines of one process; a last one without an end was never said.
    mutating func take(_ text: String) {
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

    /// An event that two processes tell of was acknowledged once.
    private mutating func add(_ event: Event) {
        guard told.insert(event).inserted else { return }
        events.append(event)
        acknowledged += 1
    }

    private mutating func returned(_ words: [String]) {
        // A check that is cut has not settled what was begun before it.
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

    /// What may have been done without having returned.
    var unsure: Set<String> { doubtful.union(begun.prefix(1)) }

    /// Writes what a checker has to know.
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
