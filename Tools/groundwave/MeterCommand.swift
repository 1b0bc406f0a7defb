import ArgumentParser
import Foundation
import Groundwave
import Metering

struct MeterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "meter", abstract: "USB power meters: what they are called, and who has one.",
        discussion: """
            A meter is named by its address, twelve hexadecimal digits, however they are written.
            """,
        subcommands: [
            MeterList.self, MeterShow.self, MeterRename.self, MeterSet.self, MeterConnect.self, MeterDisconnect.self,
        ])
}

/// A meter as JSON.
struct MeterResult: Encodable {
    struct Lease: Encodable {
        var device: String
        var replica: String
        var term: UInt64
        var expires: String
        var held: Bool
    }

    var mac: String
    var name: String
    var model: String?
    var temperatureUnit: String?
    var lease: Lease?

    init(_ meter: Meter) {
        mac = meter.address.description
        name = meter.name
        model = meter.model?.rawValue
        temperatureUnit = meter.temperatureUnit
        lease = meter.lease.map {
            Lease(
                device: $0.device, replica: "\($0.replica)", term: $0.term, expires: UTCText.milliseconds($0.expires),
                held: $0.isHeld)
        }
    }

    /// Who has the meter, in words.
    static func state(_ meter: Meter) -> String {
        guard let lease = meter.lease, lease.isHeld else { return "free" }
        return "locked by \(lease.device) until \(TimeText.milliseconds(lease.expires))"
    }
}

struct MeterList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List meters, and who has them.")

    @OptionGroup var options: StoreOptions

    struct Result: Encodable { var meters: [MeterResult] }

    func run() async throws {
        let meters = try await options.open().meters()
        if options.json { return try Terminal.print(json: Result(meters: meters.map(MeterResult.init))) }
        if meters.isEmpty { return Terminal.print("No meters.") }
        var table = TextTable(["MAC", "NAME", "MODEL", "STATE"])
        for meter in meters {
            table.append([
                "\(meter.address)", RecordText.short(meter.name, 30), meter.model?.displayName ?? "?",
                MeterResult.state(meter),
            ])
        }
        table.print()
    }
}

struct MeterShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a meter.", discussion: "  groundwave meter show 00:15:A5:00:11:22")

    @Argument(help: ArgumentHelp("The address of the meter.", valueName: "mac"))
    var meter: String

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let store = try await options.open()
        let meter = try MeterArgument.known(meter, in: store)
        if options.json { return try Terminal.print(json: MeterResult(meter)) }
        var table = TextTable(["Meter", "\(meter.address)"])
        if !meter.name.isEmpty { table.append(["Name", meter.name]) }
        table.append(["Model", meter.model?.displayName ?? "unknown"])
        if let unit = meter.temperatureUnit { table.append(["Temperature", "°\(unit)"]) }
        table.append(["State", MeterResult.state(meter)])
        table.append(["Traces", "\(try store.traces().count { $0.meter == meter.address })"])
        table.lines.forEach(Terminal.print)
    }
}

struct MeterRename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Say what a meter is called.",
        discussion: "  groundwave meter rename 00:15:A5:00:11:22 \"bench\"")

    @Argument(help: ArgumentHelp("The address of the meter.", valueName: "mac"))
    var meter: String

    @Argument(help: ArgumentHelp("The name; an empty one takes it away.", valueName: "name"))
    var name: String

    @OptionGroup var options: StoreOptions
    @OptionGroup var words: WriteOptions

    func run() async throws {
        let store = try await options.open(author: words.author)
        let address = try MACAddress(argument: meter)
        try await store.edit(address, name: name, note: words.note ?? "")
        try MeterArgument.tell(address, in: store, options.json)
    }
}

struct MeterSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change the settings of a meter.",
        discussion: "  groundwave meter set 00:15:A5:00:11:22 --temperature-unit F")

    @Argument(help: ArgumentHelp("The address of the meter.", valueName: "mac"))
    var meter: String

    @Option(help: ArgumentHelp("In what it shows temperatures: C or F.", valueName: "unit"))
    var temperatureUnit: String

    @OptionGroup var options: StoreOptions
    @OptionGroup var words: WriteOptions

    func run() async throws {
        let unit = temperatureUnit.uppercased()
        guard ["C", "F"].contains(unit) else {
            throw StoreError(.usage, "“\(temperatureUnit)” is neither C nor F.")
        }
        let store = try await options.open(author: words.author)
        let address = try MACAddress(argument: meter)
        try await store.edit(address, temperatureUnit: unit, note: words.note ?? "")
        try MeterArgument.tell(address, in: store, options.json)
    }
}

struct MeterConnect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect", abstract: "Take a meter for this device for two minutes, or renew that.",
        discussion: """
              groundwave meter connect 00:15:A5:00:11:22 --model um25c

            Other devices see who has it and until when; afterwards they may take it. trace record does this by itself.
            """)

    @Argument(help: ArgumentHelp("The address of the meter.", valueName: "mac"))
    var meter: String

    @Option(help: ArgumentHelp("The model, where the meter is not known yet.", valueName: "model"))
    var model: MeterModel?

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let store = try await options.open()
        let address = try MACAddress(argument: meter)
        guard let model = try model ?? store.meter(address)?.model else {
            throw StoreError(.usage, "The meter \(address) is not known yet.", hint: "Say its --model.")
        }
        try await store.connect(address, model: model)
        try MeterArgument.tell(address, in: store, options.json)
    }
}

struct MeterDisconnect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect", abstract: "Let a meter go that this device has.")

    @Argument(help: ArgumentHelp("The address of the meter.", valueName: "mac"))
    var meter: String

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let store = try await options.open()
        let address = try MACAddress(argument: meter)
        _ = try MeterArgument.known(meter, in: store)
        let hadIt = try await store.disconnect(address)
        if !hadIt, !options.json { Terminal.remark("This device did not have it.") }
        try MeterArgument.tell(address, in: store, options.json)
    }
}

/// Meters as they are named on the command line.
enum MeterArgument {
    static func known(_ text: String, in store: Store) throws -> Meter {
        let address = try MACAddress(argument: text)
        if let meter = try store.meter(address) { return meter }
        throw StoreError(
            .notFound, "There is no meter \(address).", hint: "groundwave meter list shows those that are known.")
    }

    /// Prints what a meter is now.
    static func tell(_ address: MACAddress, in store: Store, _ isJSON: Bool) throws {
        guard let meter = try store.meter(address) else { return }
        if isJSON { return try Terminal.print(json: MeterResult(meter)) }
        let name = meter.name.isEmpty ? "" : " \(meter.name)"
        Terminal.print("\(meter.address)\(name): \(MeterResult.state(meter)).")
    }
}
