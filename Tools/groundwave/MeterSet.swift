import ArgumentParser
import Groundwave

struct MeterSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change the settings of a meter.",
        discussion: "  groundwave meter set 00:15:A5:00:11:22 --temperature-unit F")

    @OptionGroup var options: MeterOptions

    @Option(help: ArgumentHelp("In what it shows temperatures: C or F.", valueName: "unit"))
    var temperatureUnit: String

    @OptionGroup var words: WriteOptions

    func run() async throws {
        let unit = temperatureUnit.uppercased()
        guard ["C", "F"].contains(unit) else {
            throw StoreError(
                .usage, "“\(temperatureUnit)” is neither C nor F.", hint: "Say --temperature-unit C, or F.")
        }
        try await options.edit(temperatureUnit: unit, words)
    }
}
