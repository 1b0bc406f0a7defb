import ArgumentParser
import Groundwave
import GroundwaveRadio
import GroundwaveRecords

struct SessionStart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start a session.",
        discussion: """
            Its values fill in what a contact does not specify, and its operator is the author of new changes.

              groundwave session start --call N0CALL --park US-1234 --rig KX2 --power 5
              groundwave session start --park US-1234 STARTED=2019-06-01T08:00 ENDED=2019-06-01T10:30
            """)

    @Argument(help: ArgumentHelp("Other fields of the session.", valueName: "field=value"))
    var fields: [String] = []

    @OptionGroup var options: StoreOptions
    @OptionGroup var session: SessionFields
    @OptionGroup var writing: WriteOptions

    @Flag(help: "End the open session first.")
    var replace = false

    struct Result: Encodable {
        var id: String
        var event: String?
        var position: UInt64?
        var replaced: String?
        var remarks: [String]
    }

    func run() async throws {
        let arguments = try FieldArguments(fields)
        if let name = arguments.names.first { throw StoreError(.usage, "“\(name)” is not FIELD=VALUE.") }
        let store = try await options.open(author: writing.author)
        let written = try await store.startSession(
            (session.assignments + arguments.assignments).filter { $0.value != nil }, now: Clock.now,
            isReplacing: replace, note: writing.note ?? "", author: writing.author)
        let started = written.value
        if options.json {
            return try Terminal.print(
                json: Result(
                    id: "\(started.id)", event: written.batch.map { "\($0.first)" }, position: written.batch?.position,
                    replaced: started.replaced.map { "\($0)" }, remarks: started.remarks))
        }
        for remark in started.remarks { Terminal.remark("\(remark)") }
        if let replaced = started.replaced { try Terminal.print("The session \(replaced.short) has ended.") }
        try Terminal.print(
            "The session \(started.id.short) \(started.status == .active ? "is active" : "was recorded").")
    }
}
