import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMembership

extension EventLog {
    /// The key of the row with the stamp (8) that the clock had when the log was cleared.
    static let clearedKey = [UInt8]("cleared".utf8)
    /// The key of the row with the name that the device had then, in UTF-8.
    private static let deviceKey = [UInt8]("device".utf8)

    /// Replaces this store's log by an empty one with the same id and epoch, and the same claim.
    ///
    /// This is local and not an event: other stores keep what they have. No page of the new file holds anything of the
    /// old one.
    ///
    /// - Precondition: The claimed replica has written no events, since numbers are never assigned twice. The caller
    ///   claims the log as a new replica first.
    ///
    /// - Parameters:
    ///   - device: The name of the device, for the first event that it writes afterwards: the events that store the
    ///     name are removed.
    ///   - check: Called while no other process can write, before anything is deleted; if it throws, nothing is
    ///     deleted.
    /// - Throws: As ``erase(_:dropCopies:baseWithout:)``; then nothing has changed.
    public func clear(device: String? = nil, check: () throws -> Void = {}) throws {
        try rewrite { old, new in
            try check()
            let from = try LogTables(in: old)
            try LogTables.create(in: new, after: Self.generation(in: old, from.meta))
            let to = try LogTables(in: new)
            for name in ["format", "log", "epoch"].map({ [UInt8]($0.utf8) }) {
                guard let row = try old.value(name, in: from.meta) else { throw EventLogError.notALog }
                try new.put(row.span.bytes, for: name, in: to.meta)
            }
            if let row = try old.value(Claim.key, in: from.meta) {
                try new.put(row.span.bytes, for: Claim.key, in: to.meta)
            }
            // A log stays sealed, and by the same event: whoever empties it joins the same roster again.
            let roster = RosterRow(root: try Self.rosterRow(in: old, from).root)
            try new.put(roster.bytes.span.bytes, for: RosterRow.key, in: to.meta)
            if let device { try new.put([UInt8](device.utf8).span.bytes, for: Self.deviceKey, in: to.meta) }
            // The clock continues, so that later events do not seem older than the removed ones. Its own row holds the
            // stamp, since no event has it any more.
            let clock = try from.state(in: old).clock
            var writer = ByteWriter(capacity: 8)
            writer.append(littleEndian: clock.rawValue)
            try new.put(writer.bytes.span.bytes, for: Self.clearedKey, in: to.meta)
            let state = LogState(nextPosition: 1, lastChecksum: 0, clock: clock)
            try new.put(state.bytes.span.bytes, for: LogState.key, in: to.meta)
        }
        sealer.withLock { $0 = Sealer(generation: $0.generation + 1) }
    }

    /// Returns the name that the device had when the log was cleared; `nil` if the log was never cleared, or no name
    /// was stored.
    public func deviceWhenCleared() throws -> String? {
        try read { transaction in
            try transaction.value(Self.deviceKey, in: LogTables(in: transaction).meta).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
    }
}
