import ArgumentParser
import Groundwave

struct SettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Preferences: some are synchronised between devices, the others stay on this device.",
        discussion: """
            A fixed list of keys is synchronised; groundwave settings list --all shows it. Any other key stays on this \
            device. Passwords, keys and tokens are refused.
            """,
        subcommands: [
            SettingsGet.self, SettingsSet.self, SettingsUnset.self, SettingsList.self, SettingsExport.self,
            SettingsImportCommand.self,
        ])
}
