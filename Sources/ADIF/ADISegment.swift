/// The record or header being read: everything since the last end-of-record tag.
struct ADISegment {
    /// The index in the reader's buffer where the segment begins; nil while it is empty.
    var start: Int?
    /// The same position in the file; kept even after the bytes are dropped.
    var fileOffset: UInt64 = 0
    /// The fields so far, with offsets relative to `start`.
    var entries: [FieldEntry] = []
    /// The hashes of the names of unknown fields, each with its index in `entries`.
    var otherNames: [(hash: UInt32, index: Int)] = []
    var warnings: [ADIFWarning] = []
    /// The reason why the segment can no longer become a record; its fields are dropped from then on.
    var rejection: (code: ADIFRejection.Code, field: FieldName?)?
    /// Whether there is text outside of fields that is not a `//` comment.
    var hasText = false
    /// The offset in the file of the first such text.
    var textOffset: UInt64 = 0
    /// The number of fields before the last sign of damage: a malformed tag or a wrong length.
    var damageIndex: Int?
    /// The number of fields before the last text that may be a comment or the remains of a tag.
    var textIndex: Int?
    /// Whether this is the rest after a record with a CALL but without an end was cut off.
    var isRemainder = false
    /// Bit *n* is set if the known field of number *n* occurs.
    private var knownFields = InlineArray<4, UInt64>(repeating: 0)

    func contains(_ number: UInt16) -> Bool {
        number < 256 && knownFields[Int(number >> 6)] & (1 << UInt64(number & 63)) != 0
    }

    mutating func append(_ entry: FieldEntry, nameHash: UInt32) {
        if entry.number == 0 { otherNames.append((nameHash, entries.count)) } else { markKnown(entry.number) }
        entries.append(entry)
    }

    /// Empties the segment and keeps its memory for the next record.
    mutating func reset() {
        start = nil
        entries.removeAll(keepingCapacity: true)
        if !otherNames.isEmpty { otherNames.removeAll(keepingCapacity: true) }
        if !warnings.isEmpty { warnings = [] }
        rejection = nil
        hasText = false
        damageIndex = nil
        textIndex = nil
        isRemainder = false
        knownFields = InlineArray<4, UInt64>(repeating: 0)
    }

    /// Drops the fields and marks the segment as rejected; the first reason is kept.
    mutating func reject(_ code: ADIFRejection.Code, field: FieldName? = nil) {
        if rejection == nil { rejection = (code, field) }
        entries.removeAll(keepingCapacity: true)
        otherNames.removeAll(keepingCapacity: true)
        warnings = []
    }

    /// Drops the first `count` fields, which belong to another record, and moves the start to `newStart`.
    mutating func removeFirst(_ count: Int, newStart: Int, newFileOffset: UInt64) {
        let distance = newStart - (start ?? newStart)
        entries = entries[count...].map { $0.moved(back: distance) }
        otherNames = otherNames.filter { $0.index >= count }.map { ($0.hash, $0.index - count) }
        knownFields = InlineArray<4, UInt64>(repeating: 0)
        for entry in entries { markKnown(entry.number) }
        warnings.removeAll { $0.byteOffset < newFileOffset }
        start = newStart
        fileOffset = newFileOffset
        damageIndex = damageIndex.flatMap { $0 > count ? $0 - count : nil }
        textIndex = textIndex.flatMap { $0 > count ? $0 - count : nil }
    }

    private mutating func markKnown(_ number: UInt16) {
        guard number != 0, number < 256 else { return }
        knownFields[Int(number >> 6)] |= 1 << UInt64(number & 63)
    }
}
