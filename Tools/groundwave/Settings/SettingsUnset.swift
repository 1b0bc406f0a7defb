import ArgumentParser
import Groundwave

struct SettingsUnset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset", abstract: "Remove the value of a setting.",
        discussion: """
              groundwave settings unset defaultPower
            """)

    @Argument(help: ArgumentHelp("The setting.", valueName: "key"))
    var key: String

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func run() async throws {
        let store = try await options.open(author: writing.author)
        let written = try await store.set(setting: key, to: nil, note: writing.note ?? "", author: writing.author)
        try SettingText.report(key, nil, written, json: options.json)
    }
}
