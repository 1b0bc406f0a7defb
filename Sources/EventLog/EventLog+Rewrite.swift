import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

/// What a rewrite does with an event.
enum RewrittenEvent {
    case same
    /// Without its values; their hash replaces them.
    case withheld
    /// Another whole frame of the same event.
    case other([UInt8])
}

// Rewrites of a log: a new file is written beside the present one and replaces it, so removed content is in none of its
// pages. Late frames are moved to their positions.
extension EventLog {
    /// Replaces the log's file by one that `fill` writes from it.
    ///
    /// Positions, runs, trees and epoch must stay; the checksums that chain the frames change from the first changed
    /// event on. The new file has a new generation: see ``LogTables/create(in:after:)``. Readers continue meanwhile;
    /// writers wait.
    func rewrite(_ fill: (borrowing ReadTransaction, borrowing WriteTransaction) throws -> Void) throws {
        try checkAfterFailedCommit()
        try write { transaction in
            // Reads within a write see the state before it, and nothing is written to the old file.
            try read { old in
                try environment().replaceFile(during: transaction) { new in try fill(old, new) }
            }
        }
    }

    /// Copies a whole log except its archive snapshot, applying `change` to each event.
    static func copyAll(
        _ old: borrowing ReadTransaction, _ new: borrowing WriteTransaction,
        _ change: (Frame, RawSpan) throws -> RewrittenEvent
    ) throws {
        let from = try LogTables(in: old)
        try LogTables.create(in: new, after: generation(in: old, from.meta))
        let to = try LogTables(in: new)
        try copy(from.runs, to.runs, old, new)
        try copy(from.heads, to.heads, old, new)
        try copy(from.arrivals, to.arrivals, old, new)
        try copy(from.trees, to.trees, old, new)
        try copy(from.nodes, to.nodes, old, new)
        try copy(from.erased, to.erased, old, new)
        try copy(from.signed, to.signed, old, new)
        try copy(from.waiting, to.waiting, old, new)
        try copy(from.streams, to.streams, old, new)
        try copy(from.holes, to.holes, old, new)
        try copy(from.lacking, to.lacking, old, new)
        try old.forEach(in: from.meta) { key, value in
            let name = key.toArray()
            if name != LogBase.key, name != LogGeneration.key { try new.put(value, for: name, in: to.meta) }
            return true
        }
        var state = try from.state(in: old)
        try copyEvents(from, to.events, &state, old, new, change)
        try new.put(state.bytes.span.bytes, for: LogState.key, in: to.meta)
    }

    /// Copies the archive snapshot of a log to its new file.
    static func copyBase(_ old: borrowing ReadTransaction, _ new: borrowing WriteTransaction) throws {
        let (from, to) = (try LogTables(in: old), try LogTables(in: new))
        try copy(from.base, to.base, old, new)
        if let row = try old.value(LogBase.key, in: from.meta) {
            try new.put(row.span.bytes, for: LogBase.key, in: to.meta)
        }
    }

    private static func copy<Key: TableKey>(
        _ table: CheckedTable<Key>, _ target: CheckedTable<Key>, _ old: borrowing ReadTransaction,
        _ new: borrowing WriteTransaction
    ) throws {
        try old.forEach(in: table) { key, value in
            guard let key = Key(keyBytes: key) else { throw EventLogError.damaged("the key of a row") }
            try new.append(value, for: key, in: target)
            return true
        }
    }

    /// Copies the events and recomputes their chain. Each must be undamaged and follow the one before it.
    private static func copyEvents(
        _ tables: LogTables, _ target: Table<UInt64>, _ state: inout LogState, _ old: borrowing ReadTransaction,
        _ new: borrowing WriteTransaction, _ change: (Frame, RawSpan) throws -> RewrittenEvent
    ) throws {
        var buffer = ByteWriter(capacity: 1024)
        var (next, oldChecksum, newChecksum) = (Position(1), UInt32(0), UInt32(0))
        var late = NextLate()
        try old.withCursor(tables.events) { cursor in
            try cursor.forEach(from: nil) { key, value in
                let frame = try Frame(verifying: value, at: next)
                guard UInt64(keyBytes: key) == next, frame.previousChecksum == oldChecksum else {
                    throw EventLogError.damaged("the chain of frames at position \(next)")
                }
                oldChecksum = frame.checksum(in: value)
                buffer.removeAll()
                try withPresent(value, at: next, in: old, &late) { bytes in
                    let frame = try Frame(verifying: bytes, at: next)
                    switch try change(frame, bytes) {
                    case .same: newChecksum = buffer.append(rechaining: bytes, after: newChecksum)
                    case .withheld: newChecksum = buffer.append(withholding: frame, in: bytes, after: newChecksum)
                    case .other(let bytes):
                        newChecksum = bytes.withSpan { buffer.append(rechaining: $0, after: newChecksum) }
                    }
                }
                try buffer.withSpan { try new.append($0, for: next, in: target) }
                next += 1
                return true
            }
        }
        guard next == state.nextPosition, oldChecksum == state.lastChecksum else {
            throw EventLogError.damaged("the last frame")
        }
        state.lastChecksum = newChecksum
    }
}
