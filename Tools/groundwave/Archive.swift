import ArgumentParser
import Foundation
import Groundwave
import GroundwaveEvents

struct Archive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move the values of old events to a compressed file; everything still verifies.",
        discussion: """
            The log keeps every event with a hash in the place of its values, and a snapshot that stands for them: \
            nothing that shows changes, and every proof and signed head stays right. Questions about that time are \
            answered "archived", or, with --archive FILE on verbs that read, as before. Keep two copies of the file: \
            without it, what took place before is known by its outcome alone.

            --restore takes archives back into the log.

              groundwave archive --before 2025-12-31 -o until-2025.gwa
              groundwave history W1AW --archive until-2025.gwa
              groundwave archive --restore until-2025.gwa
            """)

    @Option(
        help: ArgumentHelp(
            "Archive what was written up to this moment, a day meaning its end: see groundwave diff --help.",
            valueName: "point"))
    var before: String?
    @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"))
    var output: String?
    @Option(
        help: ArgumentHelp(
            "A device that will never be heard of again, and need not have seen what goes. Repeatable.",
            valueName: "device"))
    var gone: [String] = []
    @Option(help: ArgumentHelp("Take the archives in these files back into the log. Repeatable.", valueName: "file"))
    var restore: [String] = []

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions
    @Flag(help: "Do not ask.")
    var yes = false
    @Flag(help: "Tell what would go, and write nothing.")
    var dryRun = false

    struct Result: Encodable {
        var events: Int
        var bytes: Int
        var logBytesBefore: Int
        var logBytes: Int
        var vector: [String: UInt64]
    }

    func validate() throws {
        guard restore.isEmpty else {
            if before != nil || output != nil || dryRun {
                throw ValidationError("--restore takes archives back; it goes with none of the others.")
            }
            return
        }
        if before == nil { throw ValidationError("Say --before and which point, or --restore and which file.") }
        if output == nil, !dryRun { throw ValidationError("Say -o and which file.") }
    }

    func run() async throws {
        let store = try await options.openWhole(author: writing.author)
        guard restore.isEmpty else { return try await takeBack(store) }
        let point = try store.point(before ?? "", now: Clock.now)
        let gone = Set(try gone.map { try store.replica(named: $0) })
        let plan = try await store.archive(before: point, to: output ?? "", gone: gone, isDryRun: true)
        if !options.json {
            try Terminal.print(
                "\(NumberText.count(plan.eventCount, "event")) written up to then would leave the log with "
                    + "their values.")
        }
        var archived = plan
        if !dryRun {
            if !yes {
                try Confirmation.ask("Move them?", orElse: "This would move old values out of the log.")
            }
            archived = try await Progress.during("Archiving") { _ in
                try await store.archive(
                    before: point, to: output ?? "", gone: gone, note: writing.note, author: writing.author)
            }
        }
        if options.json {
            return try Terminal.print(
                json: Result(
                    events: archived.eventCount, bytes: archived.fileBytes, logBytesBefore: archived.logBytesBefore,
                    logBytes: archived.logBytes,
                    vector: Dictionary(
                        uniqueKeysWithValues: archived.vector.entries.map { ("\($0.replica)", $0.sequence) })))
        }
        if dryRun { return try Terminal.print("Nothing was written.") }
        try Terminal.print(
            "Archived: \(NumberText.count(archived.eventCount, "event")) in \(output ?? ""), "
                + "\(NumberText.bytes(archived.fileBytes)). The log has \(NumberText.bytes(archived.logBytes)), and had "
                + "\(NumberText.bytes(archived.logBytesBefore)).")
        Terminal.remark("Keep two copies of the file, and check one now and then: groundwave verify --archive FILE.")
    }

    private func takeBack(_ store: Store) async throws {
        let before = try store.logBytes()
        let restored = restore
        try await Progress.during("Taking back") { _ in try await store.restoreArchives(restored) }
        let bytes = try store.logBytes()
        if options.json {
            return try Terminal.print(
                json: Result(events: 0, bytes: 0, logBytesBefore: before, logBytes: bytes, vector: [:]))
        }
        try Terminal.print("Taken back: the log has every value again. It takes \(NumberText.bytes(bytes)) now.")
        Terminal.remark("The files are no longer needed.")
    }
}

/// Archives that a reading verb takes as a part of the log.
struct ArchiveOptions: ParsableArguments {
    @Option(
        name: .customLong("archive"),
        help: ArgumentHelp(
            "Read with what was moved to this archive, as if it had never left the log. Repeatable.",
            valueName: "file"))
    var files: [String] = []
}
