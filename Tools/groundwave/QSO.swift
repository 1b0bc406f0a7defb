import ArgumentParser

struct QSO: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "qso", abstract: "The contacts of the logbook.",
        subcommands: [QSOList.self])
}
