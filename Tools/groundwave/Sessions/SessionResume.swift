import ArgumentParser
import Groundwave
import GroundwaveRadio
import GroundwaveRecords

struct SessionResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume a session, or take over one that is open on another device.",
        discussion: """
              groundwave session resume last
            """)

    @Argument(help: ArgumentHelp("The session; default: the last one.", valueName: "id"))
    var name: String?

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func run() async throws {
        try await SessionStatusChange(name: name, options: options, writing: writing, status: .active).run()
    }
}
