import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// Statistics of what fills a store.
public struct StoreStatistics: Sendable {
    /// The records and events of one kind.
    public struct Kind: Hashable, Sendable {
        /// The kind.
        public let name: String
        /// The number of records that show.
        public internal(set) var shown = 0
        /// The number of records that are hidden.
        public internal(set) var hidden = 0
        /// The number of events on records of this kind.
        public internal(set) var events = 0
        /// The size of these events in the log, in bytes.
        public internal(set) var bytes = 0
    }

    /// The events of one replica.
    public struct Replica: Hashable, Sendable {
        /// The replica.
        public let id: ReplicaID
        /// The name of its device.
        public let device: String
        /// Whether it is this device.
        public let isLocal: Bool
        /// The number of events that it has written.
        public internal(set) var events = 0
        /// The stamp of its first event.
        public internal(set) var first = Stamp(rawValue: .max)
        /// The stamp of its last event.
        public internal(set) var last = Stamp(rawValue: 0)
    }

    /// One month, UTC.
    public struct Month: Hashable, Sendable {
        /// The name of the month, such as `2026-05`.
        public let name: String
        /// The number of contacts that were made in it.
        public internal(set) var contacts = 0
        /// The number of events that were written in it.
        public internal(set) var events = 0
    }

    /// The disk space that one part of a file takes.
    public struct Storage: Hashable, Sendable {
        /// The file, or the folder `snapshots`.
        public let file: String
        /// The purpose: a table, or free and shared space.
        public let purpose: String
        /// The number of entries of the table; `nil` if it is not a table.
        public let entries: Int?
        /// The size in bytes.
        public let bytes: Int
    }

    /// The kinds, by name.
    public internal(set) var kinds: [Kind] = []
    /// The replicas, the one with the most events first.
    public internal(set) var replicas: [Replica] = []
    /// The months, in order of time.
    public internal(set) var months: [Month] = []
    /// The number of events that this version cannot read.
    public internal(set) var unreadEvents = 0
}

extension Reading {
    /// Returns counts by kind, replica and month. Cost: reads every event and every record once.
    ///
    /// - Throws: As ``read(_:)``.
    public func statistics() throws -> StoreStatistics {
        try describing {
            let names = try deviceNames()
            var statistics = StoreStatistics()
            var kinds: [String: StoreStatistics.Kind] = [:]
            var replicas: [ReplicaID: StoreStatistics.Replica] = [:]
            var months: [String: StoreStatistics.Month] = [:]
            let filter = audit.filter
            try log.scan(from: 1) { _, frame, bytes in
                guard filter.includes(frame.id) else { return true }
                let shape = bytes.extracting(frame.shape)
                if let reader = try? ChangeReader(
                    shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
                {
                    let name = String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self)
                    kinds[name, default: .init(name: name)].events += 1
                    kinds[name]?.bytes += frame.length
                } else {
                    statistics.unreadEvents += 1
                }
                let id = frame.id.replica
                var replica = replicas[id] ?? .init(id: id, device: names[id] ?? id.short, isLocal: id == self.replica)
                replica.events += 1
                replica.first = min(replica.first, frame.stamp)
                replica.last = max(replica.last, frame.stamp)
                replicas[id] = replica
                let month = Self.month(seconds: frame.stamp.milliseconds / 1000)
                months[month, default: .init(name: month)].events += 1
                return true
            }
            try read { view in
                for name in try view.kindsWithRecords() {
                    try view.forEachState(of: name) { _, state in
                        if state.isVisible {
                            kinds[name]?.shown += 1
                        } else if !state.isEmpty {
                            kinds[name]?.hidden += 1
                        }
                        return true
                    }
                }
                var query = ContactQuery.contacts
                query.includesMetadata = true
                try view.forEachTally(query, of: [.day]) { contact, count in
                    guard let seconds = contact.startSeconds else { return }
                    let month = Self.month(seconds: seconds)
                    months[month, default: .init(name: month)].contacts += count
                }
            }
            statistics.kinds = kinds.values.sorted { $0.name < $1.name }
            statistics.replicas = replicas.values.sorted { ($1.events, $0.id) < ($0.events, $1.id) }
            statistics.months = months.values.sorted { $0.name < $1.name }
            return statistics
        }
    }

    private static func month(seconds: Int64) -> String {
        let text = ContactTime.text(seconds: seconds).date
        return "\(text.prefix(4))-\(text.dropFirst(4).prefix(2))"
    }

}

extension Store {
    /// Returns the disk space of the store's files, the log first; the sum equals ``StoreInformation/bytes``.
    ///
    /// - Throws: ``StoreError`` if a file cannot be looked at.
    /// - Complexity: Independent of the number of records.
    public func storage() throws -> [StoreStatistics.Storage] {
        try describing {
            try Self.storage("log", log.storage(), fileSize: log.fileSizeBytes())
                + Self.storage("views", views.storage(), fileSize: views.fileSizeBytes()) + [snapshotStorage()]
        }
    }

    private func snapshotStorage() -> StoreStatistics.Storage {
        .init(
            file: "snapshots", purpose: "points to begin replays with", entries: files.snapshots.count,
            bytes: files.snapshotBytes)
    }

    private static func storage(
        _ file: String, _ tables: [(name: String, statistics: TableStatistics)], fileSize: Int
    ) -> [StoreStatistics.Storage] {
        let rows = tables.map {
            StoreStatistics.Storage(
                file: file, purpose: $0.name, entries: $0.statistics.entries, bytes: $0.statistics.bytes)
        }
        let rest = fileSize - rows.reduce(0) { $0 + $1.bytes }
        return rows + [StoreStatistics.Storage(file: file, purpose: "free and shared", entries: nil, bytes: rest)]
    }
}
