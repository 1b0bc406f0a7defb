import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMembership
import GroundwaveRecords

/// The only replay: folds the events of a log into a view, from the view's checkpoint to the end of the log.
///
/// Catching up after a write, rebuilding, time travel and processing the events of other processes all use it, with
/// another start, end or destination. Events are folded in slices. Each slice is one transaction of the view,
/// checkpoint included, so a crash can leave a view behind, but never wrong.
struct Replayer {
    let log: EventLog
    let kinds: Kinds
    /// The events to fold.
    var filter = EventFilter()
    /// The events that the view already contains, some of them after its checkpoint, if the fold resumes from a
    /// snapshot.
    var folded = VersionVector()
    /// Refolds the records that late events touch; `nil` to leave late events to a later replay.
    var history: RecordHistory?
    /// The maximum number of events per slice: bounds memory, and how long a snapshot of the log is held.
    var sliceCount = 1 << 20

    /// The result of a replay.
    struct Outcome: Hashable, Sendable {
        var events = 0
        var unread = 0
    }

    /// Brings the view in `environment` up to the log's last event, or to `end`.
    ///
    /// - Throws: ``ViewError/stale`` if the view is of another log, history or version; ``ViewError/damaged(_:)`` if
    ///   a row is not as written. Previous slices stay committed; the caller must then rebuild the view.
    func catchUp(_ environment: Environment, through end: Position = .max) throws -> Outcome {
        var outcome = Outcome()
        while try foldDerivations(into: environment) || foldLate(into: environment, &outcome)
            || foldSlice(into: environment, through: end, &outcome)
        {}
        return outcome
    }

    /// Fills an empty view with the records of `snapshot` and the first slice of the events after its checkpoint.
    func begin(_ environment: Environment, with snapshot: SnapshotReader, through end: Position) throws {
        var outcome = Outcome()
        _ = try foldSlice(into: environment, through: end, &outcome, snapshot)
    }

    /// Folds one slice. Returns `false` if nothing was left to fold.
    private func foldSlice(
        into environment: Environment, through end: Position, _ outcome: inout Outcome, _ base: SnapshotReader? = nil
    ) throws -> Bool {
        let start = try environment.read { try Self.checkpoint(in: $0, ViewTables(in: $0)) }
        let target = Swift.min(try log.lastPosition(), end)
        try check(start)
        guard start.position < target || base != nil else { return false }
        let rows = try base.map { base in
            let directory = try environment.read { try SliceWriter.directory(in: $0, ViewTables(in: $0)) }
            return SnapshotRows(of: base, kinds: kinds, KnownDerivations(directory, kinds), try log.runIndex())
        }
        try log.withSnapshot { snapshot in
            var groups = EventGroups()
            var blocks: [(position: Position, place: Place)] = []
            var unread: [(position: Position, reason: [UInt8])] = []
            var last = start
            let roster = try snapshot.roster()
            try snapshot.scan(from: start.position + 1) { position, frame, bytes in
                guard position <= target else { return false }
                last.position = position
                guard isWanted(frame.id), !frame.isLost else { return position < target }
                do throws(ChangeError) {
                    let shape = bytes.extracting(frame.shape)
                    let reader = try ChangeReader(
                        shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
                    guard roster?.folds(frame.id, reader, in: shape) ?? true else { return position < target }
                    if reader.block != nil {
                        blocks.append((position, snapshot.place(of: bytes)))
                        return position < target && blocks.count < sliceCount
                    }
                    groups.append(reader, in: shape, position: position, place: snapshot.place(of: bytes))
                } catch  where roster?.counts(frame.id) ?? true {
                    unread.append((position, UnreadEvent.encode(error)))
                } catch {}
                return position < target && groups.count < sliceCount
            }
            // The checksum of the frame appended at that position, not of a late event that fills it.
            last.checksum = try snapshot.checksum(at: last.position) ?? 0
            return try environment.write { transaction in
                // If another process has advanced the view meanwhile, keep its result, and read this slice again.
                guard try Self.checkpoint(in: transaction, ViewTables(in: transaction)) == start else { return }
                var writer = try SliceWriter(
                    transaction, kinds: kinds, filter, names: base?.head.names, base: rows)
                try writer.fold(groups, from: snapshot, transaction)
                try writer.fold(blocks, from: snapshot, transaction)
                try writer.finish(through: last, unread: unread, transaction)
                outcome.events += Int(last.position - start.position)
                outcome.unread += unread.count + writer.unread.count
                if base != nil {
                    try followClocks(after: groups.count == 0 ? .alone : .withEvents, transaction)
                } else if groups.include(kind: ClockDeclaration.kind) {
                    try followClocks(transaction)
                }
            }
        }
        return true
    }

    func isWanted(_ event: EventID) -> Bool { filter.includes(event) && !folded.contains(event) }

    /// Throws ``ViewError/stale`` unless the view's checkpoint lies in this log's history.
    func check(_ checkpoint: Checkpoint) throws {
        guard checkpoint.log == log.id, checkpoint.epoch == log.epoch, checkpoint.layout == Kinds.viewVersion,
            try checkpoint.content.generation == log.generation()
        else {
            throw ViewError.stale
        }
        guard checkpoint.position > 0 else { return }
        guard try log.checksum(at: checkpoint.position) == checkpoint.checksum else { throw ViewError.stale }
    }

    static func checkpoint(in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: ViewTables) throws
        -> Checkpoint
    {
        guard let row = try transaction.value(Checkpoint.key, in: tables.meta),
            let checkpoint = Checkpoint(try CheckedRow.open(row))
        else { throw ViewError.damaged("its checkpoint is missing") }
        return checkpoint
    }
}

/// An event that is in the log but not in the views: its type is known only to a later version, or it is malformed.
///
/// It is never dropped or misread: it is counted, listed, and tried again by every rebuild.
public struct UnreadEvent: Hashable, Sendable {
    /// The position of the event.
    public let position: Position
    /// Whether a later version may read it; otherwise its content is malformed.
    public let isUnknown: Bool
    /// A description of the error.
    public let reason: String

    static func encode(_ error: ChangeError) -> [UInt8] {
        if case .unknown = error { return [1] + Array("\(error)".utf8) }
        return [2] + Array("\(error)".utf8)
    }

    /// - Parameter row: A row of `unread`, with its checksum.
    init(position: Position, row: RawSpan) {
        self.position = position
        isUnknown = row.byteCount > 4 && row.byte(at: 4) == 1
        reason = String(decoding: row.extracting(Swift.min(5, row.byteCount)..<row.byteCount).toArray(), as: UTF8.self)
    }
}
