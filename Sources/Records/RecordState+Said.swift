import GroundwaveByteCoding
import GroundwaveEvents

// What an import source said last of a field. While its head stands, the head says it; once the head was superseded,
// the list `said` does, and a word that was said without a head. The last word of a plain field is the one with the
// greatest stamp, then number; of one event what was said without a head, then the greater hash of the value: local numbers are not in it, so it is the same in every store and every order of events. Of a collection every
// element ever said is remembered.
extension RecordState {
    /// What stands for the value of a word: 8 bytes of its hash, never 0.
    static func hash(of value: RawSpan) -> UInt64 { Swift.max(1, Hash256(hashing: value).prefix) }

    /// The hash of the value of `head`, or `nil` where it is withheld.
    func hash(of head: Head) -> UInt64? {
        head.isWithheld ? nil : values.withSpan { Self.hash(of: $0.extracting(head.value)) }
    }

    /// Keeps the word that `writer` said where no head says it; `hash` is `nil` where its value is withheld.
    mutating func remember(
        _ field: FieldOrdinal, _ writer: Writer, isElement: Bool, _ hash: UInt64?, isSpoken: Bool = false
    ) {
        guard writer.source != 0 else { return }
        // What comes after the later word of its source, which a head still says, is of no interest to anybody.
        if !isElement, isSaidLater(field: field, than: writer) { return }
        let entry = Said(
            field: field, source: writer.source, replica: writer.replica, sequence: writer.sequence,
            stamp: writer.stamp, valueHash: hash ?? 0, isElement: isElement, isSpoken: isSpoken)
        let place = said.firstIndex {
            $0.field == field && $0.source == writer.source && $0.isElement == isElement
                && (!isElement || $0.valueHash == entry.valueHash)
        }
        guard let place else { return said.append(entry) }
        if !isElement, said[place].order < entry.order { said[place] = entry }
    }

    private func isSaidLater(field: FieldOrdinal, than writer: Writer) -> Bool {
        heads.contains { head in
            guard head.field == field, head.code != .add else { return false }
            let other = writers[Int(head.writer)]
            return other.source == writer.source
                && (writer.stamp, writer.sequence) < (other.stamp, other.sequence)
        }
    }

    /// Drops the word of the same source that the head which `writer` now writes comes after.
    mutating func forgetOlderSaid(field: FieldOrdinal, writer: Writer) {
        if said.isEmpty { return }
        said.removeAll {
            $0.field == field && $0.source == writer.source && !$0.isElement
                && ($0.stamp, $0.sequence) < (writer.stamp, writer.sequence)
        }
    }

    /// Whether `source` has said exactly `value` of a plain field the last time it said anything of it; `nil` where it
    /// never did.
    ///
    /// A clear says the empty value. Where what it said last is withheld the answer is `false`.
    public func said(_ value: [UInt8], of field: FieldOrdinal, by source: UInt32) -> Bool? {
        var last: Head?
        for head in heads where head.field == field && head.code != .add {
            guard writers[Int(head.writer)].source == source else { continue }
            if let known = last, !isLater(head, than: known) { continue }
            last = head
        }
        let entry = said.first { $0.field == field && $0.source == source && !$0.isElement }
        if let last, entry.map({ isLater(last, than: $0) }) ?? true {
            return !last.isWithheld && values[last.value].elementsEqual(value)
        }
        return entry.map { $0.valueHash == value.withSpan { Self.hash(of: $0) } }
    }

    private func isLater(_ head: Head, than other: Head) -> Bool {
        let (left, right) = (writers[Int(head.writer)], writers[Int(other.writer)])
        if left.stamp != right.stamp || left.sequence != right.sequence {
            return (left.stamp, left.sequence) > (right.stamp, right.sequence)
        }
        return (hash(of: head) ?? 0) > (hash(of: other) ?? 0)
    }

    private func isLater(_ head: Head, than entry: Said) -> Bool {
        let writer = writers[Int(head.writer)]
        if writer.stamp != entry.stamp || writer.sequence != entry.sequence {
            return (writer.stamp, writer.sequence) > (entry.stamp, entry.sequence)
        }
        return !entry.isSpoken && (hash(of: head) ?? 0) > entry.valueHash
    }

    /// Whether `source` has ever said that `value` is an element of the collection `field`.
    public func saidElement(_ value: [UInt8], of field: FieldOrdinal, by source: UInt32) -> Bool {
        let hash = value.withSpan { Self.hash(of: $0) }
        return said.contains { $0.isElement && $0.field == field && $0.source == source && $0.valueHash == hash }
            || heads.contains { head in
                head.field == field && head.code == .add && writers[Int(head.writer)].source == source
                    && !head.isWithheld && values[head.value].elementsEqual(value)
            }
    }

    /// Whether any source but `source` has said exactly `value` of `field` the last time it said anything.
    public func anySourceSaid(_ value: [UInt8], of field: FieldOrdinal, but source: UInt32) -> Bool {
        var sources: [UInt32] = []
        for entry in said where entry.field == field { sources.append(entry.source) }
        for head in heads where head.field == field { sources.append(writers[Int(head.writer)].source) }
        return sources.contains { $0 != 0 && $0 != source && said(value, of: field, by: $0) == true }
    }

    /// Whether any source has ever said that `value` is an element of the collection `field`.
    public func anySourceSaidElement(_ value: [UInt8], of field: FieldOrdinal) -> Bool {
        sources.contains { saidElement(value, of: field, by: $0) }
    }

    /// Whether all that was ever written was said by `source`, as heads.
    public func isWritten(onlyBy source: UInt32) -> Bool {
        said.isEmpty && deletions.isEmpty && writers.allSatisfy { $0.source == source }
    }

    /// The sources that have said anything of this record, ascending.
    public var sources: [UInt32] {
        var result = Set(said.map(\.source))
        for head in heads { result.insert(writers[Int(head.writer)].source) }
        result.remove(0)
        return result.sorted()
    }
}

extension RecordState {
    /// Takes the values of some events out: the state is then what these events fold to without them.
    ///
    /// Of an element that several events of a source said one is remembered. Where that is among them the element is
    /// forgotten, though another one said it too.
    ///
    /// - Parameter isErased: Whether an event is one of them, by the local number of its replica and its number.
    public mutating func withhold(where isErased: (_ replica: UInt32, _ sequence: SequenceNumber) -> Bool) {
        for place in heads.indices where heads[place].code.hasValue && !heads[place].isWithheld {
            let writer = writers[Int(heads[place].writer)]
            guard isErased(writer.replica, writer.sequence) else { continue }
            unusedBytes += heads[place].value.count
            heads[place].value = 0..<0
            heads[place].isWithheld = true
        }
        let nothing = [UInt8]().withSpan { Self.hash(of: $0) }
        let known = said
        said.removeAll(keepingCapacity: true)
        for var entry in known {
            // A clear has no value that could be taken out, and goes on saying that there is none.
            if isErased(entry.replica, entry.sequence), entry.valueHash != nothing { entry.valueHash = 0 }
            // Elements of which nothing is known any more are one.
            let isThere = said.contains {
                entry.isElement && $0.isElement && $0.field == entry.field && $0.source == entry.source
                    && $0.valueHash == entry.valueHash
            }
            if !isThere { said.append(entry) }
        }
    }
}
