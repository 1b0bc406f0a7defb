import ArgumentParser
import Groundwave
import GroundwaveRadio

struct QSOList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List contacts, the newest last.",
        discussion: """
            Shows the latest 50 on a terminal, otherwise all. A day, month or year in --since means its start, in --until \
            its end.

              groundwave qso list --since today --band 20m
              groundwave qso list --where 'GRIDSQUARE=FN*' --where 'NAME~jim'
              groundwave qso list --recorded-since 90m --ndjson
            """)

    @OptionGroup var options: ReadOptions
    @OptionGroup var filters: QSOFilters

    @Flag(help: "Show hidden contacts instead of visible ones.")
    var hidden = false

    @OptionGroup var listing: ContactListing

    func run() async throws {
        let store = try await options.open()
        var query = try filters.query(store)
        query.isHidden = hidden
        try listing.print(query, in: store, json: options.json, none: hidden ? "No hidden contacts." : "No contacts.")
    }
}
