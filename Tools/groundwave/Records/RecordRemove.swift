import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveRecords

struct RecordRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Hide a record; groundwave record restore shows it again.",
        discussion: """
              groundwave record remove equipment Portable
            """)

    @Argument(help: ArgumentHelp("The kind.", valueName: "kind"))
    var kind: String

    @Argument(help: ArgumentHelp("The record: its id, its name, or last.", valueName: "id"))
    var name: String

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func run() async throws {
        let store = try await options.open(author: writing.author)
        let id = try store.resolve(name, kind: kind)
        let kind = kind
        let written = try await store.write(note: writing.note ?? "", author: writing.author) { batch in
            try batch.removeByHand(kind, id)
        }
        if options.json { return try Terminal.print(json: ChangeResult(id, written.batch)) }
        try Terminal.print("The \(kind) \(id.short) \(written.value ? "is now hidden" : "is already hidden").")
    }
}
