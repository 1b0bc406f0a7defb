import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

/// The replica that a store writes as, and the stored half of its ownership token.
///
/// The device half is stored outside the store. Both change whenever a process begins to write, so a store that was
/// copied, or restored from a backup, finds that the halves differ.
public struct Claim: Hashable, Sendable {
    /// The replica whose events this store appends.
    public let replica: ReplicaID
    /// The replica that this one continues; `nil` for the first one of a device.
    public let former: ReplicaID?
    /// The stored half of the token: random bytes; zeros if ownership was given up.
    public let token: LogID

    // As a row: replica (16), former (16, zeros for none), token (16).
    static let key = [UInt8]("claim".utf8)
    private static let none = ReplicaID(high: 0, low: 0)

    /// Creates a claim from its parts.
    public init(replica: ReplicaID, former: ReplicaID?, token: LogID) {
        self.replica = replica
        self.former = former
        self.token = token
    }

    init?(_ row: RawSpan) {
        guard row.byteCount == 48 else { return nil }
        let former = ReplicaID(at: 16, of: row)
        self.init(
            replica: ReplicaID(at: 0, of: row), former: former == Self.none ? nil : former,
            token: LogID(at: 32, of: row))
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 48)
        writer.append(replica)
        writer.append(former ?? Self.none)
        writer.append(token)
        return writer.bytes
    }
}

extension EventLog {
    /// Returns the replica that this store writes as; `nil` if the log has no owner, or if ownership was given up
    /// because events of this replica arrived from elsewhere.
    public func claim() throws -> Claim? {
        try read { transaction in try Self.claim(in: transaction, LogTables(in: transaction)) }
    }

    /// Replaces the claim, while no other process writes. `decide` gets the present claim and returns the next one,
    /// with the final signed heads of the former replica if that is another one: see ``ownHeads(of:)``.
    public func claim(
        _ decide: (Claim?) throws -> (next: Claim, lastWords: [(stream: ReplicaID, head: SignedHead)])
    ) throws {
        // Uses a commit like a batch: after a failed commit nothing is acknowledged before the log was checked.
        try commit { transaction, tables, _ in
            let (claim, lastWords) = try decide(Self.claim(in: transaction, tables))
            for last in lastWords { try keep(last.head, of: last.stream, in: transaction, tables) }
            try transaction.put(claim.bytes.span.bytes, for: Claim.key, in: tables.meta)
        }
    }

    static func claim(
        in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables
    ) throws -> Claim? {
        guard let row = try transaction.value(Claim.key, in: tables.meta) else { return nil }
        guard let claim = row.withSpan({ Claim($0) }) else {
            throw EventLogError.damaged(
                "the record of which replica writes")
        }
        return claim.token == LogID(high: 0, low: 0) ? nil : claim
    }

    /// Throws if the store is owned as another replica, or if ownership was given up.
    static func checkClaim(
        of replica: ReplicaID, in transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws {
        guard let row = try transaction.value(Claim.key, in: tables.meta) else { return }
        guard let claim = row.withSpan({ Claim($0) }), claim.replica == replica, claim.token.high | claim.token.low != 0
        else { throw EventLogError.notClaimed(replica) }
    }

    /// Gives up ownership: nothing is appended here until the log is claimed again.
    package func giveUpClaim() throws {
        try commit { transaction, tables, _ in
            guard let claim = try Self.claim(in: transaction, tables) else { return }
            try Self.giveUpClaim(of: claim.replica, in: transaction, tables)
        }
    }

    /// Gives up ownership if the store writes as `replica`: events of it exist that were not here, so the next event
    /// written here could repeat a number that was used before.
    static func giveUpClaim(
        of replica: ReplicaID, in transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws {
        guard let claim = try claim(in: transaction, tables), claim.replica == replica else { return }
        let given = Claim(replica: replica, former: claim.former, token: LogID(high: 0, low: 0))
        try transaction.put(given.bytes.span.bytes, for: Claim.key, in: tables.meta)
    }
}
