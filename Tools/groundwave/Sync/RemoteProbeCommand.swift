import ArgumentParser
import Groundwave

struct RemoteProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Check whether a remote can be reached, which log it has, and how fast it answers.",
        discussion: """
            Nothing is pushed or pulled. Exits with status 69 if the remote cannot be reached, and with status 1 if it \
            has a different log.
            """)

    @Argument(help: "The remote.")
    var name: String
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var name: String
        var url: String
        var log: String?
        var same: Bool
        var replica: String?
        var milliseconds: Double
    }

    func run() async throws {
        let store = try await options.openForReading()
        let remote = try store.remote(name)
        let probe = try await store.probe(remote)
        let microseconds = Int(probe.request / .microseconds(1))
        if options.json {
            try Terminal.print(
                json: Result(
                    name: name, url: "\(remote.address)", log: probe.log.map { "\($0)" }, same: probe.isSameLog,
                    replica: probe.replica.map { "\($0)" }, milliseconds: Double(microseconds) / 1000))
        } else {
            let what =
                if probe.isSameLog { "this log" } else if let log = probe.log { "a different log, \(log.short)" } else {
                    "no log yet"
                }
            try Terminal.print(
                "\(remote.address) answers in \(microseconds / 1000).\(microseconds / 100 % 10) ms. It has \(what).")
        }
        if probe.log != nil, !probe.isSameLog { throw Answer.no }
    }
}
