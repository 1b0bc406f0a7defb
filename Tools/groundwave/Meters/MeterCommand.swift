import ArgumentParser
import Groundwave
import GroundwaveMetering
import GroundwaveMeters

struct MeterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "meter", abstract: "USB power meters: names and current holder.",
        discussion: """
            Specify a meter by its address: twelve hexadecimal digits, with or without separators.
            """,
        subcommands: [
            MeterList.self, MeterShow.self, MeterRename.self, MeterSet.self, MeterConnect.self, MeterDisconnect.self,
        ])
}

/// What every verb takes that is about one meter.
struct MeterOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The address of the meter.", valueName: "mac"))
    var meter: String

    @OptionGroup var store: StoreOptions

    var address: MACAddress { get throws { try MACAddress(argument: meter) } }

    /// The meter as `store` knows it.
    func known(in store: Store) throws -> Meter { try Self.known(meter, in: store) }

    /// The meter of an address as `store` knows it.
    static func known(_ text: String, in store: some Reading) throws -> Meter {
        let address = try MACAddress(argument: text)
        if let meter = try store.meter(address) { return meter }
        throw StoreError(
            .notFound, "There is no meter \(address).", hint: "groundwave meter list shows the known meters.")
    }

    /// Changes fields of the meter, and prints what it is now.
    func edit(
        name: String? = nil, temperatureUnit: TemperatureUnit? = nil, sharing: SampleSharing? = nil,
        _ words: WriteOptions
    ) async throws {
        let store = try await store.open(author: words.author)
        try await store.edit(
            address, name: name, temperatureUnit: temperatureUnit, sharing: sharing, note: words.note ?? "")
        try printReport(store)
    }

    /// Prints what the meter is now.
    func printReport(_ store: Store) throws {
        guard let meter = try store.meter(address) else { return }
        if self.store.json { return try Terminal.print(json: MeterResult(meter)) }
        let name = meter.name.isEmpty ? "" : " \(meter.name)"
        try Terminal.print("\(meter.address)\(name): \(MeterResult.state(meter)).")
    }
}
