import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveStore

/// How a store compares to a signed head.
public enum HeadStanding: Hashable, Sendable {
    /// All signed events are here and unaltered, and `later` events have been added since.
    case kept(later: UInt64)
    /// Events with all these numbers are here, but they are not those that were signed.
    case rewritten(root: Hash256)
    /// This store has fewer of the device's events than were signed, so the head cannot be checked. `events` is their
    /// number; after a fork, that of the longest history.
    case missing(events: SequenceNumber)
}

extension Store {
    /// Returns the present head of this device's events, signed with its key.
    ///
    /// Changes nothing, and also works in a read-only store: the key is read from its file.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if this device has written nothing yet; `damaged` if its key is
    ///   missing; `notPermitted` if it is in the keychain of another program, `busy` if the keychain cannot be used now.
    /// - Complexity: As `EventLog.root(of:)`.
    public func signedHead() throws -> SignedHead {
        try describing {
            let identity = try files.readIdentity()
            let last = try log.vector()[identity.replica]
            guard last > 0, let root = try log.root(of: identity.replica, through: last) else {
                throw StoreError(
                    .notFound, "This device has written nothing to \(files.folder.path) yet: there is nothing to sign.")
            }
            return identity.sign(log: log.id, sequence: last, root: root)
        }
    }

    /// Returns the root of the tree over a history up to `sequence`; `nil` if the history is shorter.
    ///
    /// - Parameter path: The branches that the history consists of, in order.
    package func root(along path: [ReplicaID], through sequence: SequenceNumber) throws -> Hash256? {
        var hasher = MerkleHasher()
        return try log.edge(along: path, through: sequence)?.root(hasher: &hasher)
    }

    /// Returns whether the events that `head` signs are here, and unaltered.
    ///
    /// - Parameter head: A head with a valid signature, of any device.
    /// - Throws: ``StoreError`` with code `notFound` if it is of another log.
    /// - Complexity: As `EventLog.edge(of:through:)`.
    public func standing(of head: SignedHead) throws -> HeadStanding {
        try describing {
            guard head.log == log.id else {
                throw StoreError(
                    .notFound,
                    "The head is from the log \(head.log.short), but this store is of the log \(log.id.short).",
                    hint: "\(.chooseStoreOfLog).")
            }
            let (vector, streams) = (try log.vector(), try log.streams())
            var standing = HeadStanding.missing(events: 0)
            // After a fork there are several histories; one that has the signed root is enough.
            for path in streams.histories(from: head.replica) {
                let count = path.reduce(0) { $0 + vector[$1] }
                guard let root = try root(along: path, through: head.sequence) else {
                    if case .missing(let events) = standing { standing = .missing(events: max(events, count)) }
                    continue
                }
                if root == head.root { return .kept(later: count - head.sequence) }
                standing = .rewritten(root: root)
            }
            return standing
        }
    }
}
