import ArgumentParser
import Foundation
import Groundwave
import GroundwaveRadio
import GroundwaveSettings

struct SettingsSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set the value of a setting.",
        discussion: """
            Passwords, keys and tokens are refused (exit status 77): they belong in the system's keychain.

              groundwave settings set defaultPower 5
              groundwave settings set rigs "KX2,FT-891"
              groundwave settings set countryFile cty.csv
            """)

    @Argument(help: ArgumentHelp("The setting.", valueName: "key"))
    var key: String

    @Argument(help: ArgumentHelp("Its value.", valueName: "value"))
    var value: String

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func run() async throws {
        let store = try await options.open(author: writing.author)
        // The program may be run from another folder next time.
        let value = key == "countryFile" ? URL(filePath: value).standardized.path : value
        let written = try await store.set(
            setting: key, to: value, note: writing.note ?? "", author: writing.author)
        try SettingText.report(key, value, written, json: options.json)
    }
}

/// What the verbs for settings say.
enum SettingText {
    struct Result: Encodable {
        var key: String
        var value: String?
        var travels: Bool
        var changed: Bool
        var event: String?
        var position: UInt64?
    }

    static func travels(_ key: String) -> Bool { SyncedSettings.types[key] != nil }

    static func report(_ key: String, _ value: String?, _ written: Written<Bool>, json: Bool) throws {
        if json {
            return try Terminal.print(
                json: Result(
                    key: key, value: value, travels: travels(key), changed: written.value,
                    event: written.batch.map { "\($0.first)" }, position: written.batch?.position))
        }
        guard written.value else { return try Terminal.print("No change: it already has this value.") }
        try Terminal.print(
            "\(key) \(value.map { "is \($0)" } ?? "has no value"), on \(travels(key) ? "all devices" : "this device")."
        )
        if !travels(key), let meant = nearest(key) {
            Terminal.remark("\(meant) would be synchronised; \(key) stays on this device.")
        }
    }

    /// The key that travels and is spelt nearly so.
    private static func nearest(_ key: String) -> String? {
        Spelling.nearest(to: key, among: SyncedSettings.groups.flatMap(\.keys).map(\.name))
    }
}
