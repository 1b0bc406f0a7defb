import ArgumentParser
import Groundwave
import GroundwaveMetering

struct MeterSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change the settings of a meter.",
        discussion: """
              groundwave meter set 00:15:A5:00:11:22 --temperature-unit F
              groundwave meter set 00:15:A5:00:11:22 --samples synced

            What is said of samples goes to every device; they themselves do where that is set. A trace of the meter may \
            say otherwise: trace set.
            """)

    @OptionGroup var options: MeterOptions

    @Option(help: ArgumentHelp("In what it shows temperatures: C or F.", valueName: "unit"))
    var temperatureUnit: String?

    @Option(
        help: "The samples of its traces. synced: every device gets them; local: they stay where they were recorded.")
    var samples: SampleSharing?

    @OptionGroup var words: WriteOptions

    func validate() throws {
        if temperatureUnit == nil, samples == nil {
            throw ValidationError("Say --temperature-unit C or F, or --samples synced or local.")
        }
    }

    func run() async throws {
        let unit = temperatureUnit?.uppercased()
        if let unit, !["C", "F"].contains(unit) {
            throw StoreError(.usage, "“\(unit)” is neither C nor F.", hint: "Say --temperature-unit C, or F.")
        }
        try await options.edit(temperatureUnit: unit, sharing: samples, words)
    }
}
