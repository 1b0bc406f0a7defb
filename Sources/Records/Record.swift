import GroundwaveByteCoding
import GroundwaveEvents

/// One record as readers see it: the fields, every head of each, and which head is shown.
///
/// It has no local numbers, so it may be kept, compared and sent anywhere.
public struct Record: Hashable, Sendable {
    /// One write that nothing has superseded.
    public struct Head: Hashable, Sendable {
        /// The identifier of the head.
        public let id: HeadID
        /// When it was written.
        public let stamp: Stamp
        /// The position of its event in this store's log.
        public let position: Position
        /// The import source; `nil` for a write by a person.
        public let source: SourceID?
        /// Whether what the source says counts as what a person says.
        public let isTrusted: Bool
        /// When the source first wrote to the field: before ``stamp`` for a correction.
        public let since: Stamp
        /// The value; `nil` for a clear.
        public let value: [UInt8]?
        /// Whether its value is withheld.
        public let isWithheld: Bool
        /// Whether it is an element of a collection, which may have several.
        public let isElement: Bool

        init(_ head: RecordState.Head, of state: RecordState, _ names: Names) {
            let writer = state.writers[Int(head.writer)]
            id = HeadID(EventID(names.replicas[Int(writer.replica)], writer.sequence), index: head.index)
            stamp = writer.stamp
            position = writer.position
            source = writer.source == 0 ? nil : names.sources[Int(writer.source) - 1]
            isTrusted = head.isTrusted
            since = head.since ?? writer.stamp
            value = head.code.hasValue && !head.isWithheld ? Array(state.values[head.value]) : nil
            isWithheld = head.isWithheld
            isElement = head.code == .add
        }

        /// A head that `operation` would write now, after all others.
        init(_ operation: FieldOperation, by source: SourceID?, isTrusted: Bool) {
            id = HeadID(EventID(ReplicaID(high: .max, low: .max), .max))
            stamp = Stamp(rawValue: .max)
            position = .max
            self.source = source
            self.isTrusted = isTrusted
            since = operation.since ?? stamp
            value = operation.value
            isWithheld = false
            isElement = false
        }

        /// Whether it is shown before what import sources say: a person wrote it, or a source that a person trusts.
        public var isDecision: Bool { source == nil || isTrusted }

        /// The order that decides between concurrent writes: stamp, then replica and number, then index.
        public static func shows(_ left: Head, before right: Head) -> Bool {
            left.stamp == right.stamp ? left.id < right.id : left.stamp < right.stamp
        }
    }

    /// One field and its heads.
    public struct Field: Hashable, Sendable {
        /// The field.
        public let key: FieldKey
        /// The policy that orders its heads.
        public let policy: MergePolicy
        /// The heads; the last one is shown.
        public let heads: [Head]
        /// The value that is shown; `nil` for none. That of ``shown``, and in a register also what that one lacks and
        /// others have.
        public let value: [UInt8]?
        /// For each member of a register that has several heads, the index of the head whose value is shown; else empty.
        private let parts: [Int?]
        private let contradictory: [Int]

        init(_ key: FieldKey, _ heads: [Head], schema: KindSchema?) {
            self.key = key
            policy = schema?.policy(of: key) ?? .latest
            guard heads.count > 1 else {
                (self.heads, value, parts, contradictory) = (heads, heads[0].value, [], [])
                return
            }
            guard policy == .sources, let schema else {
                self.heads = policy.order(heads)
                (value, parts, contradictory) = (self.heads[heads.count - 1].value, [], [])
                return
            }
            let reading = SourceReading(
                heads, of: schema.name(of: key), members: schema.members(of: key), covers: schema.covers)
            self.heads = reading.heads
            (value, parts) = (reading.value, reading.parts)
            contradictory = schema.isInternal(key) ? [] : reading.contradictions
        }

        /// The head that is shown.
        public var shown: Head { heads[heads.count - 1] }

        /// Returns the head whose value is shown for a member of a register: ``shown`` unless that one has none.
        public func shown(member: Int) -> Head { parts.isEmpty ? shown : parts[member].map { heads[$0] } ?? shown }

        /// The heads of import sources that contradict the value shown: no conflict, since a rule decides between them
        /// (``MergePolicy/sources``).
        public var contradictions: [Head] { contradictory.map { heads[$0] } }

        /// Whether there are heads with different values between which a person has to decide.
        ///
        /// Equal values and elements are no conflict, nor what import sources say that are not trusted.
        public var isConflict: Bool {
            if policy == .union { return false }
            let deciding = heads.filter { !$0.isElement && (policy != .sources || $0.isDecision) }
            guard let first = deciding.first else { return false }
            return deciding.contains { $0.value != first.value || $0.isWithheld != first.isWithheld }
        }
    }

    /// A delete that no later write has superseded.
    public struct Deletion: Hashable, Sendable {
        /// The event that deleted.
        public let event: EventID
        /// When it was written.
        public let stamp: Stamp
        /// Its position in this store's log.
        public let position: Position
        /// The events whose heads it covers, in order.
        public let covered: [EventID]
    }

    /// The kind.
    public let kind: String
    /// The id of the record within its kind.
    public let id: RecordID
    /// The fields that have heads, in order of their keys.
    ///
    /// A cleared field is among them.
    public let fields: [Field]
    /// The deletes, in order of event.
    public let deletions: [Deletion]
    /// Whether the record is shown: it has a head that no delete covers.
    public let isVisible: Bool
    /// Whether it was erased: then it has neither fields nor deletes, and is never shown again.
    public let isErased: Bool
    /// The number of events that touched it.
    public let eventCount: Int
    /// The position of the first of them in this store's log.
    public let firstPosition: Position
    /// The position of the last of them in this store's log.
    public let lastPosition: Position

    /// The record of `state`, with heads in the order of `schema`'s policies.
    public init(kind: String, id: RecordID, state: RecordState, names: Names, schema: KindSchema?) {
        #if COUNTS_RECORDS
        RecordCount.current?.increment()
        #endif
        self.kind = kind
        self.id = id
        isVisible = state.isVisible
        isErased = state.isErased
        eventCount = state.history.count
        firstPosition = state.history.first
        lastPosition = state.history.last
        // Field numbers are their own ordinals, so this is the order of the keys, except for names, which are few.
        let order = state.heads.indices.sorted { state.heads[$0].field < state.heads[$1].field }
        var fields: [Field] = []
        var start = 0
        while start < order.count {
            let field = state.heads[order[start]].field
            let end = order[start...].firstIndex { state.heads[$0].field != field } ?? order.count
            let key = names.field(field)
            let heads = order[start..<end].map { Head(state.heads[$0], of: state, names) }
            fields.append(Field(key, heads, schema: schema))
            start = end
        }
        if let last = fields.last, last.key.isName { fields.sort { $0.key < $1.key } }
        self.fields = fields
        deletions = Self.deletions(of: state, names)
    }

    /// The deletes of `state`, in order of event.
    static func deletions(of state: RecordState, _ names: Names) -> [Deletion] {
        state.deletions.map { deletion in
            let writer = state.writers[Int(deletion.writer)]
            return Deletion(
                event: EventID(names.replicas[Int(writer.replica)], writer.sequence), stamp: writer.stamp,
                position: writer.position,
                covered: deletion.covered.map { EventID(names.replicas[Int($0.replica)], $0.sequence) }.sorted())
        }.sorted { $0.event < $1.event }
    }

    /// The heads of `key`, or `nil` if the field was never written.
    public subscript(key: FieldKey) -> Field? {
        var low = 0
        var high = fields.count
        while low < high {
            let middle = (low + high) / 2
            if fields[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low < fields.count && fields[low].key == key ? fields[low] : nil
    }

    /// The value that the field of `operation`, a set by `source`, would show after it.
    package func value(
        after operation: FieldOperation, by source: SourceID?, isTrusted: Bool, schema: KindSchema
    ) -> [UInt8]? {
        let rest = self[operation.field]?.heads.filter { !operation.supersedes.contains($0.id) } ?? []
        return Field(
            operation.field, rest + [Head(operation, by: source, isTrusted: isTrusted)], schema: schema
        ).value
    }

    /// The heads of `key` and the deletes of the record: what a write to `key` supersedes.
    public func superseded(by key: FieldKey) -> [HeadID] {
        (self[key]?.heads.map(\.id) ?? []) + deletions.map { HeadID($0.event) }
    }

    /// The events whose heads a delete of this record covers.
    public var coveredByDelete: [HeadID] {
        Set(fields.flatMap { $0.heads.map(\.id.event) }).sorted().map { HeadID($0) }
    }

    /// Whether a decision is needed: a field has several values, or an edit was concurrent with a delete.
    public var hasConflict: Bool { (!deletions.isEmpty && isVisible) || fields.contains { $0.isConflict } }
}

extension MergePolicy {
    /// Returns the heads in the order that puts the one to be shown last.
    func order(_ heads: [Record.Head]) -> [Record.Head] {
        switch self {
        case .latest, .yields, .union, .sources: heads.sorted(by: Record.Head.shows)
        case .established: heads.sorted { Record.Head.shows($1, before: $0) }
        case .lease:
            // Greatest term; of equal terms the least stamp, then the least replica, holds the lease.
            heads.sorted { left, right in
                let (a, b) = (LeaseClaim.term(of: left.value), LeaseClaim.term(of: right.value))
                return a == b ? Record.Head.shows(right, before: left) : a < b
            }
        }
    }
}

/// The value of a lease: a term, then the holder.
public enum LeaseClaim {
    /// Encodes a lease of `holder` with `term`.
    public static func encode(term: UInt64, holder: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(varint: term)
        writer.append(contentsOf: holder)
        return writer.bytes
    }

    /// The term in `value`; 0 if it is not a lease.
    public static func term(of value: [UInt8]?) -> UInt64 {
        guard let value else { return 0 }
        return value.withSpan { bytes in
            var reader = ByteReader()
            return (try? reader.varint(in: bytes)) ?? 0
        }
    }
}
