import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveWording

struct Stats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show counts by kind, device and month, and what takes the space.")

    @OptionGroup var options: ReadOptions

    struct Result: Encodable {
        struct Kind: Encodable {
            var kind: String
            var shown: Int
            var hidden: Int
            var events: Int
            var bytes: Int
        }

        struct Replica: Encodable {
            var replica: String
            var device: String
            var isThisDevice: Bool
            var events: Int
            var first: String
            var last: String
        }

        struct Month: Encodable {
            var month: String
            var qsos: Int
            var events: Int
        }

        struct Storage: Encodable {
            var file: String
            var purpose: String
            var entries: Int?
            var bytes: Int
        }

        var kinds: [Kind]
        var replicas: [Replica]
        var months: [Month]
        var storage: [Storage]
        var unread: Int
    }

    func run() async throws {
        let store = try await options.open(needsHistory: true)
        let statistics = try store.statistics()
        // Files have no past.
        let storage = try (store as? Store)?.storage() ?? []
        if options.json { return try Terminal.print(json: Self.result(statistics, storage)) }
        var kinds = TextTable(["KIND", "SHOWN", "HIDDEN", "EVENTS", "BYTES"], numbersFrom: 1)
        for kind in statistics.kinds {
            kinds.append([
                kind.name, "\(kind.shown)", "\(kind.hidden)", "\(kind.events)", NumberText.bytes(kind.bytes),
            ])
        }
        let sum = statistics.kinds
        kinds.append([
            "all", "\(sum.reduce(0) { $0 + $1.shown })", "\(sum.reduce(0) { $0 + $1.hidden })",
            "\(sum.reduce(0) { $0 + $1.events })", NumberText.bytes(sum.reduce(0) { $0 + $1.bytes }),
        ])
        try kinds.print()
        if statistics.unreadEvents > 0 {
            try Terminal.print(
                "Not counted: \(NumberText.count(statistics.unreadEvents, "event")) of a type unknown to this version.")
        }
        try Terminal.print("")
        var replicas = TextTable(["DEVICE", "REPLICA", "FIRST", "LAST", "EVENTS"], numbersFrom: 4)
        for replica in statistics.replicas {
            replicas.append([
                replica.device + (replica.isLocal ? " (this one)" : ""), replica.id.short,
                TimeText.milliseconds(replica.first.milliseconds), TimeText.milliseconds(replica.last.milliseconds),
                "\(replica.events)",
            ])
        }
        try replicas.print()
        try Terminal.print("")
        var months = TextTable(["MONTH", "CONTACTS MADE", "EVENTS WRITTEN"], numbersFrom: 1)
        for month in statistics.months { months.append([month.name, "\(month.contacts)", "\(month.events)"]) }
        try months.print()
        if !storage.isEmpty { try Self.print(storage) }
    }

    private static func print(_ storage: [StoreStatistics.Storage]) throws {
        try Terminal.print("")
        var table = TextTable(["FILE", "PURPOSE", "ENTRIES", "BYTES"], numbersFrom: 2)
        for row in storage {
            table.append([row.file, row.purpose, row.entries.map { "\($0)" } ?? "", NumberText.bytes(row.bytes)])
        }
        table.append(["all", "", "", NumberText.bytes(storage.reduce(0) { $0 + $1.bytes })])
        try table.print()
    }

    private static func result(_ statistics: StoreStatistics, _ storage: [StoreStatistics.Storage]) -> Result {
        Result(
            kinds: statistics.kinds.map {
                .init(kind: $0.name, shown: $0.shown, hidden: $0.hidden, events: $0.events, bytes: $0.bytes)
            },
            replicas: statistics.replicas.map {
                .init(
                    replica: "\($0.id)", device: $0.device, isThisDevice: $0.isLocal, events: $0.events,
                    first: UTCText.milliseconds($0.first.milliseconds), last: UTCText.milliseconds($0.last.milliseconds)
                )
            },
            months: statistics.months.map { .init(month: $0.name, qsos: $0.contacts, events: $0.events) },
            storage: storage.map {
                .init(file: $0.file, purpose: $0.purpose, entries: $0.entries, bytes: $0.bytes)
            },
            unread: statistics.unreadEvents)
    }
}
