import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMembership
import GroundwaveRadio
import GroundwaveRecords
import Synchronization

/// What the model of decision 51, `Tests/RosterModel/roster.py`, says of the events of a log.
struct RosterOracle {
    /// What one event does to contacts.
    private struct Contact {
        let event: EventID
        let record: RecordID
        let erases: Bool
        let isWithheld: Bool
    }

    private struct Said: Encodable {
        let id: String
        let author: String
        let before: String?
        let number: UInt64
        var word = "write"
        var device = ""
        var named: [String] = []
    }

    private struct History: Encodable {
        let founder: String
        let events: [Said]
    }

    private struct Answer: Decodable {
        let shown: Set<String>
        let members: Set<String>
    }

    /// The records of the contacts that are shown.
    private(set) var contacts: Set<RecordID> = []
    /// Contacts that would be shown, if their values were there.
    private(set) var withoutValues: Set<RecordID> = []
    /// All contacts of which an event is in the log.
    var written: Set<RecordID> { Set(writers.keys) }
    /// The devices that belong to the log.
    private(set) var members: Set<String> = []
    /// The events that write to each contact.
    private let writers: [RecordID: [EventID]]
    private let history: History
    private let shown: Set<String>

    /// The events of which the log's own roster says something else.
    func differences(in log: EventLog) throws -> [EventID] {
        guard let roster = try log.roster() else { return [] }
        var found: [EventID] = []
        try log.scan(from: 1) { _, frame, _ in
            if roster.counts(frame.id) != shown.contains(Self.name(frame.id)) { found.append(frame.id) }
            return true
        }
        return found
    }

    /// The events as the model has read them.
    var text: String { (try? JSONEncoder().encode(history)).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    init(log: EventLog) throws {
        let (streams, row) = (try log.streams(), try log.rosterRow())
        guard let seal = row.seal, case .seal(let phrase, _, _) = seal.word else {
            throw BrokenPromise("A log has forgotten that it is sealed.")
        }
        let statements = Dictionary(uniqueKeysWithValues: row.statements.map { ($0.event, $0.word) })
        let counts = try log.vector()
        /// The names of events; of one that is not there, that of the last one before it in its history.
        func names(_ events: [EventID]) -> [String] {
            events.map { EventID($0.replica, min($0.sequence, counts[$0.replica])) }.map(Self.name)
        }
        func author(_ replica: ReplicaID) -> String { replica == phrase ? "phrase" : "\(replica)" }
        var (events, contacts): ([Said], [Contact]) = ([], [])
        try log.scan(from: 1) { _, frame, bytes in
            let event = frame.id
            var said = Said(
                id: Self.name(event), author: author(streams.origin(of: event.replica)),
                before: streams.predecessor(of: event).map(Self.name),
                number: streams.base(of: event.replica) + event.sequence)
            switch statements[event] {
            case .approve(let device, let ending):
                (said.word, said.device, said.named) = ("approve", author(device), ending.map(Self.name))
            case .revoke(let device, let seen):
                (said.word, said.device, said.named) = ("revoke", author(device), names(seen))
            case .admit(let admitted): (said.word, said.named) = ("admit", names(admitted))
            case .seal, .epoch, nil: break
            }
            events.append(said)
            let change = try Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            if change.kind == QSOKind.name {
                contacts.append(
                    Contact(
                        event: event, record: change.record, erases: change.operations.first?.code == .erase,
                        isWithheld: frame.isWithheld))
            }
            return true
        }
        history = History(founder: author(streams.origin(of: seal.event.replica)), events: events)
        let answer = try Self.asked(history)
        members = answer.members
        self.shown = answer.shown
        let shown = contacts.filter { answer.shown.contains(Self.name($0.event)) }
        let erased = Set(shown.filter(\.erases).map(\.record))
        writers = Dictionary(grouping: contacts, by: \.record).mapValues { $0.map(\.event) }
        for contact in shown where !contact.erases && !erased.contains(contact.record) {
            if contact.isWithheld { withoutValues.insert(contact.record) } else { self.contacts.insert(contact.record) }
        }
    }

    /// The names of the events that write to a contact.
    func events(of record: RecordID) -> [String] { (writers[record] ?? []).map(Self.name) }

    private static func name(_ event: EventID) -> String { "\(event.replica):\(event.sequence)" }

    private static func asked(_ history: History) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: ModelProcess.shared.answer(to: JSONEncoder().encode(history)))
    }
}

/// The model as a process that answers one question after the other: starting it takes longer than an answer.
private final class ModelProcess: Sendable {
    private struct Pipes {
        let input: FileHandle
        let output: FileHandle
    }

    private let pipes: Mutex<Result<Pipes, any Error>>
    static let shared = ModelProcess()

    private init() {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../RosterModel/roster.py").standardizedFileURL
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path, "--ask"]
        process.standardInput = input
        process.standardOutput = output
        pipes = Mutex(
            Result {
                try process.run()
                return Pipes(input: input.fileHandleForWriting, output: output.fileHandleForReading)
            })
    }

    /// Returns the line with which the model answers a line.
    func answer(to question: Data) throws -> Data {
        try pipes.withLock { pipes in
            let pipes = try pipes.get()
            try pipes.input.write(contentsOf: question + [UInt8(ascii: "\n")])
            var answer = Data()
            while answer.last != UInt8(ascii: "\n") {
                let more = pipes.output.availableData
                guard !more.isEmpty else {
                    throw BrokenPromise("The model of the roster does not answer.")
                }
                answer += more
            }
            return answer
        }
    }
}
