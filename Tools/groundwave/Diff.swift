import ArgumentParser
import Foundation
import Groundwave
import GroundwaveEvents

struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "What changed between two moments; exit code 1 where anything did.",
        discussion: """
            A moment is a time (yesterday, 90m, 2026-05-01T12:00), @120 (a position), before:EVENT, after:EVENT, \
            known:REPLICA@n (what that device had seen), snapshot:ID or vector:REPLICA=n,… A day means its end.

              groundwave diff yesterday now
              groundwave diff before:last after:last
              groundwave diff 2026-05-01 now W1AW
            """)

    @Argument(help: ArgumentHelp("The first moment.", valueName: "a"))
    var first: String
    @Argument(help: ArgumentHelp("The second moment.", valueName: "b"))
    var second: String
    @Argument(help: ArgumentHelp("Only this record: its id, the beginning of it, last, or a call.", valueName: "id"))
    var record: String?

    @OptionGroup var options: StoreOptions
    @OptionGroup var archives: ArchiveOptions
    @Option(help: ArgumentHelp("The kind of the record; without one, all kinds.", valueName: "kind"))
    var kind: String?
    @Option(help: ArgumentHelp("Show at most so many records; 50 on a terminal.", valueName: "count"))
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
