import ArgumentParser
import Foundation
import Groundwave
import GroundwaveEvents

struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what changed between two points in time; exit with status 1 if anything did.",
        discussion: """
            A point in time is a time (yesterday, 90m, 2026-05-01T12:00), @120 (a position), before:EVENT, \
            after:EVENT, known:REPLICA@n (what that device had seen at its n-th event), snapshot:ID or \
            vector:REPLICA=n,… A day means its end.

              groundwave diff yesterday now
              groundwave diff before:last after:last
              groundwave diff 2026-05-01 now W1AW
            """)

    @Argument(help: ArgumentHelp("The first point in time.", valueName: "a"))
    var first: String
    @Argument(help: ArgumentHelp("The second point in time.", valueName: "b"))
    var second: String
    @Argument(
        help: ArgumentHelp("Only this record: its id, the first letters of the id, last, or a call.", valueName: "id"))
    var record: String?

    @OptionGroup var options: StoreOptions
    @OptionGroup var archives: ArchiveOptions
    @Option(help: ArgumentHelp("The kind of the record; without one, all kinds.", valueName: "kind"))
    var kind: String?
    @Option(help: ArgumentHelp("Show at most this many records; default on a terminal: 50.", valueName: "count"))
    var limit: Int?

    func run() async throws {
        let store = try await options.openForReading(archives)
        let now = Clock.now
        let before = try await store.at(store.point(first, now: now))
        let after = try await store.at(store.point(second, now: now))
        var output = DifferenceOutput()
        if let record {
            let kind = kind ?? "qso"
            let id = try store.resolve(record, kind: kind)
            if let difference = try store.difference(of: id, kind: kind, from: before, to: after) {
                output.append(difference)
            }
        } else {
            try store.forEachDifference(from: before, to: after) { difference in
                if kind == nil || kind == difference.kind { output.append(difference) }
                return true
            }
        }
        if options.json { try Terminal.print(json: output) } else { try output.print(store, limit: limit) }
        if !output.isEmpty { throw Answer.no }
    }
}
