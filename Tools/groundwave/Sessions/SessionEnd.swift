import ArgumentParser
import Groundwave
import GroundwaveRadio
import GroundwaveRecords

struct SessionEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End a session.",
        discussion: """
              groundwave session end
            """)

    @Argument(help: ArgumentHelp("The session; default: the open one.", valueName: "id"))
    var name: String?

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func run() async throws {
        try await SessionStatusChange(name: name, options: options, writing: writing, status: .ended).run()
    }
}
