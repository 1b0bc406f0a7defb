import ArgumentParser
import Groundwave
import GroundwaveMeterProtocols
import GroundwaveMetering

struct MeterConnect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect", abstract: "Take a meter for this device for two minutes, or renew that.",
        discussion: """
              groundwave meter connect 00:15:A5:00:11:22 --model um25c

            Other devices see who has it and until when; afterwards they may take it. trace record does this by itself.
            """)

    @OptionGroup var options: MeterOptions

    @Option(help: ArgumentHelp("The model, where the meter is not known yet.", valueName: "model"))
    var model: MeterModel?

    func run() async throws {
        let store = try await options.store.open()
        let address = try options.address
        guard let model = try model ?? store.meter(address)?.model else {
            throw StoreError(.usage, "The meter \(address) is not known yet.", hint: "Say its --model.")
        }
        try await store.connect(address, model: model)
        try options.tell(store)
    }
}
