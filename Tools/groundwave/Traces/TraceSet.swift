import ArgumentParser
import Groundwave
import GroundwaveMetering
import GroundwaveWording

struct TraceSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set the name of a trace, and whether its samples go to other devices.",
        discussion: """
              groundwave trace set last --name "charging the power bank"
              groundwave trace set last --samples synced

            Summaries of the samples (time, count, least, mean, greatest, charge, energy) go to every device. The \
            samples themselves stay where they were recorded, unless their trace or their meter is set to synced.
            """)

    @Argument(help: ArgumentHelp("The trace.", valueName: "id"))
    var trace: String

    @Option(help: ArgumentHelp("The name; an empty one removes the name.", valueName: "text"))
    var name: String?

    @Option(help: "synced: every device gets them; local: they stay where they were recorded.")
    var samples: SampleSharing?

    @OptionGroup var options: StoreOptions
    @OptionGroup var words: WriteOptions

    struct Result: Encodable {
        var id: String
        var name: String
        var samples: String?
    }

    func validate() throws {
        if name == nil, samples == nil { throw ValidationError("Specify --name, or --samples synced or local.") }
    }

    func run() async throws {
        let store = try await options.open(author: words.author)
        let id = try TraceName.resolve(trace, store).id
        try await store.edit(trace: id, name: name, sharing: samples, note: words.note ?? "")
        let set = try TraceName.resolve("\(id)", store)
        if options.json {
            return try Terminal.print(json: Result(id: "\(id)", name: set.name, samples: set.sharing?.rawValue))
        }
        let name = set.name.isEmpty ? "" : " \(set.name)"
        try Terminal.print("Trace \(id.short)\(name): \(TraceText.sharing(try store.sharing(of: set))).")
    }
}

extension SampleSharing: ExpressibleByArgument {}
