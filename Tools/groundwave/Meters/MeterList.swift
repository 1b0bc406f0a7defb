import ArgumentParser
import Groundwave
import GroundwaveWording

struct MeterList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List meters, and which devices have them.",
        discussion: "  groundwave meter list")

    @OptionGroup var options: ReadOptions

    struct Result: Encodable { var meters: [MeterResult] }

    func run() async throws {
        let meters = try await options.open().meters()
        if options.json { return try Terminal.print(json: Result(meters: meters.map(MeterResult.init))) }
        if meters.isEmpty { return try Terminal.print("No meters.") }
        var table = TextTable(["MAC", "NAME", "MODEL", "STATE"])
        for meter in meters {
            table.append([
                "\(meter.address)", RecordText.short(meter.name, 30), meter.model?.displayName ?? "?",
                MeterResult.state(meter),
            ])
        }
        try table.print()
    }
}
