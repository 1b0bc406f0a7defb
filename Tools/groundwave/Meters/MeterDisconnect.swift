import ArgumentParser
import Groundwave

struct MeterDisconnect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect", abstract: "Release a meter that this device has reserved.",
        discussion: "  groundwave meter disconnect 00:15:A5:00:11:22")

    @OptionGroup var options: MeterOptions

    func run() async throws {
        let store = try await options.store.open()
        let hadIt = try await store.disconnect(options.known(in: store).address)
        if !hadIt, !options.store.json { Terminal.remark("This device had not reserved the meter.") }
        try options.printReport(store)
    }
}
