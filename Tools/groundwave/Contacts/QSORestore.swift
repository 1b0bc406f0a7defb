import ArgumentParser

struct QSORestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Show one or more hidden contacts again.",
        discussion: """
            groundwave qso list --hidden lists the hidden contacts.

              groundwave qso restore W1AW
            """)

    @Argument(help: ArgumentHelp("The contacts: ids, calls or last.", valueName: "id"))
    var names: [String] = []

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions
    @OptionGroup var filters: QSOFilters

    @Flag(help: "Show more than one contact again without asking.")
    var yes = false

    @Flag(help: "Show what would be restored, and restore nothing.")
    var dryRun = false

    func run() async throws {
        try await QSOVisibility(
            names: names, options: options, writing: writing, filters: filters, yes: yes, dryRun: dryRun,
            isHiding: false
        ).run()
    }
}
