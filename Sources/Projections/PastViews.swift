import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRecords
import Synchronization

/// The views of a log under a filter: as they were at some point, or as they would be without some of the events.
///
/// There are two implementations with the same results. A state near the present is an ``Overlay`` over the present
/// views: its cost depends on the number of events left out, and it stays valid while the log grows, so it may be
/// kept for hours. A distant state is folded into a temporary file, starting from the nearest snapshot.
///
/// Writes nothing to the store, and holds no LMDB read transaction between reads.
public final class PastViews: Sendable {
    /// The events that count, by the names that they had when this object was created.
    public let filter: EventFilter
    /// The known kinds, with the policies for reading the records.
    public let kinds: Kinds

    /// The log that the views are folded from.
    var log: EventLog { views.log }

    private let views: Views
    private let path: String
    private let snapshots: [String]
    private let former: ReusablePastView?
    /// The events that were lost when this object was created. They stay left out if they are received again.
    private let lost: EventSet
    /// The names by which `filter` and `lost` name events.
    private let names: EventNames
    private let source = Mutex<Made?>(nil)
    /// The filter with the declarations of wrong clocks that count under it, for the content that they were found in.
    private let completed = Mutex<(filter: EventFilter, content: LogContent)?>(nil)
    /// The number of files created. A new file gets a new name, since a reader may still use the previous one.
    private let files = Atomic(0)

    private enum Source {
        case overlay(Overlay)
        case file(PastViewFile)
    }

    /// A source, and the content of the log that it was made from. It is invalid once the log has another content.
    private struct Made {
        var source: Source
        let content: LogContent
    }

    /// Creates the views of `views`' log under `filter`. Folds nothing until the first read.
    ///
    /// - Parameters:
    ///   - kinds: The kinds, if records are read by other policies than those of `views`.
    ///   - path: A path in a temporary folder: the prefix of the names of temporary files.
    ///   - snapshots: The paths of snapshots to start from. Unusable ones are skipped.
    ///   - former: Receives the past view when it is no longer needed, and provides one to resume from.
    ///   - lost: Lost events that no snapshot covers. They stay left out if they are received again.
    ///   - names: The names that the log's events had when `filter` and `lost` were made; those of now if `nil`.
    /// - Throws: ``EventLogError`` if the names of now cannot be read.
    public init(
        of views: Views, _ filter: EventFilter, kinds: Kinds? = nil, temporaryPath path: String,
        snapshots: [String] = [],
        former: ReusablePastView? = nil, lost: EventSet = EventSet(), names: EventNames? = nil
    ) throws {
        self.names = try names ?? views.log.eventNames()
        self.views = views
        self.filter = filter
        self.kinds = kinds ?? views.kinds
        self.path = path
        self.snapshots = snapshots
        self.former = former
        self.lost = lost
    }

    /// Returns ``filter`` by the names that events have now, without those events that were lost when this object was
    /// created and have been received since.
    public func countedFilter() throws -> EventFilter {
        let renamings = try log.renamings(since: names)
        var counted = filter.renamed(by: renamings)
        if lost.isEmpty { return counted }
        counted.without.formUnion(lost.renamed(by: renamings).subtracting(EventSet(try log.lostRanges())))
        return counted
    }

    /// Calls `body` with ``countedFilter()``, again if the log is rewritten meanwhile: a fork renames events.
    private func counting<Result>(_ body: (EventFilter) throws -> Result) throws -> Result {
        for _ in 0..<Self.attemptLimit {
            let generation = try log.generation()
            let result = try body(try countedFilter())
            if try log.generation() == generation { return result }
        }
        throw ViewError.stale
    }

    deinit {
        guard let made = source.withLock({ $0 }), case .file(let file) = made.source else { return }
        // A file made before a rewrite may contain erased values and miss late events.
        if let content = try? log.content(), content == file.content { former?.store(file) }
    }

    private func makeSource(of content: LogContent, _ filter: EventFilter) throws -> Source {
        let log = views.log
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
            : former?.remove { file in
                guard file.content == content, file.signature == signature,
                    counted.canBeReached(from: file.vector, archived)
                else { return false }
                return (counted.eventCount - file.vector.eventCount) * Self.advanceCost <= cost
            }
        if let former {
            do { return .file(try advance(from: former, filter, to: counted, through: position)) } catch is ViewError {
                // The past view is discarded, and another one is made.
            }
        }
        if filter.altersHistory || leftOut * Self.overlayCost <= replayCost {
            return .overlay(Overlay(filter, position: position))
        }
        func file(_ environment: Environment) -> Source {
            .file(
                PastViewFile(
                    environment, at: path, vector: counted, signature: signature, content: content))
        }
        for (reader, cost) in zip(candidates, costs).sorted(by: { $0.1 < $1.1 }) where cost < counted.eventCount {
            do {
                return file(try load(reader, filter, counted, through: position, at: path, content))
            } catch is SnapshotError {
                unlink(path)
            }
        }
        return file(try Views.build(at: path, of: log, kinds: kinds, through: position, filter).environment)
    }

    private func usableSnapshots(for vector: VersionVector, _ archived: VersionVector) throws -> [SnapshotReader] {
        return try snapshots.compactMap { path in
            guard let reader = try? SnapshotReader(path), reader.head.log == log.id,
                try reader.head.layout == Kinds.layout(for: log, of: reader.head.vector),
                vector.canBeReached(from: reader.head.vector, archived)
            else { return nil }
            return reader
        }
    }

    /// Loads the snapshot of `reader` and folds the further events of `vector` into it.
    private func load(
        _ reader: SnapshotReader, _ filter: EventFilter, _ vector: VersionVector, through position: Position,
        at path: String, _ content: LogContent
    ) throws -> Environment {
        let missing = vector.ranges(missingFrom: reader.head.vector)
        let first = try missing.compactMap { try log.position(of: EventID($0.replica, $0.first)) }.min()
        let start = first.map { $0 - 1 } ?? position
        return try Views.load(
            reader, at: path, of: log, kinds: kinds, resumingAfter: start, through: position, filter,
            content: content)
    }

    /// Advances `former`, which has no readers left, to `vector`, which covers its own vector, by folding the missing
    /// events.
    private func advance(
        from former: PastViewFile, _ filter: EventFilter, to vector: VersionVector, through position: Position
    ) throws -> PastViewFile {
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

    /// The cost of folding an event into existing rows, relative to that of folding it in a replay.
    private static let advanceCost: UInt64 = 4

    /// The cost of leaving out an event, whose record is refolded from look-ups, relative to that of folding an event
    /// in a replay, or of loading a record of a snapshot.
    private static let overlayCost: UInt64 = 4

    /// Lends one consistent state to `body`; it is the same at every call.
    ///
    /// If the temporary file turns out to be damaged, it is made again, and `body` runs again.
    ///
    /// - Complexity: The first call O(events that `filter` leaves out) or O(events it counts), whichever is less.
    public func read<Result>(_ body: (borrowing ViewReader) throws -> Result) throws -> Result {
        do { return try readOnce(body) } catch {
            guard isFileDamaged(error) else { throw error }
            source.withLock { $0 = nil }
            return try readOnce(body)
        }
    }

    private func isFileDamaged(_ error: any Error) -> Bool {
        guard case .file(let file)? = source.withLock({ $0?.source }) else { return false }
        switch error {
        case ViewError.damaged: return true
        case let error as LMDBError: return error.meansDamage && error.path == file.environment.path
        default: return false
        }
    }

    private func readOnce<Result>(_ body: (borrowing ViewReader) throws -> Result) throws -> Result {
        // Retry if the log is rewritten between choosing the source and reading the views.
        for attempt in 0..<Self.attemptLimit {
            // Read-only views stay behind a rewrite until another process updates them.
            if attempt > 0, views.isReadOnly { try views.moveAside() }
            let made = try made()
            switch made.source {
            case .file(let file):
                return try file.environment.read { try ViewReader.lend($0, kinds: kinds, to: body) }
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

    /// Returns the source for the present content of the log.
    private func made() throws -> Made {
        let content = try log.content()
        return try source.withLock { known in
            if let known, known.content == content { return known }
            known = nil
            let made = Made(source: try counting { try makeSource(of: content, $0) }, content: content)
            known = made
            return made
        }
    }

    /// Returns one record, hidden or not, folded from the events that its row lists; `nil` if none of them counts.
    ///
    /// Cost: about 1 us per event of the record, whatever the size of the log.
    public func record(_ kind: String, _ id: RecordID) throws -> Record? {
        guard let (state, names) = try state(of: kind, id) else { return nil }
        return Record(kind: kind, id: id, state: state, names: names, schema: try kinds[kind] ?? views.schema(of: kind))
    }

    /// Returns the positions of the events of one record that count, ascending. Cost: as ``record(_:_:)``.
    public func positions(of kind: String, _ id: RecordID) throws -> [Position] {
        try state(of: kind, id)?.state.history.positions ?? []
    }

    private func state(of kind: String, _ id: RecordID) throws -> (state: RecordState, names: Names)? {
        try counting { filter in
            try views.read { view in
                let filter = try complete(filter, over: view)
                return try view.state(of: kind, id, counting: filter, in: views.history)
            }
        }
    }

    /// Returns `filter` with the declarations that count under it, which are found once.
    private func complete(_ filter: EventFilter, over view: borrowing ViewReader) throws -> EventFilter {
        let known = completed.withLock { $0 }
        var plain = known?.filter
        plain?.declared = nil
        if let known, known.content == view.content, plain == filter { return known.filter }
        let found = try view.completing(filter, in: views.history)
        let content = view.content
        completed.withLock { $0 = (found, content) }
        return found
    }

    /// Returns the overlay, extended to the events of `view`; `nil` if the views or the source now have another
    /// content.
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
    /// Whether a view at `other` can be advanced to this vector by folding the missing events, none of which is in
    /// `archived`.
    fileprivate func canBeReached(from other: VersionVector, _ archived: VersionVector) -> Bool {
        covers(other) && ranges(missingFrom: other).allSatisfy { $0.first > archived[$0.replica] }
    }
}

extension EventLog {
    /// Returns the position of the last event of `vector` in this log; 0 if it has none.
    package func lastPosition(of vector: VersionVector) throws -> Position {
        try vector.entries.reduce(0) { last, entry in
            Swift.max(last, try position(of: EventID(entry.replica, entry.sequence)) ?? 0)
        }
    }
}

extension ViewReader {
    /// Returns a record folded from the events that `filter` counts; `nil` if it counts none of the record's events.
    ///
    /// Cost: about 1 us per event of the record.
    ///
    /// - Throws: If a row is damaged: see ``ViewReader``; an error of the log if an event of the record cannot be read.
    public func record(
        _ kind: String, _ id: RecordID, counting filter: EventFilter, in history: RecordHistory
    ) throws -> Record? {
        guard let (state, names) = try state(of: kind, id, counting: filter, in: history) else { return nil }
        return Record(kind: kind, id: id, state: state, names: names, schema: try schema(of: kind))
    }

    func state(
        of kind: String, _ id: RecordID, counting filter: EventFilter, in history: RecordHistory
    ) throws -> (state: RecordState, names: Names)? {
        guard let positions = try storedState(of: kind, id)?.history.positions else { return nil }
        var (names, filter) = (names, filter)
        filter.declared = try declaredClocks(under: filter, in: history)
        let state = try history.state(of: kind, id, foldedFrom: positions, filter, names: &names)
        return state.history.count > 0 ? (state, names) : nil
    }
}
