import ArgumentParser
import Groundwave
import GroundwaveWording

struct MeterShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a meter.", discussion: "  groundwave meter show 00:15:A5:00:11:22")

    @Argument(help: ArgumentHelp("The address of the meter.", valueName: "mac"))
    var meter: String

    @OptionGroup var options: ReadOptions

    func run() async throws {
        let store = try await options.open()
        let meter = try MeterOptions.known(meter, in: store)
        if options.json { return try Terminal.print(json: MeterResult(meter)) }
        var table = TextTable(["Meter", "\(meter.address)"])
        if !meter.name.isEmpty { table.append(["Name", meter.name]) }
        table.append(["Model", meter.model?.displayName ?? "unknown"])
        if let unit = meter.temperatureUnit { table.append(["Temperature", "°\(unit.rawValue)"]) }
        let isShared = meter.sharing == .synced
        table.append(["Samples", isShared ? "go to every device" : "stay where they were recorded"])
        table.append(["State", MeterResult.state(meter)])
        if let lease = meter.lease, lease.isHeld {
            table.append(["Connected", "\(TimeText.milliseconds(lease.since)) by \(lease.device)"])
        }
        table.append(["Updated", TimeText.milliseconds(meter.updated)])
        table.append(["Traces", "\(try store.traces().count { $0.meter == meter.address })"])
        try Terminal.print(lines: table.lines)
    }
}
