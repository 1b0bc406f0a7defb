import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

extension EventLog {
    /// Returns the description of the archive snapshot; `nil` if nothing was archived. Cost: a look-up.
    public func base() throws -> LogBase? {
        try read { transaction in try LogTables(in: transaction).base(in: transaction) }
    }

    /// Passes the archive snapshot to `body`, piece by piece. Cost: O(bytes).
    public func forEachPieceOfBase(_ body: ([UInt8]) throws -> Void) throws {
        try read { transaction in
            try transaction.forEach(in: LogTables(in: transaction).base) { _, piece in
                try body(piece.toArray())
                return true
            }
        }
    }

    /// Removes the values of the events of `vector` from this log, after they were archived; every fold then begins
    /// with `snapshot`.
    ///
    /// The log is rewritten, as in ``erase(_:dropCopies:)``: leaves, roots, positions and runs stay.
    ///
    /// - Parameters:
    ///   - isKept: Whether the values of an event stay in the log.
    ///   - snapshot: The bytes of a snapshot at `vector`.
    ///   - check: Called when no other process can write any more, and before anything changes; if it throws, nothing does.
    /// - Returns: The number of events whose values were removed.
    /// - Throws: As ``erase(_:dropCopies:)``; then nothing has changed.
    /// - Precondition: `vector` consists of whole batches, all here, and covers that of the present archive snapshot.
    /// - Complexity: O(bytes of the log). All of `snapshot` is in memory, and nothing else that grows with the log.
    @discardableResult
    public func archive(
        _ vector: VersionVector, keeping isKept: (Frame, RawSpan) -> Bool, behind snapshot: [UInt8],
        check: () throws -> Void = {}
    ) throws -> Int {
        var count = 0
        try rewrite { old, new in
            try check()
            count = 0
            try Self.copyAll(old, new) { frame, bytes in
                guard vector.contains(frame.id), !frame.isPartial, !isKept(frame, bytes) else { return .same }
                count += 1
                return .withheld
            }
            try LogTables(in: new).putBase(snapshot, at: vector, in: new)
        }
        return count
    }

    /// Restores archived values to the log, and removes the archive snapshot.
    ///
    /// - Parameter restored: Returns the original frame of an event with its values; `nil` if the archive does not have
    ///   it.
    /// - Throws: ``EventLogError/archived(_:)`` if the values of an archived event are missing from the archive;
    ///   `damaged` if a frame is not that of the event here. Then nothing has changed.
    public func restore(_ restored: (EventID) throws -> [UInt8]?) throws {
        try rewrite { old, new in try Self.copyRestoring(old, new, restored) }
    }

    /// Writes a copy of this log with its archived values to a new file at `path`: see ``restore(_:)``.
    public func copy(to path: String, restoring restored: (EventID) throws -> [UInt8]?) throws {
        try read { old in
            try Environment.create(at: path, options: options) { new in
                try Self.copyRestoring(old, new, restored)
            }
        }
    }

    /// Copies the archive snapshot of `other` to this log, which is new and has none.
    ///
    /// - Complexity: O(bytes of the snapshot), all of which is in memory meanwhile.
    public func adoptBase(of other: EventLog) throws {
        guard let base = try other.base() else { return }
        var snapshot: [UInt8] = []
        snapshot.reserveCapacity(Int(base.byteCount))
        try other.forEachPieceOfBase { snapshot += $0 }
        try write { transaction in try LogTables(in: transaction).putBase(snapshot, at: base.vector, in: transaction) }
    }

    private static func copyRestoring(
        _ old: borrowing ReadTransaction, _ new: borrowing WriteTransaction, _ restored: (EventID) throws -> [UInt8]?
    ) throws {
        let tables = try LogTables(in: old)
        let archived = try tables.base(in: old)?.vector ?? VersionVector()
        let (erased, missing) = (try tables.erased.events(in: old), try tables.lacking.events(in: old))
        var found = EventSet()
        try copyAll(old, new) { frame, bytes in
            guard frame.isWithheld, archived.contains(frame.id), !erased.contains(frame.id) else { return .same }
            guard let whole = try restored(frame.id) else {
                if missing.contains(frame.id) { return .same }
                throw EventLogError.archived(frame.id)
            }
            found.insert(frame.id)
            try whole.withSpan { whole in
                let other = try Frame(verifying: whole, at: 0)
                let isSame =
                    other.id == frame.id && other.length == whole.byteCount && !other.isWithheld
                    && whole.extracting(other.header).elementsEqual(bytes.extracting(frame.header))
                    && whole.extracting(other.shape).elementsEqual(bytes.extracting(frame.shape))
                    && Hash256(hashing: whole.extracting(other.values))
                        == Hash256(at: 0, of: bytes.extracting(frame.values))
                guard isSame else { throw EventLogError.damaged("the archive: it has a different event \(frame.id)") }
            }
            return .other(whole)
        }
        try LogTables(in: new).lacking.remove(found, in: new)
    }
}
