import ArgumentParser
import Groundwave
import GroundwaveMetering

struct MeterSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change the settings of a meter.",
        discussion: """
              groundwave meter set 00:15:A5:00:11:22 --temperature-unit F
              groundwave meter set 00:15:A5:00:11:22 --samples synced

            Temperatures of its traces are shown in this unit, in text and in plots. Exports and --json have degrees \
            Celsius.

            Summaries of the samples go to every device; the samples themselves do so only if they are set to synced. \
            A trace of the meter can override this: groundwave trace set.
            """)

    @OptionGroup var options: MeterOptions

    @Option(help: ArgumentHelp("The unit in which temperatures are shown: C or F.", valueName: "unit"))
    var temperatureUnit: String?

    @Option(
        help: "The samples of its traces. synced: every device gets them; local: they stay where they were recorded.")
    var samples: SampleSharing?

    @OptionGroup var words: WriteOptions

    func validate() throws {
        if temperatureUnit == nil, samples == nil {
            throw ValidationError("Specify --temperature-unit C or F, or --samples synced or local.")
        }
    }

    func run() async throws {
        let unit = try temperatureUnit.map { text in
            if let unit = TemperatureUnit(rawValue: text.uppercased()) { return unit }
            throw StoreError(
                .usage, "“\(text)” is neither C nor F.", hint: "Use --temperature-unit C or --temperature-unit F.")
        }
        try await options.edit(temperatureUnit: unit, sharing: samples, words)
    }
}
