import ArgumentParser
import Groundwave

struct SettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Preferences: those that travel between devices, and those that stay.",
        discussion: """
            A fixed list of keys travels; settings list --all shows it. Any other key stays on this device. Passwords, \
            keys and tokens are refused.
            """,
        subcommands: [
            SettingsGet.self, SettingsSet.self, SettingsUnset.self, SettingsList.self, SettingsExport.self,
            SettingsImportCommand.self,
        ])
}
