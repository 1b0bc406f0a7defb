import ArgumentParser
import Groundwave
import GroundwaveRadio

struct QSOFind: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Find contacts by words in any of their fields.",
        discussion: """
            All words must be there, in any field and in either case; a text in quotes counts as one word. The last \
            column says in which fields they were found. The filters of groundwave qso list narrow it down.

              groundwave qso find jim sheffield
              groundwave qso find "mount rainier" --since 2019
            """)

    @Argument(help: ArgumentHelp("The words.", valueName: "word"))
    var words: [String]

    @OptionGroup var options: ReadOptions
    @OptionGroup var filters: QSOFilters
    @OptionGroup var listing: ContactListing

    func run() async throws {
        let store = try await options.open()
        var query = try filters.query(store)
        query.words = words.filter { !$0.isEmpty }
        guard !query.words.isEmpty else {
            throw StoreError(.usage, "No word was given.", hint: "groundwave qso find WORD")
        }
        try listing.print(
            query, in: store, json: options.json,
            none: "No contact has \(words.count == 1 ? "that word" : "all of these words").")
    }
}
