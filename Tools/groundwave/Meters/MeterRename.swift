import ArgumentParser

struct MeterRename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Rename a meter.",
        discussion: "  groundwave meter rename 00:15:A5:00:11:22 \"bench\"")

    @OptionGroup var options: MeterOptions

    @Argument(help: ArgumentHelp("The new name; an empty one removes the name.", valueName: "name"))
    var name: String

    @OptionGroup var words: WriteOptions

    func run() async throws { try await options.edit(name: name, words) }
}
