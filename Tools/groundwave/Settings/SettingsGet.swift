import ArgumentParser
import Groundwave

struct SettingsGet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print a setting; exit with status 1 if it has no value.",
        discussion: """
              groundwave settings get defaultPower
            """)

    @Argument(help: ArgumentHelp("The setting.", valueName: "key"))
    var key: String

    @OptionGroup var options: ReadOptions

    struct Result: Encodable {
        var key: String
        var value: String?
        var travels: Bool
    }

    func run() async throws {
        let store = try await options.open()
        let entry = try store.setting(key)
        if options.json {
            try Terminal.print(
                json: Result(key: key, value: entry?.value, travels: entry?.travels ?? SettingText.travels(key)))
        } else if let entry {
            try Terminal.print("\(entry.value)")
        }
        if entry == nil { throw Answer.no }
    }
}
