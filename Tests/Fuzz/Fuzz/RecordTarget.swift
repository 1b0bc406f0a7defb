import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

@testable import GroundwaveProjections

extension Target {
    /// Changes of one record that are well formed, whatever is in them: the fold ends the same in every order, a change is
    /// read as it was written, and a row says what it was made of.
    static let recordChange = Target(name: "record-change", byteLimit: 1024) { input in
        var dice = Dice(input)
        let events = (0..<1 + dice.number(below: 6)).map { FoldedEvent(place: $0, &dice) }
        for event in events { event.checkChange() }
        let forward = FoldedEvent.fold(events)
        let backward = FoldedEvent.fold(events.reversed())
        let mixed = FoldedEvent.fold(
            events.indices.sorted { $0 % 3 == $1 % 3 ? $0 < $1 : $0 % 3 < $1 % 3 }.map { events[$0] })
        require(forward == backward, "the fold ends the same backwards: \(events)")
        require(forward == mixed, "the fold ends the same in another order: \(events)")
        show(forward)
    }

    /// Rows of the views and columns of a snapshot, with right checksums.
    static let row = Target(name: "row", byteLimit: 2048) { input in
        guard let mode = input.first else { return }
        var names = Names()
        for number in 1..<4 as Range<UInt64> {
            _ = names.ordinal(of: ReplicaID(high: number, low: 0))
            _ = names.ordinal(of: SourceID(rawValue: number))
            _ = names.ordinal(of: .name("NAME\(number)"))
        }
        let content = Array(input.dropFirst())
        if mode & 1 == 0 {
            var sealed = ByteWriter()
            sealed.append(littleEndian: content.withSpan { CRC32C.checksum($0, continuing: 5) })
            sealed.append(contentsOf: content)
            var state = RecordState()
            let isRead = sealed.withSpan { (try? state.decode($0, names: names, keyChecksum: 5)) != nil }
            if isRead { checkReadState(state, names) }
        } else {
            readColumns(content, names)
        }
    }

    private static func readColumns(_ content: [UInt8], _ names: Names) {
        guard let count = content.first else { return }
        let bytes = Array(content.dropFirst())
        guard var reader = try? bytes.withSpan({ try RecordColumnsReader($0, count: Int(count)) }) else { return }
        var state = RecordState()
        for _ in 0...Int(count) {
            let id = try? bytes.withSpan { bytes in
                try reader.next(bytes, into: &state, names: names) { replica, number in UInt64(replica) + number % 99 }
            }
            guard id != nil else { return }
            checkReadState(state, names)
        }
        require(false, "there are no more records than the count says")
    }

    /// A state that was read may be anything within its names, and can be shown and written.
    private static func checkReadState(_ state: RecordState, _ names: Names) {
        show(Record(kind: "qso", id: RecordID(high: 0, low: 1), state: state, names: names, schema: kinds["qso"]))
        for schema in kinds.all {
            var entries = IndexEntries()
            schema.indexEntries(ShownValues(state, names, schema: schema), &entries)
            entries.settle()
            entries.forEach { _, key, _ in require(key.byteCount <= 400, "a key is bounded") }
        }
        for schema in kinds.all { _ = ShownValues(state, names, schema: schema).sources }
        checkRow(state, names)
    }
}

/// One event with a change of the one record.
struct FoldedEvent: CustomStringConvertible {
    let id: EventID
    let stamp: Stamp
    let position: UInt64
    let change: Change
    let isWithheld: Bool

    private static let fields: [FieldKey] = [.number(1), .number(2), .number(1003), .name("OTHER")]
    private static let record = RecordID(high: 0, low: 9)

    /// The event at `place`, as `dice` says; it may name events that come later, and itself.
    init(place: Int, _ dice: inout Dice) {
        id = Self.id(place)
        // Stamps may meet. Those of one author go up.
        stamp = Stamp(rawValue: UInt64(place * 4 + dice.number(below: 8)))
        position = UInt64(place + 1)
        let source = dice.number(below: 4)
        isWithheld = dice.number(below: 8) == 7
        var operations: [FieldOperation] = []
        for _ in 0..<1 + dice.number(below: 4) {
            guard let code = OperationCode(rawValue: UInt8(dice.number(below: 9))) else { continue }
            let isOfRecord = code == .delete || code == .revive
            let field = isOfRecord ? FieldKey.life : Self.fields[dice.number(below: Self.fields.count)]
            let heads = (0..<dice.number(below: 4)).map { _ in
                HeadID(Self.id(dice.number(below: 7)), index: code == .delete ? 0 : UInt32(dice.number(below: 3)))
            }
            operations.append(
                FieldOperation(code, field, supersedes: heads, value: code.hasValue ? dice.text(limit: 6) : nil))
        }
        change = Change(
            kind: "thing", record: Self.record, source: source == 0 ? nil : SourceID(rawValue: UInt64(source)),
            isTrusted: source == 1 && dice.number(below: 3) == 0,
            operations: operations)
    }

    /// Three authors take turns.
    private static func id(_ place: Int) -> EventID {
        EventID(ReplicaID(high: UInt64(place % 3 + 1), low: 0), UInt64(place / 3 + 1))
    }

    var description: String { "\(id) at \(stamp)\(isWithheld ? " withheld" : ""): \(change)" }

    private func withParts<Result>(_ body: (_ shape: RawSpan, _ values: RawSpan) throws -> Result) rethrows -> Result {
        var draft = DraftBatch()
        var zeros = Zeros()
        draft.append(change, by: id.replica, note: AuditNote(author: "N0CALL"), using: &zeros)
        return try draft.withEvent(at: 0, body)
    }

    private var isValid: Bool {
        withParts { shape, values in
            guard var reader = try? ChangeReader(shape: shape, isWithheld: false, by: WrittenNames(of: id))
            else {
                return false
            }
            return (try? reader.validate(shape: shape, values: values)) != nil
        }
    }

    func checkChange() {
        withParts { shape, values in
            let read = try? Change(shape: shape, values: values, isWithheld: false, by: WrittenNames(of: id))
            require(read == change, "a change is read as it was written: \(self)")
        }
    }

    /// What the valid ones of `events` make of the record.
    static func fold(_ events: some Sequence<FoldedEvent>) -> Record {
        var state = RecordState()
        // Local numbers must not depend on the order, or rows could not be compared.
        var names = Names()
        for place in 0..<3 { _ = names.ordinal(of: id(place).replica) }
        for number in 1..<4 as Range<UInt64> { _ = names.ordinal(of: SourceID(rawValue: number)) }
        for event in events where event.isValid {
            event.withParts { shape, values in
                mustNotThrow("a valid change can be folded") {
                    let hash = [UInt8](repeating: 0, count: 32)
                    let values = event.isWithheld ? hash.span.bytes : values
                    var reader = try ChangeReader(
                        shape: shape, isWithheld: event.isWithheld, by: WrittenNames(of: event.id))
                    try reader.skipNote(in: values)
                    try state.fold(
                        &reader, of: reader.record, shape: shape, values: values, event: event.id, stamp: event.stamp,
                        position: event.position, names: &names)
                }
            }
            Target.checkRow(state, names)
        }
        return Record(kind: "thing", id: record, state: state, names: names, schema: nil)
    }
}

/// Nonces that say nothing.
private struct Zeros: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0 }
}
