import ArgumentParser
import Groundwave
import GroundwaveSettings
import GroundwaveWording

struct SettingsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List settings, and which of them are synchronised between devices.",
        discussion: """
              groundwave settings list --all
            """)

    @OptionGroup var options: ReadOptions

    @Flag(help: "List synchronised settings without a value too.")
    var all = false

    struct Result: Encodable {
        struct Setting: Encodable {
            var key: String
            var value: String?
            var travels: Bool
            var type: String?
        }

        var settings: [Setting]
    }

    func run() async throws {
        let store = try await options.open()
        var settings = try store.settings().map {
            Result.Setting(key: $0.key, value: $0.value, travels: $0.travels, type: $0.type?.rawValue)
        }
        if all {
            let known = Set(settings.filter(\.travels).map(\.key))
            for (key, type) in SyncedSettings.groups.flatMap(\.keys) where !known.contains(key) {
                settings.append(Result.Setting(key: key, value: nil, travels: true, type: type.rawValue))
            }
            settings.sort { $0.key < $1.key }
        }
        if options.json { return try Terminal.print(json: Result(settings: settings)) }
        if settings.isEmpty { return try Terminal.print("No settings.") }
        var table = TextTable(["KEY", "VALUE", "WHERE", "TYPE"])
        for setting in settings {
            table.append([
                setting.key, RecordText.short(setting.value ?? "", 50), setting.travels ? "all devices" : "this device",
                setting.type ?? "",
            ])
        }
        try Terminal.print(lines: table.lines)
    }
}
