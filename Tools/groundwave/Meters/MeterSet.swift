import ArgumentParser
import Groundwave
import GroundwaveMetering

struct MeterSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change the settings of a meter.",
        discussion: """
              groundwave meter set 00:15:A5:00:11:22 --temperature-unit F
              groundwave meter set 00:15:A5:00:11:22 --samples synced

            Summaries of the samples go to every device; the samples themselves do so only if they are set to synced. \
            A trace of the meter can override this: groundwave trace set.
            """)

    @OptionGroup var options: MeterOptions

    @Option(help: ArgumentHelp("The unit in which it shows temperatures: C or F.", valueName: "unit"))
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
        let unit = temperatureUnit?.uppercased()
        if let unit, !["C", "F"].contains(unit) {
            throw StoreError(
                .usage, "“\(unit)” is neither C nor F.", hint: "Use --temperature-unit C or --temperature-unit F.")
        }
        try await options.edit(temperatureUnit: unit, sharing: samples, words)
    }
}
