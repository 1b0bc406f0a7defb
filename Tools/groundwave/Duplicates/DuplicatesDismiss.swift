import ArgumentParser
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords

struct DuplicatesDismiss: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dismiss", abstract: "Mark two contacts as different contacts, so that they are not listed again.",
        discussion: """
            The mark applies on all devices until you revert it with groundwave undo, or with groundwave record remove \
            dismissal ID. This command prints the ID.

              groundwave duplicates dismiss 7Q2X4 9KD0M --note "First contact broke off"
            """)

    @Argument(help: ArgumentHelp("The first contact.", valueName: "a"))
    var first: String

    @Argument(help: ArgumentHelp("The second contact.", valueName: "b"))
    var second: String

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func run() async throws {
        let store = try await options.open(author: writing.author)
        let ids = try [first, second].map { try store.resolve($0, kind: QSOKind.name) }
        let written = try await store.dismissDuplicate(
            ids[0], ids[1], note: writing.note, author: writing.author)
        if options.json { return try Terminal.print(json: ChangeResult(written.value, written.batch)) }
        if written.batch == nil { return try Terminal.print("No change: they are already dismissed.") }
        try Terminal.print("They will not be listed again: dismissal \(written.value.short).")
    }
}
