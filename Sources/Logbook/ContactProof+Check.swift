import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// A contact derived entirely from the checked bytes of a proof.
public struct ProvenContact: Sendable {
    /// One event of it.
    public struct Event: Hashable, Sendable {
        /// The event.
        public let id: EventID
        /// When it was written, by its device's clock.
        public let stamp: Stamp
        /// The author and the reason, if the event itself has them: in a batch of several events only the last one
        /// does.
        public let note: AuditNote
        /// Whether an import wrote it.
        public let isImported: Bool
        /// Whether its values are withheld, so that only their hash is proven.
        public let isWithheld: Bool
    }

    /// The contact: the fold of exactly these events.
    public let record: Record
    /// The events, in the order of the proof.
    public let events: [Event]
    /// The trees whose roots were computed from the events, in order of replica.
    public let trees: [ContactProof.Tree]

    /// Whether the contact was erased: then it has no fields.
    public var isErased: Bool { record.isErased }
    /// The names of the fields whose value is withheld; for a register, the names of all its members.
    public var withheldFields: [String] { record.withheldContactFields }
}

extension ContactProof {
    /// Recomputes every root from the bytes of the events, and folds the events into the contact.
    ///
    /// - Returns: The contact, all of which follows from hashed bytes. The number of events of a tree is certain only
    ///   if its head is signed or anchored.
    /// - Throws: ``StoreError`` with code `damaged`, and the reason, if anything does not match.
    /// - Complexity: O(bytes of the proof); bounded by ``Limits``.
    public func check() throws -> ProvenContact {
        guard !items.isEmpty else { throw ProofObject.damaged("The proof has no events.") }
        guard items.count <= Limits.events,
            items.reduce(0, { $0 + $1.event.shape.count }) <= Limits.shapeBytes
        else { throw ProofObject.damaged("The proof has more events than one contact can have.") }
        guard Set(items.map(\.event.id)).count == items.count else {
            throw ProofObject.damaged("The proof has an event twice.")
        }
        guard Set(trees.map(\.replica)) == Set(items.map(\.event.id.replica)), trees == trees.sortedByReplica else {
            throw ProofObject.damaged("The trees of the proof do not belong to its events.")
        }
        for tree in trees { try Self.check(tree) }
        for item in items { try check(item) }
        let (record, events) = try fold()
        return ProvenContact(record: record, events: events, trees: trees)
    }

    private func check(_ item: Item) throws {
        let id = item.event.id
        guard let tree = trees.first(where: { $0.replica == id.replica }), id.sequence >= 1 else {
            throw ProofObject.damaged("Event \(id.short) is in no tree.")
        }
        let proof = InclusionProof(leafIndex: id.sequence - 1, treeSize: tree.events, path: item.path)
        guard proof.root(leaf: item.event.leaf) == tree.root else {
            throw ProofObject.damaged("Event \(id.short) is not in the tree: its bytes and path lead to another root.")
        }
    }

    private static func check(_ tree: Tree) throws {
        guard let since = tree.since else { return }
        let proof = ConsistencyProof(earlierSize: since.events, laterSize: tree.events, path: since.path)
        guard since.events < tree.events, proof.holds(from: since.root, to: tree.root) else {
            throw ProofObject.damaged(
                "The tree of \(tree.replica.short) does not begin with the earlier tree that it refers to.")
        }
    }

    /// The contact: what the events write to. An erase alone is about its own record, and may be about others.
    private func contact() -> RecordID? {
        let written = items.lazy.compactMap { item -> (record: RecordID, isErase: Bool)? in
            let (shape, values) = (item.event.shape.span.bytes, item.event.values.span.bytes)
            let reader = try? ChangeReader(
                shape: shape, isWithheld: item.event.isWithheld, by: WrittenNames(of: item.event.id))
            return reader.map { ($0.record, $0.isErase(shape: shape, values: values)) }
        }
        return (written.first { !$0.isErase } ?? written.first)?.record
    }

    private func fold() throws -> (Record, [ProvenContact.Event]) {
        var state = RecordState()
        var names = Names()
        var events: [ProvenContact.Event] = []
        guard let record = contact() else { throw ProofObject.damaged("The proof has no change of a contact.") }
        for (index, item) in items.enumerated() {
            let event = item.event
            let (shape, values) = (event.shape, event.values)
            do throws(ChangeError) {
                var reader = try ChangeReader(
                    shape: shape.span.bytes, isWithheld: event.isWithheld, by: WrittenNames(of: event.id))
                var check = reader
                try check.validate(shape: shape.span.bytes, values: values.span.bytes)
                guard reader.isOfContact(in: shape),
                    reader.affects(record, shape: shape.span.bytes, values: values.span.bytes)
                else { throw .inconsistent }
                events.append(
                    ProvenContact.Event(
                        id: event.id, stamp: event.stamp, note: try reader.note(in: values.span.bytes),
                        isImported: reader.source != nil, isWithheld: event.isWithheld))
                try state.fold(
                    &reader, of: record, shape: shape.span.bytes, values: values.span.bytes, event: event.id,
                    stamp: event.stamp,
                    position: Position(index + 1), names: &names)
            } catch {
                throw StoreError(
                    .damaged,
                    "Event \(event.id.short) is not a change of the proof's contact that this version can read.",
                    cause: error)
            }
        }
        return (
            Record(kind: QSOKind.name, id: record, state: state, names: names, schema: QSOKind.schema), events
        )
    }
}

extension ChangeReader {
    fileprivate func isOfContact(in shape: [UInt8]) -> Bool { shape[kind].elementsEqual(QSOKind.name.utf8) }
}

extension [ContactProof.Tree] {
    fileprivate var sortedByReplica: Self { sorted { $0.replica < $1.replica } }
}
