import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

extension Store {
    /// Returns a proof that a contact is in this log as it shows. Anybody can check it without a store.
    ///
    /// The tree of this device's events has a signed head; the trees of other devices have only a root, which this
    /// device cannot sign. Works in a read-only store, and changes nothing.
    ///
    /// - Parameters:
    ///   - id: The contact.
    ///   - head: The signed head that the verifier has. The proof is then made over exactly its events or, if some
    ///     events of the contact are later, shows that this log extends it.
    /// - Throws: ``StoreError`` with code `notFound` if there is no such contact, or `head` is of another log;
    ///   `usage` if the contact has more events than a proof can hold, if these are in several histories of one
    ///   device, or if none is of the device that signed `head`; `damaged` if this log is not the one that was
    ///   signed, or its tree does not match its events.
    /// - Complexity: As `EventLog.inclusionProof(of:size:)` for each event of the contact.
    public func proof(ofContact id: RecordID, for head: SignedHead? = nil) throws -> ContactProof {
        try describing {
            guard let positions = try read({ try $0.state(of: QSOKind.name, id)?.history.positions }) else {
                throw WriteBatch.noRecord(QSOKind.name, id)
            }
            var events: [DetachedEvent] = []
            var written: Set<ReplicaID> = []
            try log.withEvents(at: positions) { _, frame, bytes in
                guard events.count <= ContactProof.Limits.events, frame.affects(id, in: bytes) else { return }
                events.append(DetachedEvent(frame, in: bytes))
                written.insert(frame.id.replica)
            }
            let lost = try log.lostRanges().filter { written.contains($0.replica) }
            if let first = lost.first {
                throw StoreError(
                    .notFound,
                    "Nothing of the device \(first.replica.short) can be proven while its event \(first.first) is lost.",
                    hint: "It comes back from a device that has it: \(.synchronise)")
            }
            let shapeBytes = events.reduce(0) { $0 + $1.shape.count }
            guard events.count <= ContactProof.Limits.events, shapeBytes <= ContactProof.Limits.shapeBytes else {
                throw StoreError(
                    .usage,
                    "The contact was changed too often: a proof has at most \(ContactProof.Limits.events) changes.")
            }
            let histories = try histories(of: written, for: head)
            let trees = try trees(over: events, histories, for: head)
            let items = try events.map { event in
                let size = trees.first { $0.replica == event.id.replica }?.events ?? 0
                let history = histories[event.id.replica] ?? [event.id.replica]
                if history.count > 1 {
                    let proof = try log.inclusionProof(along: history, of: event.id.sequence, size: size)
                    return ContactProof.Item(event: event, path: proof.path)
                }
                guard let proof = try log.inclusionProof(of: event.id, size: size) else {
                    throw EventLogError.damaged("the last event of a replica")
                }
                return ContactProof.Item(event: event, path: proof.path)
            }
            let proof = ContactProof(items: items, trees: trees)
            do { _ = try proof.check() } catch {
                throw StoreError(
                    .damaged, "The tree of \(files.log) does not match its events.",
                    hint: "To see what is damaged: \(.verify)",
                    cause: error)
            }
            return proof
        }
    }

    /// Returns, for each replica, a history that contains all its branches in `written`, preferably the one that
    /// `head` signs.
    private func histories(of written: Set<ReplicaID>, for head: SignedHead?) throws -> [ReplicaID: [ReplicaID]] {
        let streams = try log.streams()
        var histories: [ReplicaID: [ReplicaID]] = [:]
        for (replica, parts) in Dictionary(grouping: written, by: streams.origin) {
            let whole = streams.histories(from: replica).filter { Set($0).isSuperset(of: parts) }
            guard !whole.isEmpty else {
                throw StoreError(
                    .usage, "The contact was changed in several histories of the device \(replica.short).",
                    hint: "A proof covers only one history. To see them: \(.list(.histories))")
            }
            let signed = try head.flatMap { head in
                try whole.first { path in
                    try head.replica == replica && root(along: path, through: head.sequence) == head.root
                }
            }
            histories[replica] = signed ?? whole[0]
        }
        return histories
    }

    /// Returns the trees of the devices that wrote `events`.
    private func trees(
        over events: [DetachedEvent], _ histories: [ReplicaID: [ReplicaID]], for head: SignedHead?
    ) throws -> [ContactProof.Tree] {
        var last: [ReplicaID: SequenceNumber] = [:]
        for event in events { last[event.id.replica, default: 0] = max(last[event.id.replica] ?? 0, event.id.sequence) }
        if let head {
            guard case .kept = try standing(of: head) else {
                throw StoreError(
                    .damaged, "The head covers events that this store does not have.",
                    hint: "To see which are missing: \(.checkHead)")
            }
            guard last[head.replica] != nil else {
                throw StoreError(
                    .usage, "The head is from the device \(head.replica.short), which has not changed this contact.",
                    hint: "Ask for a head of \(last.keys.sorted().map(\.short).joined(separator: " or ")).")
            }
        }
        return try last.sorted { $0.key < $1.key }.map { replica, last in
            if let head, head.replica == replica, last <= head.sequence {
                return ContactProof.Tree(
                    replica: replica, events: head.sequence, root: head.root, head: head, since: nil)
            }
            let history = histories[replica] ?? [replica]
            return try currentTree(of: replica, history, since: head?.replica == replica ? head : nil)
        }
    }

    /// Returns the tree over all events of `replica`, signed if it is this device's own and the key is available.
    private func currentTree(
        of replica: ReplicaID, _ history: [ReplicaID], since head: SignedHead?
    ) throws -> ContactProof.Tree {
        let vector = try log.vector()
        let last = history.reduce(0) { $0 + vector[$1] }
        guard let root = try root(along: history, through: last) else {
            throw EventLogError.damaged("the last event of a replica")
        }
        let since = try head.flatMap { head in
            try log.consistencyProof(along: history, from: head.sequence, to: last).map {
                ContactProof.Earlier(events: head.sequence, root: head.root, path: $0.path)
            }
        }
        let identity = replica == self.replica ? try? files.readIdentity() : nil
        let signed = identity?.sign(log: log.id, sequence: last, root: root)
        return ContactProof.Tree(replica: replica, events: last, root: root, head: signed, since: since)
    }
}
