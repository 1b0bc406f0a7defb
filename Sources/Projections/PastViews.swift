import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords
import Synchronization

/// The views of a log under a filter: as they were at some point, or as they would be without some of its events.
///
/// Two ways lead there, and they show the same. What is near the present is an ``Overlay`` over the present views: it
/// costs what is left out, and goes on being right while the log grows, so it may be kept for hours. What is far away is
/// folded into a file of its own in a temporary folder, from the nearest snapshot on.
///
/// Nothing of the store is written, and no LMDB snapshot is held between reads.
public final class PastViews: Sendable {
    /// Which events count.
    public let filter: EventFilter
    /// The kinds that are known, with the policies that the records are read by.
    public let kinds: Kinds

    /// The log that these are a fold of.
    var log: EventLog { views.log }

    private let views: Views
    private let path: String
    private let snapshots: [String]
    private let former: FormerScratch?
    /// The events that were lost when this was made: where they come back, they are left out.
    private let lost: EventSet
    private let source = Mutex<Made?>(nil)
    /// How many files were made: one that a reader still has open goes away by its own name.
    private let files = Atomic(0)

    private enum Source {
        case overlay(Overlay)
        case scratch(ScratchView)
    }

    /// A source, and of which content of the log its events were: it ends with that.
    private struct Made {
        var source: Source
        let content: LogContent
    }

    /// The views of `views`' log under `filter`. Nothing is folded before it is asked for.
    ///
    /// - Parameters:
    ///   - kinds: The kinds, where a record is read by other policies than those of `views`.
    ///   - path: A place in a temporary folder, where files may be built whose names begin with it.
    ///   - snapshots: The paths of snapshots to start from. One that cannot be used is passed over.
    ///   - former: Where a scratch view is left when it is no longer needed, and taken from to go on with.
    ///   - lost: Events that are lost here and no snapshot stands for: should they come back, this goes on without them.
    public init(
        of views: Views, _ filter: EventFilter, kinds: Kinds? = nil, scratchPath path: String, snapshots: [String] = [],
        former: FormerScratch? = nil, lost: EventSet = EventSet()
    ) {
        self.views = views
        self.filter = filter
        self.kinds = kinds ?? views.kinds
        self.path = path
        self.snapshots = snapshots
        self.former = former
        self.lost = lost
    }

    /// ``filter``, and without the events that were lost when this was made and have come back since.
    public func countedFilter() throws -> EventFilter {
        if lost.isEmpty { return filter }
        var counted = filter
        counted.without.formUnion(lost.subtracting(EventSet(try log.holes())))
        return counted
    }

    deinit {
        guard let made = source.withLock({ $0 }), case .scratch(let scratch) = made.source else { return }
        // What was made before a rewrite may have what is gone since, and lack what came late.
        if let content = try? log.content(), content == scratch.content { former?.leave(scratch) }
    }

    private func makeSource(of content: LogContent) throws -> Source {
        let log = views.log
        let filter = try countedFilter()
        let path = "\(path)-\(files.add(1, ordering: .relaxed).newValue)"
        let all = try log.vector()
        let archived = try log.base()?.vector ?? VersionVector()
        let counted = filter.vector ?? all
        let position = try log.lastPosition(of: counted)
        let leftOut = filter.altered(of: all).reduce(0) { $0 + $1.count }
        let signature = try kinds.signature(for: log)
        let candidates = filter.altersHistory ? [] : try usableSnapshots(for: counted, archived)
        let costs = candidates.map {
            UInt64($0.information.recordCount) + counted.eventCount - $0.head.vector.eventCount
        }
        let replayCost = Swift.min(counted.eventCount, costs.min() ?? .max)
        let cost = Swift.min(replayCost, leftOut * Self.overlayCost)
        let former =
            filter.altersHistory
            ? nil
            : former?.take { scratch in
                guard scratch.content == content, scratch.signature == signature,
                    counted.canBeReached(from: scratch.vector, archived)
                else { return false }
                return (counted.eventCount - scratch.vector.eventCount) * Self.goingOnCost <= cost
            }
        if let former {
            do { return .scratch(try goOn(from: former, to: counted, through: position)) } catch is ViewError {
                // It is thrown away, and another one made.
            }
        }
        if filter.altersHistory || leftOut * Self.overlayCost <= replayCost {
            return .overlay(Overlay(filter, position: position))
        }
        func scratch(_ environment: Environment) -> Source {
            .scratch(
                ScratchView(
                    environment, at: path, vector: counted, signature: signature, content: content))
        }
        for (reader, cost) in zip(candidates, costs).sorted(by: { $0.1 < $1.1 }) where cost < counted.eventCount {
            do {
                return scratch(try load(reader, counted, through: position, at: path, content))
            } catch is SnapshotError {
                unlink(path)
            }
        }
        return scratch(try Views.build(at: path, of: log, kinds: kinds, through: position, filter).environment)
    }

    private func usableSnapshots(for vector: VersionVector, _ archived: VersionVector) throws -> [SnapshotReader] {
        let signature = try kinds.signature(for: log)
        return snapshots.compactMap { path in
            guard let reader = try? SnapshotReader(path), reader.head.log == log.id,
                reader.head.signature == signature, vector.canBeReached(from: reader.head.vector, archived)
            else { return nil }
            return reader
        }
    }

    /// The view of `reader`'s snapshot, with what `vector` has beyond it folded into it.
    private func load(
        _ reader: SnapshotReader, _ vector: VersionVector, through position: Position, at path: String,
        _ content: LogContent
    ) throws -> Environment {
        let missing = vector.ranges(missingFrom: reader.head.vector)
        let first = try missing.compactMap { try log.position(of: EventID($0.replica, $0.first)) }.min()
        let start = first.map { $0 - 1 } ?? position
        return try Views.load(
            reader, at: path, of: log, kinds: kinds, goingOnAfter: start, through: position, filter,
            content: content)
    }

    /// `former`, which nobody reads any more, at `vector`, which covers its own: what is missing is folded into it.
    private func goOn(
        from former: ScratchView, to vector: VersionVector, through position: Position
    ) throws -> ScratchView {
        let missing = vector.ranges(missingFrom: former.vector)
        let first = try missing.compactMap { try log.position(of: EventID($0.replica, $0.first)) }.min()
        if let first {
            try former.environment.write { transaction in
                try Views.setCheckpoint(after: first - 1, in: transaction, of: log)
            }
            let replayer = Replayer(log: log, kinds: kinds, filter: filter, folded: former.vector)
            _ = try replayer.catchUp(former.environment, through: position)
        }
        return former.moved(to: vector)
    }

    /// How many times as much an event costs that is folded into rows that are there, as one that is folded in a replay.
    private static let goingOnCost: UInt64 = 4

    /// How many times as much an event costs that is left out, and whose record is folded anew from look-ups, as one
    /// that is folded in a replay, or a record of a snapshot.
    private static let overlayCost: UInt64 = 4

    /// Lends one state to `body`: all its answers belong together, and are the same at every call.
    ///
    /// A file of its own that turns out damaged is made once more, and `body` runs again.
    ///
    /// - Complexity: The first call O(events that `filter` leaves out) or O(events it counts), whichever is less.
    public func read<Result>(_ body: (borrowing ViewReader) throws -> Result) throws -> Result {
        do { return try readOnce(body) } catch {
            guard isScratchDamaged(error) else { throw error }
            source.withLock { $0 = nil }
            return try readOnce(body)
        }
    }

    private func isScratchDamaged(_ error: any Error) -> Bool {
        guard case .scratch(let scratch)? = source.withLock({ $0?.source }) else { return false }
        switch error {
        case ViewError.damaged: return true
        case let error as LMDBError: return error.meansDamage && error.path == scratch.environment.path
        default: return false
        }
    }

    private func readOnce<Result>(_ body: (borrowing ViewReader) throws -> Result) throws -> Result {
        // Again where the log is rewritten between the look at the source and the one at the views.
        for attempt in 0..<Self.attemptLimit {
            // Views that are never written stay behind a rewrite until others come to bring them after it.
            if attempt > 0, views.isReadOnly { try views.moveAside() }
            let made = try made()
            switch made.source {
            case .scratch(let scratch):
                return try scratch.environment.read { try ViewReader.lend($0, kinds: kinds, to: body) }
            case .overlay:
                let result: Result? = try views.read(kinds: kinds) { view in
                    guard let overlay = try overlay(of: made.content, over: view) else { return nil }
                    return try view.overlaid(by: overlay, body)
                }
                if let result { return result }
            }
        }
        throw ViewError.stale
    }

    private static let attemptLimit = 5

    /// The source, of the log as it is now.
    private func made() throws -> Made {
        let content = try log.content()
        return try source.withLock { known in
            if let known, known.content == content { return known }
            known = nil
            let made = Made(source: try makeSource(of: content), content: content)
            known = made
            return made
        }
    }

    /// One record, hidden or not, from the events that its row names; `nil` where none of them counts.
    ///
    /// Cost: about 1 us an event of the record, whatever the size of the log.
    public func record(_ kind: String, _ id: RecordID) throws -> Record? {
        guard let (state, names) = try state(of: kind, id) else { return nil }
        return Record(kind: kind, id: id, state: state, names: names, schema: kinds[kind])
    }

    /// The positions of the events of one record that count, ascending. Cost: as ``record(_:_:)``.
    public func positions(of kind: String, _ id: RecordID) throws -> [Position] {
        try state(of: kind, id)?.state.history.positions ?? []
    }

    private func state(of kind: String, _ id: RecordID) throws -> (state: RecordState, names: Names)? {
        let filter = try countedFilter()
        return try views.read { try $0.state(of: kind, id, counting: filter, in: views.history) }
    }

    /// The overlay, brought up to what `view` has; `nil` where the views or the source are of another content by now.
    private func overlay(of content: LogContent, over view: borrowing ViewReader) throws -> Overlay? {
        try source.withLock { made in
            guard view.content == content, made?.content == content,
                case .overlay(var overlay)? = made?.source
            else { return nil }
            if overlay.isUpToDate(with: view) { return overlay }
            try overlay.extend(over: view, in: views.history)
            made?.source = .overlay(overlay)
            return overlay
        }
    }
}

extension VersionVector {
    /// Whether a view at `other` can be brought here by folding what is missing, none of which is in `archived`.
    fileprivate func canBeReached(from other: VersionVector, _ archived: VersionVector) -> Bool {
        covers(other) && ranges(missingFrom: other).allSatisfy { $0.first > archived[$0.replica] }
    }
}

extension EventLog {
    /// The position of the last event of `vector` in this log; 0 where it has none.
    func lastPosition(of vector: VersionVector) throws -> Position {
        try vector.entries.reduce(0) { last, entry in
            Swift.max(last, try position(of: EventID(entry.replica, entry.sequence)) ?? 0)
        }
    }
}

extension ViewReader {
    /// A record as it is when only the events count that `filter` does; `nil` where none of its events does.
    ///
    /// Cost: about 1 us an event of the record.
    public func record(
        _ kind: String, _ id: RecordID, counting filter: EventFilter, in history: RecordHistory
    ) throws -> Record? {
        guard let (state, names) = try state(of: kind, id, counting: filter, in: history) else { return nil }
        return Record(kind: kind, id: id, state: state, names: names, schema: kinds[kind])
    }

    func state(
        of kind: String, _ id: RecordID, counting filter: EventFilter, in history: RecordHistory
    ) throws -> (state: RecordState, names: Names)? {
        guard let positions = try storedState(of: kind, id)?.history.positions else { return nil }
        var names = names
        let state = try history.state(of: kind, id, foldedFrom: positions, filter, names: &names)
        return state.history.count > 0 ? (state, names) : nil
    }
}
