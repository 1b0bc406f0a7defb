import GroundwaveByteCoding
import GroundwaveEvents

// The last assertion of each import source about a field. While its head is present, the head holds it. After the
// head was superseded, the list `assertions` holds it; the list also holds an assertion that was made without a
// head. The last assertion about a plain field is the one with the greatest stamp, then number; within one event, the
// one made without a head, then the one with the greater hash of the value. Local numbers are not in this order, so
// it is the same in every store and for every order of events. Of a collection, every element ever asserted is kept.
extension RecordState {
    /// What is stored instead of an asserted value: 8 bytes of its hash, never 0.
    static func hash(of value: RawSpan) -> UInt64 { Swift.max(1, Hash256(hashing: value).prefix) }

    /// The hash of the value of `head`, or `nil` if it is withheld.
    func hash(of head: Head) -> UInt64? {
        head.isWithheld ? nil : values.withSpan { Self.hash(of: $0.extracting(head.value)) }
    }

    /// Stores an assertion by `writer` that no head holds; `hash` is `nil` if its value is withheld.
    mutating func remember(
        _ field: FieldOrdinal, _ writer: Writer, isElement: Bool, _ hash: UInt64?, hasNoHead: Bool = false
    ) {
        guard writer.source != 0 else { return }
        // An assertion that is older than one of the same source in a present head is not needed.
        if !isElement, isAssertedLater(field: field, than: writer) { return }
        let entry = Assertion(
            field: field, source: writer.source, replica: writer.replica, sequence: writer.sequence,
            stamp: writer.stamp, valueHash: hash ?? 0, isElement: isElement, hasNoHead: hasNoHead)
        let index = assertions.firstIndex {
            $0.field == field && $0.source == writer.source && $0.isElement == isElement
                && (!isElement || $0.valueHash == entry.valueHash)
        }
        guard let index else { return assertions.append(entry) }
        if !isElement, assertions[index].order < entry.order { assertions[index] = entry }
    }

    private func isAssertedLater(field: FieldOrdinal, than writer: Writer) -> Bool {
        heads.contains { head in
            guard head.field == field, head.code != .add else { return false }
            let other = writers[Int(head.writer)]
            return other.source == writer.source
                && (writer.stamp, writer.sequence) < (other.stamp, other.sequence)
        }
    }

    /// Drops the assertion of the same source that is older than the head which `writer` now writes.
    mutating func forgetOlderAssertions(field: FieldOrdinal, writer: Writer) {
        if assertions.isEmpty { return }
        assertions.removeAll {
            $0.field == field && $0.source == writer.source && !$0.isElement
                && ($0.stamp, $0.sequence) < (writer.stamp, writer.sequence)
        }
    }

    /// Whether the last assertion of `source` about a plain field is exactly `value`; `nil` if it never made one.
    ///
    /// A clear asserts the empty value. If the last assertion is withheld, the answer is `false`.
    public func asserts(_ value: [UInt8], of field: FieldOrdinal, by source: UInt32) -> Bool? {
        var last: Head?
        for head in heads where head.field == field && head.code != .add {
            guard writers[Int(head.writer)].source == source else { continue }
            if let known = last, !isLater(head, than: known) { continue }
            last = head
        }
        let entry = assertions.first { $0.field == field && $0.source == source && !$0.isElement }
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

    private func isLater(_ head: Head, than entry: Assertion) -> Bool {
        let writer = writers[Int(head.writer)]
        if writer.stamp != entry.stamp || writer.sequence != entry.sequence {
            return (writer.stamp, writer.sequence) > (entry.stamp, entry.sequence)
        }
        return !entry.hasNoHead && (hash(of: head) ?? 0) > entry.valueHash
    }

    /// Whether `source` has ever asserted that `value` is an element of the collection `field`.
    public func assertsElement(_ value: [UInt8], of field: FieldOrdinal, by source: UInt32) -> Bool {
        let hash = value.withSpan { Self.hash(of: $0) }
        return assertions.contains { $0.isElement && $0.field == field && $0.source == source && $0.valueHash == hash }
            || heads.contains { head in
                head.field == field && head.code == .add && writers[Int(head.writer)].source == source
                    && !head.isWithheld && values[head.value].elementsEqual(value)
            }
    }

    /// Whether any source has ever asserted that `value` is an element of the collection `field`.
    public func anySourceAssertsElement(_ value: [UInt8], of field: FieldOrdinal) -> Bool {
        sources.contains { assertsElement(value, of: field, by: $0) }
    }

    /// Whether everything that was ever written came from `source` and is present as heads.
    public func isWritten(onlyBy source: UInt32) -> Bool {
        assertions.isEmpty && deletions.isEmpty && writers.allSatisfy { $0.source == source }
    }

    /// The sources that have asserted anything of this record, ascending.
    public var sources: [UInt32] {
        var result = Set(assertions.map(\.source))
        for head in heads { result.insert(writers[Int(head.writer)].source) }
        result.remove(0)
        return result.sorted()
    }
}

extension RecordState {
    /// Withholds the values of some events: the state is then what these events fold to without their values.
    ///
    /// If several events of a source asserted one element, one of them is stored. If that one is erased, the element
    /// is forgotten, although another event asserted it too.
    ///
    /// - Parameter isErased: Whether an event is erased, given the local number of its replica and its number.
    public mutating func withhold(where isErased: (_ replica: UInt32, _ sequence: SequenceNumber) -> Bool) {
        for index in heads.indices where heads[index].code.hasValue && !heads[index].isWithheld {
            let writer = writers[Int(heads[index].writer)]
            guard isErased(writer.replica, writer.sequence) else { continue }
            unusedBytes += heads[index].value.count
            heads[index].value = 0..<0
            heads[index].isWithheld = true
        }
        let nothing = [UInt8]().withSpan { Self.hash(of: $0) }
        let known = assertions
        assertions.removeAll(keepingCapacity: true)
        for var entry in known {
            // A clear has no value to withhold, and still asserts that there is none.
            if isErased(entry.replica, entry.sequence), entry.valueHash != nothing { entry.valueHash = 0 }
            // Keep one of the elements whose values are withheld, since they are no longer distinct.
            let isThere = assertions.contains {
                entry.isElement && $0.isElement && $0.field == entry.field && $0.source == entry.source
                    && $0.valueHash == entry.valueHash
            }
            if !isThere { assertions.append(entry) }
        }
    }
}
