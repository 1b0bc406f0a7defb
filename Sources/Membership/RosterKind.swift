import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

/// The kind of the events that say who belongs to the log: each writes a record of its own.
///
/// What counts is what the event says, whatever is later written to its record: see ``RosterStatement``. An event that has
/// fields of several statements, or one that cannot be read, says nothing.
package enum RosterKind: RecordKind {
    /// The name of the kind.
    package static let name = "roster"
    /// Seals the log: the public keys of the recovery phrase, 32 bytes each: with which it signs, and for which the keys of
    /// the log are wrapped. Beside it ``before``.
    package static let phrase: UInt32 = 1
    /// What the author had seen when it sealed the log: events as text.
    package static let before: UInt32 = 2
    /// Approves the replica that is named. Beside it ``ending``, if there are any.
    package static let approved: UInt32 = 3
    /// The revocations that an approval ends: events as text.
    package static let ending: UInt32 = 4
    /// Revokes the replica that is named. Beside it ``seen``.
    package static let revoked: UInt32 = 5
    /// The last events of a revoked replica that its revoker had seen: events as text.
    package static let seen: UInt32 = 6
    /// Admits events, named as text, which count for records from then on.
    package static let admitted: UInt32 = 7
    /// The key of an epoch, wrapped for those who belong: the bytes of a key file.
    package static let epoch: UInt32 = 8

    /// The maximum size of what a statement names, in bytes: some two thousand events as text. An event with more says nothing;
    /// a revocation with more says that its revoker has seen nothing.
    package static let valueLimit = 1 << 16
    /// The maximum size of what was there before a log was sealed, in bytes.
    package static let beforeLimit = 1 << 20
    /// The maximum number of revocations that one approval ends; further ones are not read. Several approvals end more: what
    /// one event of a few bytes names costs each device memory.
    package static let namedLimit = 64

    /// How its records are read.
    package static let schema = KindSchema(
        name: name,
        fields: [
            FieldSchema(phrase, "PHRASE", isInternal: true), FieldSchema(before, "BEFORE", isInternal: true),
            FieldSchema(approved, "APPROVED"), FieldSchema(ending, "ENDING"), FieldSchema(revoked, "REVOKED"),
            FieldSchema(seen, "SEEN"), FieldSchema(admitted, "ADMITTED"), FieldSchema(epoch, "EPOCH", isInternal: true),
        ])

    /// How the shape of an event of this kind begins.
    private static let beginning = beginning(of: name)
    /// How the shape of an event begins with which a device introduces itself.
    private static let introduction = beginning(of: ClockDeclaration.kind)

    /// How the shape of an event of a kind begins: a change of version 1, and the name of the kind.
    private static func beginning(of kind: String) -> [UInt8] { [1, 1, UInt8(kind.utf8.count)] + Array(kind.utf8) }

    /// Returns what a device that joins is told of the event that has sealed the log: its author, its record, and what it says.
    package static func root(
        of author: ReplicaID, _ record: RecordID, phrase: [UInt8], before: [UInt8]
    ) -> Hash256 {
        var writer = ByteWriter()
        writer.append(contentsOf: [UInt8]("groundwave root".utf8))
        writer.append(author)
        writer.append(contentsOf: record.bytes)
        writer.append(contentsOf: phrase)
        writer.append(contentsOf: before)
        return writer.withSpan { Hash256(hashing: $0) }
    }

    /// Whether `shape` is that of a statement. Cost: a few bytes are compared.
    package static func isStatement(shape: RawSpan) -> Bool { begins(shape, with: beginning) }

    /// Whether `event`, of this shape, keeps its values whoever erases it: it says who belongs, or it is the first one of a
    /// device, which says with which keys. Cost: a few bytes are compared.
    package static func isNeverErased(_ event: EventID, shape: RawSpan) -> Bool {
        isStatement(shape: shape) || event.sequence == 1 && begins(shape, with: introduction)
    }

    private static func begins(_ shape: RawSpan, with bytes: [UInt8]) -> Bool {
        guard shape.byteCount > bytes.count else { return false }
        for offset in bytes.indices where shape.byte(at: offset) != bytes[offset] { return false }
        return true
    }
}

extension Roster {
    /// Whether `event`, which `reader` has begun to read in `shape`, is folded: see ``folds(_:kind:record:)``.
    package func folds(_ event: EventID, _ reader: ChangeReader, in shape: RawSpan) -> Bool {
        if counts(event) { return true }
        let kind = String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self)
        return folds(event, kind: kind, record: reader.record)
    }
}

extension RosterStatement {
    /// Reads what an event says of the roster; `nil` if it says nothing, or was sent without its values.
    package init?(reading frame: Frame, in bytes: RawSpan) {
        let shape = bytes.extracting(frame.shape)
        guard RosterKind.isStatement(shape: shape), !frame.isPartial else { return nil }
        let names = frame.names(in: bytes)
        guard
            let change = try? Change(
                shape: shape, values: bytes.extracting(frame.values), isWithheld: false, by: names)
        else { return nil }
        var values: [UInt32: [UInt8]] = [:]
        for operation in change.operations {
            guard operation.code == .set, case .number(let number) = operation.field else { return nil }
            values[number] = operation.value
        }
        func events(_ field: UInt32) -> EventSet {
            let written = EventSet(text: String(decoding: values[field] ?? [], as: UTF8.self))
            return EventSet(written.ranges.flatMap { names($0) })
        }
        func lasts(_ field: UInt32) -> [EventID] { events(field).ranges.map { EventID($0.replica, $0.last) } }
        func each(_ field: UInt32) -> [EventID] {
            let named = events(field).ranges.lazy.flatMap { range in
                (range.first...range.last).lazy.map { EventID(range.replica, $0) }
            }
            return Array(named.prefix(RosterKind.namedLimit))
        }
        // Whoever has too many histories to be named is excluded all the same.
        if values[RosterKind.revoked] != nil, values[RosterKind.seen]?.count ?? 0 > RosterKind.valueLimit {
            values[RosterKind.seen] = nil
        }
        let limits = [RosterKind.epoch: Int.max, RosterKind.before: RosterKind.beforeLimit]
        guard values.allSatisfy({ $0.value.count <= limits[$0.key] ?? RosterKind.valueLimit }) else { return nil }
        func replica(_ field: UInt32) -> ReplicaID? {
            values[field].flatMap { ReplicaID(text: String(decoding: $0, as: UTF8.self)) }
        }
        let word: Word?
        switch Set(values.keys) {
        case [RosterKind.phrase, RosterKind.before], [RosterKind.phrase]:
            guard let keys = values[RosterKind.phrase], keys.count == 64 else { return nil }
            word = .seal(
                phrase: Identity.replica(publicKey: Array(keys[..<32])), before: events(RosterKind.before),
                root: RosterKind.root(
                    of: names.author, change.record, phrase: keys, before: values[RosterKind.before] ?? []))
        case [RosterKind.approved, RosterKind.ending], [RosterKind.approved]:
            word = replica(RosterKind.approved).map { .approve($0, ending: each(RosterKind.ending)) }
        case [RosterKind.revoked, RosterKind.seen], [RosterKind.revoked]:
            word = replica(RosterKind.revoked).map { .revoke($0, seen: lasts(RosterKind.seen)) }
        case [RosterKind.admitted]: word = .admit(lasts(RosterKind.admitted))
        case [RosterKind.epoch]: word = .epoch
        default: word = nil
        }
        guard let word else { return nil }
        self.init(frame.id, word)
    }
}
