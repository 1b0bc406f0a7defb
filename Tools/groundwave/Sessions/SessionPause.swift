import ArgumentParser
import Groundwave
import GroundwaveRadio
import GroundwaveRecords

struct SessionPause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause a session: new contacts do not belong to it until it is resumed.",
        discussion: """
              groundwave session pause
            """)

    @Argument(help: ArgumentHelp("The session; default: the open one.", valueName: "id"))
    var name: String?

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func run() async throws {
        try await SessionStatusChange(name: name, options: options, writing: writing, status: .paused).run()
    }
}
