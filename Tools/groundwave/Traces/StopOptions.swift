import ArgumentParser
import GroundwaveMeters

/// The conditions that end a recording.
struct StopOptions: ParsableArguments {
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("End when the rows cover this time, such as 90s, 30m or 2h.", valueName: "duration"))
    var duration: String?

    @Option(
        help: ArgumentHelp(
            "End when a channel has such a value, or has had it for a time: “current<0.05 for 60s”. Repeatable.",
            valueName: "condition"))
    var until: [String] = []

    @Option(help: ArgumentHelp("End when this charge has flowed, such as 2Ah or 500mAh.", valueName: "charge"))
    var untilCharge: String?

    @Option(help: ArgumentHelp("End when this energy has flowed, such as 5Wh.", valueName: "energy"))
    var untilEnergy: String?

    /// The conditions, of which the first that is met ends the recording.
    ///
    /// - Throws: ``StoreError`` with code `usage`.
    var conditions: [StopCondition] {
        get throws {
            try [duration.map(StopCondition.duration)].compactMap { $0 } + until.map(StopCondition.value)
                + [untilCharge.map(StopCondition.charge), untilEnergy.map(StopCondition.energy)].compactMap { $0 }
        }
    }
}
