import Foundation
import Testing

@Suite struct `Help and mistakes` {
    private static let verbs: [[String]] = [
        ["qso", "add"], ["qso", "edit"], ["qso", "remove"], ["qso", "restore"], ["qso", "list"], ["qso", "show"],
        ["qso", "find"], ["qso", "log"],
        ["qso", "worked"], ["qso", "count"], ["session", "start"], ["session", "pause"], ["session", "resume"],
        ["session", "end"], ["session", "edit"], ["session", "list"], ["session", "show"], ["settings", "get"],
        ["settings", "set"], ["settings", "unset"], ["settings", "list"], ["settings", "export"],
        ["settings", "import"],
        ["record", "kinds"], ["record", "add"], ["record", "edit"], ["record", "remove"], ["record", "restore"],
        ["record", "list"], ["record", "show"], ["conflicts", "list"], ["conflicts", "show"], ["conflicts", "choose"],
        ["head", "show"], ["head", "check"],
        ["replicas", "list"], ["replicas", "rename"], ["replicas", "retire"], ["replicas", "clock"], ["forks", "list"],
        ["duplicates", "list"],
        ["duplicates", "merge"], ["duplicates", "dismiss"], ["import"], ["export"], ["listen"], ["history"], ["blame"],
        ["watch"],
        ["undo"], ["trace", "record"], ["trace", "watch"], ["trace", "compare"],
        ["trace", "calibrate"],
    ]

    @Test(arguments: verbs)
    func `every verb says what it does, with an example`(verb: [String]) throws {
        let help = try Program().run(verb + ["--help"])
        #expect(help.status == 0)
        #expect(help.output.hasPrefix("OVERVIEW: "))
        #expect(help.output.contains("\n  groundwave \(verb.joined(separator: " "))"), "an example")
        #expect(help.output.contains("--json"))
    }

    @Test(arguments: [
        "init", "info", "verify", "digest", "replay", "stats", "import", "export", "history", "blame", "watch", "undo",
        "prove", "check-proof", "compare", "erase", "archive",
    ])
    func `every verb of the whole store says what it does`(verb: String) throws {
        let help = try Program().run(verb, "--help")
        #expect(help.status == 0)
        #expect(help.output.hasPrefix("OVERVIEW: "))
        #expect(help.output.contains("--json") && help.output.contains("-v, --verbose"))
    }

    @Test(arguments: [
        ["archive"], ["bundle", "create"], ["clear"], ["export"], ["head", "show"], ["prove"],
        ["recover", "diagnostics"], ["settings", "export"], ["trace", "export"], ["trace", "plot"],
        ["trace", "compare"],
    ])
    func `every verb that writes a file has the same option for its name`(verb: [String]) throws {
        let help = try Program().run(verb + ["--help"])
        #expect(help.status == 0 && help.output.contains("-o, --output <file>"), "\(help.output)")
    }

    @Test func `no two options of a verb have one name`() throws {
        let dump = try Program().run("--experimental-dump-help")
        let top = try JSONDecoder().decode(Definition.Top.self, from: Data(dump.output.utf8))
        let verbs = top.command.all
        #expect(verbs.count > 100 && verbs.contains { $0.commandName == "record" && $0.names.contains("reconnect") })
        // ArgumentParser's own verb describes its option twice.
        for verb in verbs where verb.commandName != "help" {
            #expect(Set(verb.names).count == verb.names.count, "\(verb.commandName): \(verb.names.sorted())")
        }
    }

    /// A verb, as ArgumentParser describes it.
    private struct Definition: Decodable {
        struct Top: Decodable { var command: Definition }
        struct Argument: Decodable { var names: [Name]? }
        struct Name: Decodable { var name: String }

        var commandName: String
        var arguments: [Argument]?
        var subcommands: [Definition]?

        var names: [String] { (arguments ?? []).flatMap { ($0.names ?? []).map(\.name) } }
        var all: [Definition] { [self] + (subcommands ?? []).flatMap(\.all) }
    }

    private static let mistakes: [([String], String)] = [
        (["qso", "lst"], "groundwave qso list"), (["qos", "list"], "groundwave qso"),
        (["sesion", "start"], "groundwave session"), (["settings", "imprt", "x"], "groundwave settings import"),
        (["conflicts", "chose", "a"], "groundwave conflicts choose"), (["--store", "x", "recrd"], "groundwave record"),
    ]

    @Test(arguments: mistakes)
    func `a mistyped verb gets a suggestion`(arguments: [String], meant: String) throws {
        let refused = try Program().run(arguments)
        #expect(refused.status == 64)
        #expect(refused.errors.contains("Did you mean \(meant)?"), "\(refused.errors)")
        let json = try Program().run(arguments + ["--json"])
        #expect(json.error["hint"] as? String == "Did you mean \(meant)?")
    }

    @Test func `an option that is not there is an error as an object under json`() throws {
        let refused = try Program().run("qso", "list", "--bnad", "20m", "--json")
        #expect(refused.status == 64)
        #expect(refused.error["code"] as? String == "usage")
    }

    @Test func `without a store every verb says how to make one`() throws {
        for arguments in [
            ["qso", "list"], ["session", "start"], ["settings", "list"], ["record", "kinds"], ["conflicts"],
        ] {
            let refused = try Program().run(arguments + ["--store", "/nowhere/at/all", "--json"])
            #expect(refused.status == 66)
            #expect((refused.error["hint"] as? String)?.contains("init") == true)
        }
    }
}
