import ArgumentParser
import Groundwave
import GroundwaveWording

struct ReplicasApprove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Let a device into a sealed log.",
        discussion: """
            Compare the six words that are shown here with those that groundwave replicas shows on the other device: they \
            are the fingerprint of its key. What the device has written so far counts from then on.

              groundwave replicas approve "Summit phone"
              groundwave replicas approve 6HZZCXME --yes
            """)

    @Argument(help: ArgumentHelp("Its name, or the first letters of its replica id.", valueName: "device"))
    var device: String
    @Flag(help: "Do not ask whether the words are the same.")
    var yes = false
    @OptionGroup var phrase: PhraseOptions
    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    struct Result: Encodable {
        var replica: String
        var device: String
        var fingerprint: String?
        var changed: Bool
    }

    func run() async throws {
        let store = try await options.openWhole(author: writing.author)
        let replica = try store.replica(named: device)
        let name = try store.deviceNames()[replica] ?? replica.short
        let words = try store.fingerprint(of: replica)
        if !yes {
            try Confirmation.ask(
                "\(name) (\(replica.short)) shows these words: \(words ?? "none yet"). Are they the same there?",
                orElse: "The words of \(name) are: \(words ?? "none yet"). This would let it into the log.")
        }
        let changed: Bool
        if let words = try phrase.words() {
            changed = try await store.approve(replica, byPhrase: words)
        } else {
            changed = try await store.approve(replica, note: writing.note ?? "", author: writing.author).value
        }
        if options.json {
            return try Terminal.print(
                json: Result(replica: "\(replica)", device: name, fingerprint: words, changed: changed))
        }
        let belongs = try store.membership(of: replica) == .member
        try Terminal.print(
            !belongs
                ? "\(name) (\(replica.short)) does not belong to the log: a device that is senior has revoked it."
                : changed
                    ? "\(name) (\(replica.short)) belongs to the log. Other devices follow with their next sync."
                    : "No change: it belongs to the log already.")
    }
}

struct ReplicasRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Exclude a device from a sealed log: a lost or stolen one.",
        discussion: """
            What it wrote, as far as it is here, counts on; what it writes later is kept apart. What is sealed from now on \
            it cannot read; what it has read, it keeps. If the device knew the passphrase, change that too.

              groundwave replicas revoke "Summit phone"
              groundwave seal passphrase
            """)

    @Argument(help: ArgumentHelp("Its name, or the first letters of its replica id.", valueName: "device"))
    var device: String
    @OptionGroup var phrase: PhraseOptions
    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    struct Result: Encodable {
        var replica: String
        var device: String
        var changed: Bool
    }

    func run() async throws {
        let store = try await options.openWhole(author: writing.author)
        let replica = try store.otherReplica(named: device)
        let name = try store.deviceNames()[replica] ?? replica.short
        let changed: Bool
        if let words = try phrase.words() {
            changed = try await store.revoke(replica, byPhrase: words)
        } else {
            changed = try await store.revoke(replica, note: writing.note ?? "", author: writing.author).value
        }
        if options.json {
            return try Terminal.print(json: Result(replica: "\(replica)", device: name, changed: changed))
        }
        try Terminal.print(
            changed
                ? "\(name) (\(replica.short)) is excluded from the log. Other devices follow with their next sync."
                : "No change: it is excluded already.")
    }
}

struct ReplicasAdmit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admit", abstract: "Count what a device has written that does not belong to a sealed log.",
        discussion: """
            What is here of it so far counts from then on, as long as this device belongs to the log. The other one belongs to \
            it no more than before: what it writes later does not count.

              groundwave replicas admit "Summit phone"
            """)

    @Argument(help: ArgumentHelp("Its name, or the first letters of its replica id.", valueName: "device"))
    var device: String
    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    struct Result: Encodable {
        var replica: String
        var device: String
        var admitted: UInt64
    }

    func run() async throws {
        let store = try await options.openWhole(author: writing.author)
        let replica = try store.otherReplica(named: device)
        let name = try store.deviceNames()[replica] ?? replica.short
        let count = try await store.admit(replica, note: writing.note ?? "", author: writing.author).value
        if options.json {
            return try Terminal.print(json: Result(replica: "\(replica)", device: name, admitted: count))
        }
        try Terminal.print(
            count > 0
                ? "\(NumberText.count(count, "event")) of \(name) (\(replica.short)) \(count == 1 ? "counts" : "count") now. "
                    + "Other devices follow with their next sync."
                : "No change: everything that is here of it counts already.")
    }
}
