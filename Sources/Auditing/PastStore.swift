import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// A store as it was at some point, or as it would be without some of its events. It is read-only.
///
/// It shows the same state for as long as it exists, however much is written meanwhile. It blocks neither a writer
/// nor the reuse of pages in the store's files. A record that was deleted since shows as it was.
public final class PastStore: Reading {
    /// The store it is a view of.
    public let store: Store
    /// The events that count. Events that were lost when this was made do not count, even if they come back.
    public var filter: EventFilter { (try? views.countedFilter()) ?? views.filter }
    /// The vector of the events that count, by the names that they have now; it includes the events that the filter
    /// leaves out one by one.
    public var vector: VersionVector { filter.vector ?? VersionVector() }
    /// The time of this state.
    let pointTime: PointTime

    private let views: PastViews
    private let scratch: ScratchFolder

    /// - Parameter names: The names by which `filter` names events; those of now if `nil`.
    init(
        _ store: Store, _ filter: EventFilter, names: EventNames? = nil, kinds: Kinds? = nil, at time: PointTime
    ) throws {
        self.store = store
        pointTime = time
        scratch = try ScratchFolder()
        let names = try names ?? store.log.eventNames()
        // Events written from here on are not part of this state.
        var filter = filter
        filter.vector = try filter.vector ?? store.log.vector()
        // Events covered by an archive snapshot show although they are lost, and still do if they come back.
        let archived = try store.log.base()?.vector ?? VersionVector()
        let lost = EventSet(try store.log.lostRanges()).subtracting(
            EventSet(archived.entries.map { EventRange($0.replica, 1, through: $0.sequence) }))
        views = try PastViews(
            of: store.views, filter, kinds: kinds, temporaryPath: scratch.path(of: "views.mdb"),
            snapshots: store.files.snapshots, former: store.reusablePastView, lost: lost, names: names)
    }

    /// The folder of the store.
    public var url: URL { store.url }

    /// The replica that this device writes as; `nil` if the store is opened without its key.
    public var replica: ReplicaID? { store.replica }

    /// The known kinds, with the policies that the records are read by.
    public var kinds: Kinds { views.kinds }

    /// The parts of the library that the store was opened with.
    public var components: [StoreComponent] { store.components }

    /// The history of the events that count: who did what when.
    public var audit: Audit { Audit(of: store.views, counting: filter) }

    /// Reads from this state: all answers within `body` belong together, and are the same at every call.
    ///
    /// - Throws: As ``Store/read(_:)``; with code `damaged` if events of that state cannot be read.
    public func read<Result>(_ body: (borrowing ViewReader) throws -> Result) throws -> Result {
        try passing {
            try store.log.checkAfterFailedCommit()
            return try views.read(body)
        }
    }

    /// Returns one record, hidden or not; `nil` if there was none.
    ///
    /// Cost: about 1 us for each event of the record, whatever the size of the log.
    ///
    /// - Throws: As ``read(_:)``.
    public func record(_ kind: String, _ id: RecordID) throws -> Record? {
        try passing { try views.record(kind, id) }
    }

    /// Returns the positions of the events of one record, ascending. Cost: as ``record(_:_:)``.
    ///
    /// - Throws: As ``read(_:)``.
    public func positions(of kind: String, _ id: RecordID) throws -> [Position] {
        try passing { try views.positions(of: kind, id) }
    }
}

extension PastStore: StoreUser {
    package var usage: Usage { store.usage }
}

extension Store {
    /// Returns the store as it was at `point`.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is no such point.
    /// - Complexity: O(1) here. Reading one record then costs its own events. The first read of anything else costs
    ///   the events written since, or a replay from the nearest snapshot.
    public func at(_ point: Point) async throws -> PastStore {
        try describing {
            try catchUpForReading()
            let resolved = try resolve(point)
            return try PastStore(self, EventFilter(resolved.vector), names: resolved.names, at: resolved.time)
        }
    }

    /// Returns the store as it was with these events: see ``resolve(_:)``.
    ///
    /// - Throws: As ``Store/read(_:)``.
    /// - Complexity: As ``at(_:)-(Point)``.
    public func at(_ point: ResolvedPoint) async throws -> PastStore {
        try describing {
            try catchUpForReading()
            return try PastStore(self, EventFilter(point.vector), names: point.names, at: point.time)
        }
    }

    /// Returns the store as it would be under `filter`: without some events, or with the clock of a device corrected.
    ///
    /// - Parameters:
    ///   - filter: The events that count, and the clocks that are corrected.
    ///   - kinds: The kinds to use if values are to be chosen by other policies.
    /// - Throws: As ``Store/read(_:)``.
    /// - Complexity: O(1) here; the first read of anything but a record replays the log.
    public func replaying(_ filter: EventFilter, kinds: Kinds? = nil) async throws -> PastStore {
        try describing {
            try catchUpForReading()
            let time = try filter.vector.map { PointTime.stamp(milliseconds: try greatestStamp(of: $0)) }
            return try PastStore(self, filter, kinds: kinds, at: time ?? .arrival(surroundings.now()))
        }
    }
}

extension Reading {
    /// The time of this state: now for a store, that of its point for a past one; `nil` for anything else.
    package var time: PointTime? {
        if let past = self as? PastStore { return past.pointTime }
        return (self as? Store).map { .arrival($0.surroundings.now()) }
    }
}
