import ArgumentParser
import Foundation
import Groundwave
import GroundwaveWording

struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rebuild the views from the log, and compare them with the old ones.",
        discussion: """
            The new views are built beside the old ones and then replace them. With --to, every event is first copied \
            into a new store. That store belongs to the same log, and becomes a new replica at its first write. Exits \
            with status 1 if the new views differ from the old ones.
            """)

    @OptionGroup var options: StoreOptions

    @Option(help: ArgumentHelp("Replay into a new store in this folder.", valueName: "path"))
    var to: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Which views: records, index. Both are in one file and are built together.", valueName: "name"))
    var views: [String] = []

    struct Result: Encodable {
        var events: Int
        var seconds: Double
        var eventsPerSecond: Double
        var digest: String
        var before: String?
        var same: Bool
        var store: String?
    }

    func validate() throws {
        for name in views where !["records", "index"].contains(name) {
            throw ValidationError("There is no view called “\(name)”: the views are records and index.")
        }
    }

    func run() async throws {
        let report: ReplayReport
        var target: String?
        if let to {
            let url = URL(filePath: to).standardizedFileURL
            target = url.path
            let store = try await options.openForReading()
            report = try await Progress.during("Copying and replaying") { _ in try await store.replay(to: url) }
        } else {
            let store = try await options.openWhole()
            report = try Progress.during("Replaying") { _ in try store.replay() }
            try store.close()
        }
        let speed = report.seconds > 0 ? Double(report.events) / report.seconds : 0
        if options.json {
            try Terminal.print(
                json: Result(
                    events: report.events, seconds: report.seconds, eventsPerSecond: speed.rounded(),
                    digest: "\(report.after.hash)", before: report.before.map { "\($0.hash)" }, same: report.isSame,
                    store: target))
        } else {
            try Terminal.print(
                "\(NumberText.count(report.events, "event")) "
                    + "\(String(format: "in %.2f s (%.0f a second).", report.seconds, speed))")
            if let target { try Terminal.print("A store with the same events is in \(target).") }
            try Terminal.print("Digest \(report.after.hash)")
            if report.isSame {
                try Terminal.print("The same as before.")
            } else if let trouble = report.trouble {
                Terminal.remark("The old views were \(trouble). The new ones replaced them.")
            } else {
                Terminal.remark("The old views had a different digest: \(report.before.map { "\($0.hash)" } ?? "").")
            }
        }
        if !report.isSame { throw Answer.no }
    }
}
