import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// A store as it was at some point, or as it would be without some of its events. It can be read, not written.
///
/// It shows the same for as long as it is kept, however much is written meanwhile, and holds nothing back: neither a
/// writer nor the reuse of pages in the store's files. A record that was deleted since is there as it was.
public final class PastStore: Reading {
    /// The store it is a view of.
    public let store: Store
    /// Which events count. Events that were lost when this was made do not, should they come back.
    public var filter: EventFilter { (try? views.countedFilter()) ?? views.filter }
    /// The events that count, but for those that the filter leaves out one by one.
    public let vector: VersionVector

    private let views: PastViews
    private let scratch: ScratchFolder

    init(_ store: Store, _ filter: EventFilter, kinds: Kinds? = nil) throws {
        self.store = store
        scratch = try ScratchFolder()
        // What is written from here on is no part of it.
        vector = try filter.vector ?? store.log.vector()
        var filter = filter
        filter.vector = vector
        // What a snapshot stands for shows although its events are lost, and goes on to when they come back.
        let archived = try store.log.base()?.vector ?? VersionVector()
        let lost = EventSet(try store.log.holes()).subtracting(
            EventSet(archived.entries.map { EventRange($0.replica, 1, through: $0.sequence) }))
        views = PastViews(
            of: store.views, filter, kinds: kinds, scratchPath: scratch.path(of: "views.mdb"),
            snapshots: store.files.snapshots, former: store.formerScratch, lost: lost)
    }

    /// The folder of the store.
    public var url: URL { store.url }

    /// The replica that this device writes as; `nil` where the store is read without its key.
    public var replica: ReplicaID? { store.replica }

    /// The kinds that are known, with the policies that the records are read by.
    public var kinds: Kinds { views.kinds }

    /// The parts of the library that the store was opened with.
    public var components: [StoreComponent] { store.components }

    /// Who did what when, as far as it counts.
    public var audit: Audit { Audit(of: store.log, kinds: kinds, counting: filter) }

    /// Reads from the state: all answers within `body` belong together, and are the same at every call.
    public func read<Result>(_ body: (borrowing ViewReader) throws -> Result) throws -> Result {
        try passing {
            try store.log.checkAfterFailedCommit()
            return try views.read(body)
        }
    }

    /// One record, hidden or not, or `nil` where there was none.
    ///
    /// Cost: about 1 us an event of the record, whatever the size of the log.
    public func record(_ kind: String, _ id: RecordID) throws -> Record? {
        try passing { try views.record(kind, id) }
    }

    /// The positions of the events of one record, ascending. Cost: as ``record(_:_:)``.
    public func positions(of kind: String, _ id: RecordID) throws -> [Position] {
        try passing { try views.positions(of: kind, id) }
    }
}

extension Store {
    /// The store as it was at `point`.
    ///
    /// - Throws: ``StoreError`` with code `notFound` where there is no such point.
    /// - Complexity: Nothing until it is read. Then one record costs its own events; everything else, once, what was
    ///   written since, or a replay from the nearest snapshot.
    public func at(_ point: Point) async throws -> PastStore {
        try describing {
            try catchUpForReading()
            return try PastStore(self, EventFilter(try resolve(point).vector))
        }
    }

    /// The store as it was with these events: see ``resolve(_:)``.
    public func at(_ point: ResolvedPoint) async throws -> PastStore {
        try describing {
            try catchUpForReading()
            return try PastStore(self, EventFilter(point.vector))
        }
    }

    /// The store as it would be under `filter`: without some events, or with a clock set right.
    ///
    /// - Parameter kinds: The kinds, where values are to be chosen by other policies.
    public func replaying(_ filter: EventFilter, kinds: Kinds? = nil) async throws -> PastStore {
        try describing {
            try catchUpForReading()
            return try PastStore(self, filter, kinds: kinds)
        }
    }
}
