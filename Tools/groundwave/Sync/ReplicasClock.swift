import ArgumentParser
import Foundation
import Groundwave
import GroundwaveWording

struct ReplicasClock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Say, on all devices, that the clock of a device that is gone was ahead.",
        discussion: """
            What it wrote stays and keeps its time. But where a time chooses between values, what it wrote with a wrong \
            time counts as written at --written-by at the latest. A device whose clock is right again does this by itself \
            at its next write. groundwave undo does not revert this: --right does.

              groundwave replicas clock "Summit phone" --dry-run
              groundwave replicas clock 6HZZCXME --from 2036-01-01 --written-by 2026-05-03T12:00
              groundwave replicas clock 6HZZCXME --right
            """)

    @Argument(help: ArgumentHelp("Its name, or the first letters of its replica id.", valueName: "device"))
    var device: String
    @Option(
        help: ArgumentHelp(
            "The first wrong time that its clock showed; by default the first that is a day or more ahead of now.",
            valueName: "time"))
    var from: String?
    @Option(
        name: .customLong("written-by"),
        help: ArgumentHelp("When all that was written at the latest; by default now.", valueName: "time"))
    var writtenBy: String?
    @Flag(help: "Its clock was right: take back whatever was said of it.")
    var right = false
    @Flag(help: "Only show what would count as earlier; write nothing.")
    var dryRun = false
    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    struct Result: Encodable {
        var replica: String
        var device: String
        var from: String?
        var writtenBy: String?
        var events: UInt64?
        var changed: Bool
    }

    func validate() throws {
        if right, from != nil || writtenBy != nil || dryRun {
            throw ValidationError("--right cannot be combined with --from, --written-by or --dry-run.")
        }
    }

    func run() async throws {
        let store = try await dryRun ? options.openForReading() : options.openWhole(author: writing.author)
        if right { return try await withdraw(in: store) }
        let replica = try store.otherReplica(named: device)
        let now = Int64(Date().timeIntervalSince1970)
        let start = try from.map { try TimeArgument($0, now: now).startMilliseconds }
        let end = try writtenBy.map { try TimeArgument($0, now: now).endMilliseconds }
        if dryRun {
            let report = try store.previewWrongClock(of: replica, from: start, writtenBy: end)
            return try show(report, replica, store, isWritten: false)
        }
        let written = try await store.declareWrongClock(
            of: replica, from: start, writtenBy: end, note: writing.note ?? "", author: writing.author)
        try show(written.value, replica, store, isWritten: written.batch != nil)
    }

    private func show(_ report: WrongClockReport, _ replica: ReplicaID, _ store: Store, isWritten: Bool) throws {
        let name = try store.deviceNames()[replica] ?? replica.short
        if options.json {
            return try Terminal.print(
                json: Result(
                    replica: "\(replica)", device: name, from: UTCText.milliseconds(report.from),
                    writtenBy: UTCText.milliseconds(report.writtenBy), events: report.events, changed: isWritten))
        }
        let verb = dryRun ? "would count" : report.events == 1 ? "counts" : "count"
        try Terminal.print(
            "\(NumberText.count(report.events, "event")) of \(name) (\(replica.short)), stamped "
                + "\(TimeText.milliseconds(report.from)) or later, \(verb) as written at "
                + "\(TimeText.milliseconds(report.writtenBy)) at the latest.")
        if dryRun { return try Terminal.print("Nothing was written.") }
        if !isWritten { try Terminal.print("No change: that was said already.") }
    }

    private func withdraw(in store: Store) async throws {
        let replica = try store.replica(named: device)
        let written = try await store.withdrawWrongClock(
            of: replica, note: writing.note ?? "", author: writing.author)
        let name = try store.deviceNames()[replica] ?? replica.short
        if options.json {
            return try Terminal.print(
                json: Result(replica: "\(replica)", device: name, changed: written.value))
        }
        try Terminal.print(
            written.value
                ? "The stamps of \(name) (\(replica.short)) count again as they are."
                : "No change: nothing was said of the clock of \(name).")
    }
}
