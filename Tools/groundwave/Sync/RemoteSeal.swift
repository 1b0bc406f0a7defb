import ArgumentParser
import Groundwave
import GroundwaveWording

struct RemoteSeal: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seal", abstract: "Encrypt what lies at a remote; what lay open there is deleted.",
        discussion: """
            Everything there is fetched first. Then the open data is deleted, and every device of the log pushes sealed \
            data with its next sync. The log must be sealed: groundwave seal.

              groundwave remote seal stick
            """)

    @Argument(help: "The remote.")
    var name: String
    @Flag(help: "Do not ask for confirmation.")
    var yes = false
    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var sealed: Bool
        var deleted: Int
    }

    func run() async throws {
        let store = try await options.openWhole()
        let remote = try store.remote(name)
        if !yes {
            try Confirmation.ask(
                "Delete what lies open at \(remote.address), and push it sealed?",
                orElse: "This would delete what lies open at \(remote.address), and push it sealed.")
        }
        let deleted = try await store.seal(remote: name)
        try await store.sync(remote)
        if options.json { return try Terminal.print(json: Result(sealed: true, deleted: deleted)) }
        try Terminal.print("\(name) is sealed. Deleted there: \(NumberText.count(deleted, "open object")).")
    }
}

struct RemoteUnseal: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unseal", abstract: "Let what lies at a remote lie open; what is sealed there is deleted.",
        discussion: """
            Whoever can read the remote can read the log then. Every other device of the log that uses the remote has to be \
            told the same: nothing at a remote can talk a device into leaving the log open.

              groundwave remote unseal stick
            """)

    @Argument(help: "The remote.")
    var name: String
    @Flag(help: "Do not ask for confirmation.")
    var yes = false
    @OptionGroup var options: StoreOptions

    func run() async throws {
        let store = try await options.openWhole()
        let remote = try store.remote(name)
        if !yes {
            try Confirmation.ask(
                "Let everything lie open at \(remote.address)?",
                orElse: "This would let everything lie open at \(remote.address).")
        }
        let deleted = try await store.unseal(remote: name)
        try await store.sync(remote)
        if options.json { return try Terminal.print(json: RemoteSeal.Result(sealed: false, deleted: deleted)) }
        try Terminal.print("\(name) lies open. Deleted there: \(NumberText.count(deleted, "sealed object")).")
    }
}
