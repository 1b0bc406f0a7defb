import GroundwaveByteCoding
import GroundwaveEvents

extension RecordState {
    /// Folds the change of one event into the state, which is that of `record`.
    ///
    /// An event that is about another record and only related to this one writes nothing here: an erase erases this one,
    /// too, and any other is one of the events of both.
    ///
    /// Every order of events gives the same state. If it throws, the state is incomplete and must be discarded.
    ///
    /// - Parameters:
    ///   - reader: A reader at the first operation: see ``ChangeReader/skipNote(in:)``.
    ///   - event: The event, from its frame.
    ///   - stamp: The stamp that counts for it: see ``ClockDeclarations``.
    ///   - position: The position of the event in this store's log.
    /// - Complexity: O(operations × heads of the record); about 0.1 us for an event of four fields.
    public mutating func fold(
        _ reader: inout ChangeReader, of record: RecordID, shape: RawSpan, values: RawSpan, event: EventID,
        stamp: Stamp, position: Position, names: inout Names
    ) throws(ChangeError) {
        if reader.record != record {
            if let step = try reader.next(shape: shape, values: values), step.code == .erase { erase() }
            return history.insert(position)
        }
        // Nothing that is written to an erased record counts.
        if isErased { return history.insert(position) }
        dropUnused()
        let writer = Writer(
            replica: names.ordinal(of: event.replica), sequence: event.sequence, stamp: stamp, position: position,
            source: reader.source.map { names.ordinal(of: $0) } ?? 0)
        var writerIndex: UInt32?
        var index: UInt32 = 0
        while let step = try reader.next(shape: shape, values: values) {
            let field = try step.ordinal(in: shape, names: &names)
            if step.code == .erase {
                for _ in 0..<step.headCount { _ = try reader.head(of: step, in: shape) }
                erase()
            } else if step.code == .delete {
                var covered: [(replica: UInt32, sequence: SequenceNumber)] = []
                for _ in 0..<step.headCount {
                    let head = try reader.head(of: step, in: shape)
                    covered.append((names.ordinal(of: head.event.replica), head.event.sequence))
                }
                if !wasSuperseded(.deletion, writer, index: 0) {
                    deletions.append(Deletion(writer: intern(writer, &writerIndex), covered: covered))
                }
            } else {
                for _ in 0..<step.headCount {
                    let head = try reader.head(of: step, in: shape)
                    supersede(
                        field: field, replica: names.ordinal(of: head.event.replica), sequence: head.event.sequence,
                        index: head.index, by: writer, step.code)
                }
                let isWithheld = step.value == nil && step.code.hasValue
                let value = values.extracting(step.value ?? 0..<0)
                if step.code.isAssertion {
                    remember(
                        field, writer, isElement: step.code == .assertElement, isWithheld ? nil : Self.hash(of: value),
                        hasNoHead: true)
                } else if step.code != .remove {
                    let headIndex = step.code.isNamedByPlace ? index : 0
                    if wasSuperseded(field, writer, index: headIndex) {
                        remember(field, writer, isElement: step.code == .add, isWithheld ? nil : Self.hash(of: value))
                    } else {
                        let start = self.values.count
                        self.values.append(contentsOf: value)
                        heads.append(
                            Head(
                                field: field, writer: intern(writer, &writerIndex), index: headIndex, code: step.code,
                                isWithheld: isWithheld, isTrusted: reader.isTrusted,
                                since: step.since.map { Self.since($0, writtenAt: stamp) },
                                value: start..<self.values.count))
                        if writer.source != 0, step.code != .add { forgetOlderAssertions(field: field, writer: writer) }
                    }
                }
            }
            index += 1
        }
        // What is added to a series is not part of the record's state.
        _ = try reader.blockContent(in: values)
        try reader.finish(shape: shape, values: values)
        history.insert(position)
    }

    private mutating func intern(_ writer: Writer, _ known: inout UInt32?) -> UInt32 {
        if let known { return known }
        // A rebuild meets each event once; only a file that contains an event twice finds it here.
        let index =
            writers.firstIndex { $0.replica == writer.replica && $0.sequence == writer.sequence } ?? writers.count
        if index == writers.count { writers.append(writer) }
        known = UInt32(index)
        return UInt32(index)
    }

    private func wasSuperseded(_ field: FieldOrdinal, _ writer: Writer, index: UInt32) -> Bool {
        !superseded.isEmpty
            && superseded.contains(
                Superseded(field: field, replica: writer.replica, sequence: writer.sequence, index: index))
    }

    private mutating func supersede(
        field: FieldOrdinal, replica: UInt32, sequence: SequenceNumber, index: UInt32, by author: Writer,
        _ code: OperationCode
    ) {
        for place in heads.indices {
            let head = heads[place]
            guard head.field == field, head.index == index else { continue }
            let writer = writers[Int(head.writer)]
            guard writer.sequence == sequence, writer.replica == replica else { continue }
            heads.remove(at: place)
            unusedBytes += head.value.count
            // A later assertion of the same source is about to replace this one; any other would be lost.
            let isFollowed =
                writer.source == author.source && code.writesHead && code != .add && head.code != .add
                && (author.stamp, author.sequence) > (writer.stamp, writer.sequence)
            if writer.source != 0, !isFollowed {
                remember(field, writer, isElement: head.code == .add, hash(of: head))
            }
            return
        }
        if index == 0,
            let place = deletions.firstIndex(where: {
                let writer = writers[Int($0.writer)]
                return writer.sequence == sequence && writer.replica == replica
            })
        {
            deletions.remove(at: place)
            return
        }
        superseded.insert(Superseded(field: field, replica: replica, sequence: sequence, index: index))
        // A delete is named with index 0, so a head with another index cannot be one, received or not.
        if index == 0 {
            superseded.insert(Superseded(field: .deletion, replica: replica, sequence: sequence, index: 0))
        }
    }
}

extension ChangeReader.Step {
    private var concernsRecord: Bool { code.concernsWholeRecord || code == .revive }

    func ordinal(in shape: RawSpan, names: inout Names) throws(ChangeError) -> FieldOrdinal {
        if concernsRecord { return 0 }
        if let fieldNumber { return fieldNumber }
        return names.ordinal(of: try key(in: shape))
    }

    /// The key of the field, from the shape.
    func key(in shape: RawSpan) throws(ChangeError) -> FieldKey {
        if let fieldNumber { return .number(fieldNumber) }
        guard let name = String(validating: shape.extracting(fieldName).toArray(), as: UTF8.self), !name.isEmpty else {
            throw .inconsistent
        }
        return .name(name)
    }
}
