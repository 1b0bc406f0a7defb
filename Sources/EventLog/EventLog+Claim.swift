import ByteCoding
import Events
import LMDB

/// Which replica a store writes as, and the half of its token that lies in the log.
///
/// The other half lies outside the store. Both change whenever a process begins to write, so a store that was copied, or
/// put back to an earlier state, finds the halves apart.
public struct Claim: Hashable, Sendable {
    /// The replica whose events this store appends.
    public let replica: ReplicaID
    /// The replica that this one goes on from; `nil` for the first one of a device.
    public let former: ReplicaID?
    /// Random bytes.
    public let token: LogID

    // As a row: replica (16), former (16, zeros for none), token (16).
    static let key = [UInt8]("claim".utf8)
    private static let none = ReplicaID(high: 0, low: 0)

    /// A claim of these parts.
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
    /// Which replica this store writes as; `nil` where nobody has claimed it, or where its claim was given up, since
    /// events of its own came from elsewhere.
    public func claim() throws -> Claim? {
        try read { transaction in try Self.claim(in: transaction, LogTables(in: transaction)) }
    }

    /// Claims the log anew, alone among all processes: `decide` gets the present claim and says the next one, and the
    /// last heads of the replica that writes no more, where it is another one: see ``ownHeads(of:)``.
    public func claim(
        _ decide: (Claim?) throws -> (next: Claim, lastWords: [(stream: ReplicaID, head: SignedHead)])
    ) throws {
        // A commit like that of a batch: after a failed one nothing is acknowledged before the log was looked at.
        try commit { transaction, tables, _ in
            let (claim, lastWords) = try decide(Self.claim(in: transaction, tables))
            for last in lastWords { try keep(last.head, of: last.stream, in: transaction, tables) }
            try transaction.put(claim.bytes.span.bytes, for: Claim.key, in: tables.meta)
        }
    }

    static func claim(
        in transaction: borrowing some Reading & ~Copyable, _ tables: LogTables
    ) throws -> Claim? {
        guard let row = try transaction.value(Claim.key, in: tables.meta) else { return nil }
        guard let claim = row.withSpan({ Claim($0) }) else { throw EventLogError.damaged(
            "the record of which replica writes") }
        return claim.token == LogID(high: 0, low: 0) ? nil : claim
    }

    /// Throws where the store was claimed for another replica, or its claim was given up.
    static func checkClaim(
        of replica: ReplicaID, in transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws {
        guard let row = try transaction.value(Claim.key, in: tables.meta) else { return }
        guard let claim = row.withSpan({ Claim($0) }), claim.replica == replica, claim.token.high | claim.token.low != 0
        else { throw EventLogError.notClaimed(replica) }
    }

    /// Gives the claim up: nobody appends here any more who has not claimed the log anew.
    package func giveUpClaim() throws {
        try commit { transaction, tables, _ in
            guard let claim = try Self.claim(in: transaction, tables) else { return }
            try Self.giveUpClaim(of: claim.replica, in: transaction, tables)
        }
    }

    /// Gives the claim of `replica` up, if it is the one that holds it: somebody knows events of it that were not here,
    /// so what it would append next may have been appended before.
    static func giveUpClaim(
        of replica: ReplicaID, in transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws {
        guard let claim = try claim(in: transaction, tables), claim.replica == replica else { return }
        let given = Claim(replica: replica, former: claim.former, token: LogID(high: 0, low: 0))
        try transaction.put(given.bytes.span.bytes, for: Claim.key, in: tables.meta)
    }
}
