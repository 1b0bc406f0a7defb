import ArgumentParser
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveWording

struct Archive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move the values of old events into a compressed file; the log still verifies without it.",
        discussion: """
            The log keeps every event, with a hash in place of its values, and a snapshot of the archived state: lists \
            and exports stay the same, and every proof and signed head stays valid. History shows "archived" instead \
            of the values, and points before the archived state can no longer be viewed; with --archive FILE, the \
            commands that read answer as before. Keep two copies of the file: without it, only the outcome of the \
            archived changes is known.

            --restore moves archives back into the log.

              groundwave archive --before 2025-12-31 -o until-2025.gwa
              groundwave history W1AW --archive until-2025.gwa
              groundwave archive --restore until-2025.gwa
            """)

    @Option(
        help: ArgumentHelp(
            "Archive everything written up to this point; a day means its end. See groundwave diff --help.",
            valueName: "point"))
    var before: String?
    @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"))
    var output: String?
    @Option(
        help: ArgumentHelp(
            "A device that will never sync again: do not wait until it has these events. Repeatable.",
            valueName: "device"))
    var gone: [String] = []
    @Option(help: ArgumentHelp("Move the archives in these files back into the log. Repeatable.", valueName: "file"))
    var restore: [String] = []

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions
    @Flag(help: "Do not ask for confirmation.")
    var yes = false
    @Flag(help: "Show what would be archived, and write nothing.")
    var dryRun = false

    struct Result: Encodable {
        var events: Int?
        var bytes: Int?
        var logBytesBefore: Int
        var logBytes: Int
        var vector: [String: UInt64]?
    }

    func validate() throws {
        guard restore.isEmpty else {
            if before != nil || output != nil || dryRun || !gone.isEmpty {
                throw ValidationError("--restore cannot be combined with --before, --output, --gone or --dry-run.")
            }
            return
        }
        if before == nil { throw ValidationError("Specify either --before POINT or --restore FILE.") }
        if output == nil, !dryRun { throw ValidationError("Specify the archive file: -o FILE.") }
    }

    func run() async throws {
        let store = try await options.openWhole(author: writing.author)
        guard restore.isEmpty else { return try await restoreArchives(store) }
        let point = try store.point(before ?? "", now: Clock.now)
        let gone = Set(try gone.map { try store.replica(named: $0) })
        let plan = try await store.archive(before: point, to: output ?? "", retired: gone, isDryRun: true)
        if !options.json {
            try Terminal.print(
                "\(NumberText.count(plan.eventCount, "event")) written up to that point would have their values "
                    + "moved out of the log.")
        }
        var archived = plan
        if !dryRun {
            if !yes {
                try Confirmation.ask(
                    "Archive them?", orElse: "This would move the values of old events out of the log.")
            }
            archived = try await Progress.during("Archiving") { _ in
                try await store.archive(
                    before: point, to: output ?? "", retired: gone, note: writing.note, author: writing.author)
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
                + "\(NumberText.bytes(archived.fileBytes)). The log takes \(NumberText.bytes(archived.logBytes)); it "
                + "took \(NumberText.bytes(archived.logBytesBefore)) before.")
        Terminal.remark("Keep two copies of the file, and check them now and then: groundwave verify --archive FILE")
    }

    private func restoreArchives(_ store: Store) async throws {
        let before = try store.logBytes()
        let restored = restore
        try await Progress.during("Restoring archives") { _ in try await store.restoreArchives(restored) }
        let bytes = try store.logBytes()
        if options.json {
            return try Terminal.print(
                json: Result(logBytesBefore: before, logBytes: bytes))
        }
        try Terminal.print("Restored: the log has every value again. It now takes \(NumberText.bytes(bytes)).")
        Terminal.remark("The archive files are no longer needed.")
    }
}

/// The archives that a command reads as part of the log.
struct ArchiveOptions: ParsableArguments {
    @Option(
        name: .customLong("archive"),
        help: ArgumentHelp(
            "Also read the values in this archive, as if they were still in the log. Repeatable.",
            valueName: "file"))
    var files: [String] = []
}
