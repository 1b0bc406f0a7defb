import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveSealing
import Synchronization

/// The result of a write.
public struct Written<Value: Sendable>: Sendable {
    /// What the closure returned.
    public let value: Value
    /// The batch; `nil` if the closure wrote nothing, because nothing had to change.
    public let batch: Batch?

    package init(value: Value, batch: Batch?) { (self.value, self.batch) = (value, batch) }
}

/// A batch in the log: one run of one replica's events.
public struct Batch: Hashable, Sendable {
    /// The first event.
    public let first: EventID
    /// The number of events.
    public let count: Int
    /// The position of the first one in this store.
    public let position: Position
    /// When it was written.
    public let stamp: Stamp

    /// The last event.
    public var last: EventID { EventID(first.replica, first.sequence + UInt64(count) - 1) }
}

/// Changes that are being collected: `Store.write` lends this to its closure.
public struct WriteBatch {
    let views: Views
    package let replica: ReplicaID
    private let deviceName: String
    package let components: [StoreComponent]
    package private(set) var changes: [Change] = []
    /// The places of the changes of each record, counted from the first one that the closure made.
    private var places: [RecordName: [Int]] = [:]
    /// The number of changes that were put in front of these.
    private var prependedCount = 0
    /// The number of this batch in this process, for provisional names.
    private let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    private static let count = Atomic<UInt32>(0)
    /// The records that were read or written. Two batches that share none may be committed together.
    private(set) var touched: Set<RecordName> = []
    /// Whether the closure read more than single records, so that it must see every batch before it.
    private(set) var needsEverything = false
    /// What the batch is known by, if it is to be written once.
    var identity: BatchIdentity?
    private(set) var generator: Surroundings.Generator

    package struct RecordName: Hashable, Sendable {
        package var kind: String
        package var id: RecordID

        package init(kind: String, id: RecordID) { (self.kind, self.id) = (kind, id) }
    }

    init(
        views: Views, replica: ReplicaID, deviceName: String, _ components: [StoreComponent],
        _ generator: Surroundings.Generator
    ) {
        self.views = views
        self.replica = replica
        self.deviceName = deviceName
        self.components = components
        self.generator = generator
    }

    /// The known kinds.
    public var kinds: Kinds { views.kinds }

    /// Notes that the batch depends on a record.
    mutating func touch(_ name: RecordName) { touched.insert(name) }

    /// The number of changes, those in front not counted.
    var changeCount: Int { changes.count - prependedCount }

    /// The changes to a record so far, with their places.
    func changes(of name: RecordName) -> [(index: Int, change: Change)] {
        (places[name] ?? []).map { ($0, changes[prependedCount + $0]) }
    }

    /// The provisional name of the event at a place.
    func event(_ index: Int) -> ProvisionalEvent { ProvisionalEvent(index, ofBatch: number, by: replica) }

    /// Reads from the views, for what the closure needs to know before it writes: the state before this batch.
    ///
    /// - Throws: As ``record(_:_:)``; what `body` throws.
    public mutating func read<Result>(_ body: (borrowing ViewReader) throws -> Result) throws -> Result {
        needsEverything = true
        return try views.read(body)
    }

    /// Returns the records whose values `heads` repeat, for ``Change/related`` of a change that repeats the heads' values.
    package func related(to heads: some Sequence<Record.Head>) throws -> [RecordID] {
        var related: [RecordID] = []
        try views.history.log.withEvents(at: Set(heads.map(\.position)).sorted()) { _, frame, bytes in
            let shape = bytes.extracting(frame.shape)
            let reader = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            related += reader?.related(in: shape) ?? []
        }
        return Set(related).sorted()
    }

    /// Returns a new ID: a random one, or in a batch with an id of its own one that follows from that.
    public mutating func newID() -> RecordID { identity?.nextID() ?? RecordID.random(using: &generator) }

    /// Creates a record of `kind` and returns its ID.
    ///
    /// - Throws: ``StoreError`` with code `usage` if the kind is not registered, or a value is longer than 1 MiB; `invalid` if
    ///   a value is not of the type of its field.
    public mutating func add(_ kind: String, _ assignments: [Assignment]) throws -> RecordID {
        let id = newID()
        try append(Change(kind: kind, record: id, operations: operations(kind, assignments, nil)))
        return id
    }

    /// Sets or clears fields of a record; values that do not change are not written.
    ///
    /// - Parameter basis: The record as the author saw it, if that is older than the present state: in a form that
    ///   was open for a while. Values that arrived since are then kept beside the new ones, as a conflict; what this
    ///   batch itself has written counts as seen.
    /// - Returns: Whether anything was written.
    /// - Throws: ``StoreError`` with code `usage` if the kind is not registered, or if the record was erased; `invalid` if a
    ///   value is not of the type of its field.
    /// - Complexity: A look-up, unless `basis` is given.
    @discardableResult
    public mutating func set(
        _ kind: String, _ id: RecordID, _ assignments: [Assignment], basis: Record? = nil
    ) throws -> Bool {
        let record = try basis ?? record(kind, id)
        guard record != nil || kinds[kind] != nil else { throw Self.unknownKind(kind) }
        if let record, record.isErased { throw Self.erasedRecord(kind, id) }
        var operations = try operations(kind, assignments, record)
        if basis != nil {
            operations = try supersedeOwnHeads(by: operations, of: RecordName(kind: kind, id: id))
        }
        guard !operations.isEmpty else { return false }
        try append(Change(kind: kind, record: id, operations: operations))
        return true
    }

    /// Hides a record: its content stays, and it can be restored. Returns `false` if it is hidden already.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is no such record.
    /// - Complexity: A look-up.
    @discardableResult
    public mutating func remove(_ kind: String, _ id: RecordID) throws -> Bool {
        guard let record = try record(kind, id) else { throw Self.noRecord(kind, id) }
        guard record.isVisible else { return false }
        try append(
            Change(
                kind: kind, record: id, operations: [FieldOperation(.delete, .life, supersedes: record.coveredByDelete)]
            ))
        return true
    }

    /// Shows a hidden record again. Returns `false` if nothing hides it.
    ///
    /// - Throws: ``StoreError`` with code `usage` if it was erased: nothing of it is left.
    /// - Complexity: A look-up.
    @discardableResult
    public mutating func restore(_ kind: String, _ id: RecordID) throws -> Bool {
        guard let record = try record(kind, id) else { throw Self.noRecord(kind, id) }
        if record.isErased { throw Self.erasedRecord(kind, id) }
        guard !record.deletions.isEmpty else { return false }
        try append(
            Change(
                kind: kind, record: id,
                operations: [FieldOperation(.revive, .life, supersedes: record.superseded(by: .life))])
        )
        return true
    }

    /// Appends `change` without modification.
    ///
    /// - Throws: ``StoreError`` with code `usage` if it exceeds a limit.
    public mutating func append(_ change: Change) throws {
        guard change.operations.count <= ChangeLimits.operationCount, !change.kind.isEmpty else {
            throw StoreError(.usage, "A change can have at most \(ChangeLimits.operationCount) operations.")
        }
        guard change.related.count <= ChangeLimits.relatedCount else {
            throw StoreError(
                .usage, "This repeats values of \(change.related.count) records.",
                hint: "The maximum is \(ChangeLimits.relatedCount): merge them in several steps.")
        }
        for operation in change.operations where (operation.value?.count ?? 0) > ChangeLimits.valueBytes {
            throw StoreError(
                .usage, "A value of \(operation.value?.count ?? 0) bytes is too long; the maximum is 1 MiB.",
                hint: "Shorten it.")
        }
        if let block = change.block,
            block.content.count > ChangeLimits.valueBytes || block.summary.count > ChangeLimits.summaryBytes
        {
            throw StoreError(.usage, "A block of \(block.content.count) bytes is too long; the maximum is 1 MiB.")
        }
        try checkHeads(of: change)
        for record in [change.record] + change.related {
            let name = RecordName(kind: change.kind, id: record)
            places[name, default: []].append(changeCount)
            touch(name)
        }
        changes.append(change)
    }

    /// Appends the first event of a replica: its key, the name of its device, and the log's key for ids, if that is known
    /// here: a device that joins a log has nothing of it yet.
    ///
    /// - Parameter drawsIDKey: Whether the key for ids is to be drawn, for a new log.
    mutating func introduce(
        _ identity: Identity, device: String, former: ReplicaID?, drawsIDKey: Bool
    ) throws {
        var idKey = try read { [roster = try views.history.log.roster()] in try $0.idKey(by: roster) }
        while drawsIDKey, idKey.count < ReplicaKind.idKeyBytes { idKey += newID().bytes }
        let id = RecordID(high: identity.replica.high, low: identity.replica.low)
        try append(
            Change(
                kind: ReplicaKind.name, record: id,
                operations: ReplicaKind.schema.operations(
                    assigning: [
                        Assignment("KEY", identity.publicKey), Assignment("DEVICE", text: device),
                        Assignment("RECEIVES", RecipientKey(identity: identity).publicKey),
                    ]
                        + (idKey.isEmpty ? [] : [Assignment("IDKEY", idKey)])
                        + (former.map { [Assignment("FORMER", text: "\($0)")] } ?? []), to: nil)))
    }

    /// Appends a declaration that the clock of a replica was wrong.
    package mutating func declare(_ declaration: ClockDeclaration, of replica: ReplicaID) throws {
        try append(
            Change(
                kind: ReplicaKind.name, record: RecordID(high: replica.high, low: replica.low),
                operations: [
                    FieldOperation(.add, .number(ClockDeclaration.field), value: [UInt8](declaration.text.utf8))
                ]))
    }

    /// Puts a change to a record that the batch does not change otherwise in front of the others.
    mutating func prepend(_ change: Change) {
        touch(RecordName(kind: change.kind, id: change.record))
        changes.insert(change, at: 0)
        prependedCount += 1
    }

    private func operations(
        _ kind: String, _ assignments: [Assignment], _ record: Record?
    ) throws -> [FieldOperation] {
        guard let schema = kinds[kind] else { throw Self.unknownKind(kind) }
        do { try schema.check(assignments) } catch {
            throw StoreError(
                .invalid, error.description, hint: "Nothing was written. Correct the value.", cause: error)
        }
        return schema.operations(assigning: assignments, to: record)
    }

    private static func unknownKind(_ kind: String) -> StoreError {
        StoreError(.usage, "There is no kind of record called \(kind).", hint: "To see them: \(.list(.kinds))")
    }

    package static func noRecord(_ kind: String, _ id: RecordID) -> StoreError {
        StoreError(.notFound, "There is no \(kind) with the id \(id.short).")
    }

    private static func erasedRecord(_ kind: String, _ id: RecordID) -> StoreError {
        StoreError(
            .usage, "The \(kind) with the id \(id.short) was erased: nothing of it is left.",
            hint: "Add it again if you want it back.")
    }

    private func named(_ note: AuditNote) throws -> AuditNote {
        if changes.isEmpty || !note.author.isEmpty { return note }
        return try views.read { try $0.naming(note, for: replica, components, on: deviceName) }
    }

    /// Returns the changes as a draft, with the note in the last event.
    func draft(_ note: AuditNote) throws -> DraftBatch {
        var batch = DraftBatch()
        var generator = generator
        let note = try named(note)
        for (index, change) in changes.enumerated() {
            let isLast = index == changes.count - 1
            guard batch.hasRoom(for: DraftBatch.byteBound(of: change, note: note)) else {
                throw StoreError(
                    .usage, "This is too much for one batch: \(changes.count) changes.",
                    hint: "The maximum is \(EventLimits.batchCount) changes or \(EventLimits.batchBytes >> 20) MiB.")
            }
            batch.append(
                change, by: replica, as: index < prependedCount ? nil : event(index - prependedCount),
                note: isLast ? note : AuditNote(), using: &generator)
        }
        return batch
    }
}
