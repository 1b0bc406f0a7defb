import ByteCoding
import EventLog
import Events
import LMDB
import Records

/// The one replay: takes the events of a log from a view's checkpoint to its end, and folds them into the view.
///
/// Catching up after a write, rebuilding, time travel and taking in what other processes wrote are this, with another
/// start, end or destination. Events are taken in slices; a slice is one transaction of the view, its checkpoint
/// included, so a crash leaves a view that is behind, never one that is wrong.
struct Replayer {
    let log: EventLog
    let kinds: Kinds
    /// Which events are folded.
    var filter = EventFilter()
    /// What the view has folded already, of what stands behind its checkpoint too: where it goes on from a snapshot.
    var folded = VersionVector()
    /// Folds anew the records that events touch which came late behind the checkpoint; `nil` where these are left to a later
    /// replay.
    var history: RecordHistory?
    /// How many events a slice has at most: bounds memory, and how long one snapshot of the log is held.
    var sliceCount = 1 << 20

    /// What a replay did.
    struct Outcome: Hashable, Sendable {
        var events = 0
        var unread = 0
    }

    /// Brings the view in `environment` up to the log's last event, or to `end`.
    ///
    /// - Throws: ``ViewError/stale`` when the view is of another log, history or version; ``ViewError/damaged(_:)``
    ///   when a row is not what was written. Slices before are kept; the view is then to be rebuilt.
    func catchUp(_ environment: Environment, through end: Position = .max) throws -> Outcome {
        var outcome = Outcome()
        while try foldLate(into: environment, &outcome) || foldSlice(into: environment, through: end, &outcome) {}
        return outcome
    }

    /// Fills an empty view with the records of `snapshot`, and with the first slice of what follows its checkpoint.
    func begin(_ environment: Environment, with snapshot: SnapshotReader, through end: Position) throws {
        var outcome = Outcome()
        _ = try foldSlice(into: environment, through: end, &outcome, snapshot)
    }

    /// Folds one slice; `false` when there was nothing left.
    private func foldSlice(
        into environment: Environment, through end: Position, _ outcome: inout Outcome, _ base: SnapshotReader? = nil
    ) throws -> Bool {
        let start = try environment.read { try Self.checkpoint(in: $0, ViewTables(in: $0)) }
        let target = Swift.min(try log.lastPosition(), end)
        try check(start)
        guard start.position < target || base != nil else { return false }
        let rows = try base.map { SnapshotRows(of: $0, kinds: kinds, try log.runIndex()) }
        try log.withSnapshot { snapshot in
            var groups = EventGroups()
            var blocks: [(position: Position, place: Place)] = []
            var unread: [(position: Position, reason: [UInt8])] = []
            var last = start
            try snapshot.scan(from: start.position + 1) { position, frame, bytes in
                guard position <= target else { return false }
                last.position = position
                guard isWanted(frame.id), !frame.isLost else { return position < target }
                do throws(ChangeError) {
                    let shape = bytes.extracting(frame.shape)
                    let reader = try ChangeReader(
                        shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
                    if reader.block != nil {
                        blocks.append((position, snapshot.place(of: bytes)))
                        return position < target && blocks.count < sliceCount
                    }
                    groups.append(
                        kind: shape.extracting(reader.kind), record: reader.record, position: position,
                        place: snapshot.place(of: bytes))
                } catch {
                    unread.append((position, UnreadEvent.encode(error)))
                }
                return position < target && groups.count < sliceCount
            }
            // That of the frame which stands there, and not of what came late in its place.
            last.checksum = try snapshot.checksum(at: last.position) ?? 0
            return try environment.write { transaction in
                // Another process may have come first: then its work stands, and this slice is read anew.
                guard try Self.checkpoint(in: transaction, ViewTables(in: transaction)) == start else { return }
                var writer = try SliceWriter(
                    transaction, kinds: kinds, filter, names: base?.head.names, base: rows)
                try writer.fold(groups, from: snapshot, transaction)
                try writer.fold(blocks, from: snapshot, transaction)
                try writer.finish(through: last, unread: unread, transaction)
                outcome.events += Int(last.position - start.position)
                outcome.unread += unread.count + writer.unread.count
            }
        }
        return true
    }

    func isWanted(_ event: EventID) -> Bool { filter.includes(event) && !folded.contains(event) }

    /// Whether the view's checkpoint lies in this log's history.
    func check(_ checkpoint: Checkpoint) throws {
        guard checkpoint.log == log.id, checkpoint.epoch == log.epoch, checkpoint.signature == kinds.signature,
            try checkpoint.content.generation == log.generation()
        else {
            throw ViewError.stale
        }
        guard checkpoint.position > 0 else { return }
        guard try log.checksum(at: checkpoint.position) == checkpoint.checksum else { throw ViewError.stale }
    }

    static func checkpoint(in transaction: borrowing some Reading & ~Copyable, _ tables: ViewTables) throws
        -> Checkpoint
    {
        guard let row = try transaction.value(Checkpoint.key, in: tables.meta),
            let checkpoint = Checkpoint(try CheckedRow.open(row))
        else { throw ViewError.damaged("its checkpoint is missing") }
        return checkpoint
    }
}

/// An event that is in the log and not in the views: of a type that a later version knows, or malformed.
///
/// It is never dropped and never taken for something else: it is counted, listed, and tried again by every rebuild.
public struct UnreadEvent: Hashable, Sendable {
    /// Where it stands.
    public let position: Position
    /// Whether a later version may read it; if not, its content is malformed.
    public let isUnknown: Bool
    /// What was wrong.
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
