import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords

extension Target {
    /// A whole event, from its bytes to what listing and audit show of it.
    static let event = Target(name: "event", byteLimit: 4096) { input in
        guard let mode = input.first else { return }
        var bytes = Array(input.dropFirst())
        mendFrame(&bytes, at: 0)
        guard (try? Frame(verifying: bytes.span.bytes)) != nil else { return }
        checkEvent(bytes.span.bytes)
        if mode & 1 == 1 {
            var withheld = ByteWriter()
            if let frame = try? Frame(verifying: bytes.span.bytes), !frame.isWithheld {
                withheld.append(withholding: frame, in: bytes.span.bytes, after: 0)
                withheld.withSpan { checkEvent($0) }
            }
        }
    }

    /// All kinds of records that the program registers.
    static let kinds = Kinds(Radio.allKinds)

    private static func checkEvent(_ bytes: RawSpan) {
        guard let frame = try? Frame(verifying: bytes) else { return }
        let (shape, values) = (bytes.extracting(frame.shape), bytes.extracting(frame.values))
        let names = frame.names(in: bytes)
        let change = try? Change(shape: shape, values: values, isWithheld: frame.isWithheld, by: names)
        guard var validating = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: names) else {
            require(change == nil, "a change that cannot be begun cannot be read")
            return
        }
        let isValid = (try? validating.validate(shape: shape, values: values)) != nil
        require(!isValid || change != nil, "a change that is valid can be read")
        guard let change else { return }
        for operation in change.operations {
            require(operation.value == nil || operation.code.hasValue, "only what has a value brings one")
        }
        // Who and why: what the last event of a batch says.
        if var reader = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: names) {
            _ = try? reader.note(in: values)
        }
        guard isValid else { return }
        var local = Names()
        var state = RecordState()
        mustNotThrow("a valid change can be folded") {
            var reader = try ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: names)
            try reader.skipNote(in: values)
            try state.fold(
                &reader, of: change.record, shape: shape, values: values, event: frame.id, stamp: frame.stamp,
                position: 1, names: &local)
        }
        checkRow(state, local)
        show(Record(kind: change.kind, id: change.record, state: state, names: local, schema: kinds[change.kind]))
        var entries = IndexEntries()
        if let schema = kinds[change.kind] {
            schema.indexEntries(ShownValues(state, local, schema: schema), &entries)
            entries.settle()
        }
        entries.forEach { _, key, _ in require(key.byteCount <= 400, "a key of an index is bounded") }
    }

    /// What lists, exports and comparisons do with a record.
    static func show(_ record: Record) {
        for field in record.fields {
            require(!field.heads.isEmpty, "a field that is there has a head")
            _ = field.isConflict
            require(record[field.key] == field, "a field is found by its key")
            if let members = kinds[record.kind]?.registers(field.key), !members.isEmpty {
                let register = Register(decoding: field.shown.value ?? [], memberCount: members.count)
                let again = Register(decoding: register.encode(), memberCount: members.count)
                require(again.values == register.values, "a register is written as it was read")
            }
            _ = record.superseded(by: field.key)
        }
        if record.kind == QSOKind.name {
            let contact = Contact(record)
            require(contact.id == record.id, "a contact is of its record")
            _ = record.adifFields
        }
    }

    /// The row of a record says what the record says, and has one form.
    static func checkRow(_ state: RecordState, _ names: Names) {
        var row = ByteWriter()
        state.encode(into: &row, keyChecksum: 5)
        var read = RecordState()
        mustNotThrow("a row that was written can be read") {
            try row.withSpan { row in try read.decode(row, names: names, keyChecksum: 5) }
        }
        var again = ByteWriter()
        read.encode(into: &again, keyChecksum: 5)
        require(row.bytes == again.bytes, "a row that was read is written with the same bytes")
        let id = RecordID(high: 1, low: 2)
        let before = Record(kind: "thing", id: id, state: state, names: names, schema: nil)
        let after = Record(kind: "thing", id: id, state: read, names: names, schema: nil)
        require(before == after, "a row says what the record says")
    }
}

extension KindSchema {
    /// The members of the register `key`.
    fileprivate func registers(_ key: FieldKey) -> [String]? {
        guard case .number(let number) = key else { return nil }
        return field(number: number)?.members
    }
}
