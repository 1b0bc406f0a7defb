import ArgumentParser
import Groundwave
import GroundwaveMeterProtocols
import GroundwaveMetering

struct MeterConnect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect", abstract: "Reserve a meter for this device for two minutes, or renew the reservation.",
        discussion: """
              groundwave meter connect 00:15:A5:00:11:22 --model um25c

            Other devices see which device has the meter and until when; after that, they may take it. groundwave \
            trace record does this automatically.
            """)

    @OptionGroup var options: MeterOptions

    @Option(help: ArgumentHelp("The model, if the meter is not known yet.", valueName: "model"))
    var model: MeterModel?

    func run() async throws {
        let store = try await options.store.open()
        let address = try options.address
        guard let model = try model ?? store.meter(address)?.model else {
            throw StoreError(
                .usage, "The meter \(address) is not known yet.",
                hint: "Specify its model: groundwave meter connect \(address) --model MODEL")
        }
        try await store.connect(address, model: model)
        try options.printReport(store)
    }
}
