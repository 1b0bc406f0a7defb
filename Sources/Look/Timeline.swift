import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveStore

/// How many events were written when, in equal steps of time, and in lanes: by device, by kind of record, or by import.
struct Timeline: Sendable {
    /// What a lane is.
    enum Grouping: String, Sendable, CaseIterable {
        case device, kind
        case imports = "import"

        /// The name of the choice.
        var name: String {
            switch self {
            case .device: "device"
            case .kind: "kind of record"
            case .imports: "import"
            }
        }
    }

    /// One lane.
    struct Lane: Sendable {
        /// Its name.
        let name: String
        /// The number of events in each step.
        var counts: [Int]
        /// All of them.
        var total: Int { counts.reduce(0, +) }

        /// The events of both, under the name of this one.
        func joined(with other: Lane) -> Lane {
            Lane(name: name, counts: zip(counts, other.counts).map { $0 + $1 })
        }
    }

    /// The steps.
    let grid: TimeGrid
    /// The lanes, the one with the most events first.
    let lanes: [Lane]
    /// By what they are divided.
    let grouping: Grouping
    /// From the first event to the last, in milliseconds since 1970.
    let whole: ClosedRange<Int64>

    /// The most lanes; what is left is one more.
    static let laneLimit = 8

    /// Counts the events of `store`.
    ///
    /// - Parameters:
    ///   - zoom: Only what was written then; all if `nil`.
    ///   - census: Knows what only the events themselves tell; it is not asked for devices.
    /// - Returns: `nil` if there are no events.
    /// - Throws: ``StoreError`` if the log cannot be read.
    /// - Complexity: By device, some look-ups for each step and each replica, and no event is read; otherwise see ``Census``.
    static func of(
        _ store: Store, zoom: ClosedRange<Int64>?, by grouping: Grouping, _ census: Census
    ) async throws -> Timeline? {
        let stamps = try StampSearch(store)
        guard let whole = try stamps.whole() else { return nil }
        let grid = TimeGrid(zoom ?? whole)
        let lanes: [Lane]
        switch grouping {
        case .device: lanes = try stamps.lanes(on: grid)
        case .kind, .imports: lanes = try await census.lanes(on: grid, by: grouping, in: store)
        }
        return Timeline(grid: grid, lanes: gathered(lanes), grouping: grouping, whole: whole)
    }

    /// The lanes by size; from the ninth on as one.
    private static func gathered(_ lanes: [Lane]) -> [Lane] {
        let lanes = lanes.sorted { ($1.total, $0.name) < ($0.total, $1.name) }
        guard lanes.count > laneLimit + 1 else { return lanes }
        let rest = lanes[laneLimit...]
        var other = Lane(name: "\(rest.count) more", counts: Array(repeating: 0, count: rest[laneLimit].counts.count))
        for lane in rest { for (index, count) in lane.counts.enumerated() { other.counts[index] += count } }
        return Array(lanes.prefix(laneLimit)) + [other]
    }
}

/// The events of each replica by the time that counts, by searches in the log: the stamps of one replica never go down.
private struct StampSearch {
    private let store: Store
    private let vector: VersionVector
    private let declared: ClockDeclarations

    init(_ store: Store) throws {
        (self.store, vector, declared) = try store.describing {
            (store, try store.log.vector(), try store.views.declaredClocks())
        }
    }

    /// From the first event to the last; `nil` if there is none.
    func whole() throws -> ClosedRange<Int64>? {
        try store.describing {
            var range: ClosedRange<Int64>?
            for entry in vector.entries {
                for sequence in [1, entry.sequence] {
                    guard let stamp = try store.log.stamp(of: EventID(entry.replica, sequence)) else { continue }
                    let moment = declared.stamp(stamp, of: entry.replica).milliseconds
                    range = min(range?.lowerBound ?? moment, moment)...max(range?.upperBound ?? moment, moment)
                }
            }
            return range
        }
    }

    /// A lane for each device that has written anything within the grid.
    func lanes(on grid: TimeGrid) throws -> [Timeline.Lane] {
        let names = try store.deviceNames()
        var lanes: [String: Timeline.Lane] = [:]
        try store.describing {
            for entry in vector.entries {
                let ends = try grid.bounds.map { bound in
                    try store.log.lastSequence(
                        of: entry.replica, countedUpTo: Stamp(milliseconds: bound - 1, counter: .max), by: declared)
                }
                guard ends[grid.count] > ends[0] else { continue }
                let name = names[entry.replica] ?? entry.replica.short
                var lane = lanes[name] ?? Timeline.Lane(name: name, counts: Array(repeating: 0, count: grid.count))
                for index in 0..<grid.count { lane.counts[index] += Int(ends[index + 1] - ends[index]) }
                lanes[name] = lane
            }
        }
        return Array(lanes.values)
    }
}
