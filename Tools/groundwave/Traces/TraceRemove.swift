import ArgumentParser
import Groundwave
import GroundwaveMeters

struct TraceRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Hide a trace; groundwave trace restore shows it again.",
        discussion: """
              groundwave trace remove last --note "Cable was loose"

            Nothing is lost: the rows stay in the log. To remove them for ever: groundwave erase --trace ID
            """)

    @Argument(help: ArgumentHelp("The trace.", valueName: "id"))
    var name: String

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func run() async throws {
        let store = try await options.open(author: writing.author)
        let id = try TraceName.resolve(name, store).id
        let written = try await store.setHidden(
            true, trace: id, note: writing.note ?? "", author: writing.author)
        if options.json { return try Terminal.print(json: ChangeResult(id, written.batch)) }
        try Terminal.print("The trace \(id.short) is \(written.value ? "now" : "already") hidden.")
    }
}

struct TraceRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Show a hidden trace again.",
        discussion: """
              groundwave trace restore last

            groundwave trace list --hidden lists the hidden ones. What was erased does not come back.
            """)

    @Argument(help: ArgumentHelp("The hidden trace.", valueName: "id"))
    var name: String

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func run() async throws {
        let store = try await options.open(author: writing.author)
        let id = try TraceName.resolve(name, store, hidden: true).id
        let written = try await store.setHidden(
            false, trace: id, note: writing.note ?? "", author: writing.author)
        if options.json { return try Terminal.print(json: ChangeResult(id, written.batch)) }
        try Terminal.print("The trace \(id.short) is \(written.value ? "visible again" : "not hidden").")
    }
}
