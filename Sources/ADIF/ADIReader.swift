/// Reads an ADI file piece by piece, with memory bounded by ``ADIFLimits`` and not by the file.
///
/// ```swift
/// var reader = ADIReader()
/// while let chunk = try file.read() {
///     reader.append(chunk)
///     while let item = reader.next() { use(item) }
/// }
/// reader.finish()
/// while let item = reader.next() { use(item) }
/// ```
///
/// Every complete record of the file is returned, byte for byte and in order. Every part that is not a complete
/// record is returned as a rejection with its position and reason. The items do not depend on how the bytes are cut
/// into chunks.
///
/// If ADIF 3.1.6 ("ADI File Format") leaves something open, or real files deviate from it, these rules apply:
/// - The header is everything before `<EOH>` or `<EH>`. A file that begins with fields and has no such tag contains
///   only records. A second header later on, as in concatenated files, is returned as well.
/// - Between fields, blanks and text without angle brackets are comments; so is the rest of a line after `//`.
/// - Lengths count bytes unless that is impossible; see ``ADIFWarning/Code-swift.enum/lengthInCharacters`` and
///   ``ADIFWarning/Code-swift.enum/lengthWrong``.
/// - If the end of a record is missing, a repeated field shows where the next one begins: the first record is
///   rejected, the next is kept.
///
/// - Complexity: O(*n*) in the bytes of the file; two allocations for each record.
public struct ADIReader: Sendable {
    /// The limits on the parts of the file.
    public let limits: ADIFLimits
    /// The number of skipped bytes of text outside of records and headers, without blanks.
    public internal(set) var skippedByteCount: UInt64 = 0

    var buffer: [UInt8] = []
    /// The file offset of `buffer[0]`.
    var bufferOffset: UInt64 = 0
    /// The index of the next byte to read.
    var cursor = 0
    /// The number of bytes that the buffer must have before reading can continue, unless the file ends.
    var wantedCount = 0
    var segment = ADISegment()
    /// The tag at `cursor`, if it has already been scanned.
    var nextTag: ADITag?
    var gap = Gap()
    /// Whether the reader is still in the file's header or first record.
    var isPreamble = true
    var startsWithTag = false
    var nextNumber = 1
    let table = FieldTable.shared

    /// The items that are ready; a segment gives at most a few.
    private var items: [ADIFItem] = []
    private var itemIndex = 0
    var hasItems = false
    private var isFinished = false
    private var isEnded = false

    /// The state of the text between two fields.
    struct Gap {
        /// Whether there is text, including comments.
        var hasText = false
        /// Whether the cursor is in a `//` comment.
        var isComment = false
        /// The offset in the file of a `<` that is not a tag and has no `>` yet.
        var openBracket: UInt64?
        /// Whether the byte before the cursor belongs to a word.
        var isInWord = false
        /// The index of the segment's warning about this gap.
        var warningIndex: Int?
    }

    /// Makes a reader for a file, at its beginning.
    public init(limits: ADIFLimits = ADIFLimits()) {
        self.limits = limits
    }

    /// Appends the next bytes of the file.
    ///
    /// Call ``next()`` until it returns nil before the next append, or the buffer grows.
    public mutating func append(_ bytes: [UInt8]) {
        precondition(!isFinished, "Bytes were appended to a reader after its end.")
        compact()
        if buffer.isEmpty { buffer = bytes } else { buffer.append(contentsOf: bytes) }
    }

    /// Appends the next bytes of the file.
    public mutating func append(_ bytes: ArraySlice<UInt8>) {
        precondition(!isFinished, "Bytes were appended to a reader after its end.")
        compact()
        buffer.append(contentsOf: bytes)
    }

    /// Ends the file.
    public mutating func finish() { isFinished = true }

    /// Returns the next item; nil if the bytes so far contain no further complete item, or, after ``finish()``, at
    /// the end.
    public mutating func next() -> ADIFItem? {
        while itemIndex == items.count {
            if itemIndex > 0 {
                items.removeAll(keepingCapacity: true)
                itemIndex = 0
            }
            guard !isEnded else { return nil }
            if !advance() {
                guard isFinished else { return nil }
                endFile()
                isEnded = true
            }
        }
        itemIndex += 1
        return items[itemIndex - 1]
    }

    /// Reads a whole file in memory.
    public static func items(in bytes: [UInt8], limits: ADIFLimits = ADIFLimits()) -> [ADIFItem] {
        var reader = ADIReader(limits: limits)
        reader.append(bytes)
        reader.finish()
        var items: [ADIFItem] = []
        while let item = reader.next() { items.append(item) }
        return items
    }

    mutating func emit(_ item: ADIFItem) {
        items.append(item)
        hasItems = true
    }

    func fileOffset(_ index: Int) -> UInt64 { bufferOffset + UInt64(index) }

    /// Drops the bytes that are no longer needed.
    private mutating func compact() {
        let kept = segment.rejection == nil ? segment.start ?? cursor : cursor
        guard kept > 0 else { return }
        buffer.removeFirst(kept)
        bufferOffset += UInt64(kept)
        cursor -= kept
        wantedCount = max(0, wantedCount - kept)
        segment.start = segment.start.map { $0 - kept }
        // A tag that was scanned ahead is scanned again: cheaper than adjusting its indices.
        nextTag = nil
    }

    /// Reads one tag with its value and the gap before it; false if more bytes are needed or none are left.
    private mutating func advance() -> Bool {
        if !isFinished, buffer.count < wantedCount { return false }
        if bufferOffset == 0, cursor == 0, !beginFile() { return false }
        guard let tag = nextTag ?? scanGap(isComplete: isFinished) else { return false }
        nextTag = nil
        switch tag.kind {
        case .field, .bare:
            guard readField(tag, isComplete: isFinished) else { return false }
        case .endOfRecord:
            cursor = tag.end
            endRecord(tag)
        case .endOfHeader:
            cursor = tag.end
            endHeader(tag)
        case .endOfFile:
            cursor = tag.end
        }
        gap = Gap()
        if segment.start != nil { checkSegmentLength() }
        return true
    }

    /// Skips a byte order mark; false if more bytes are needed to decide whether there is one.
    private mutating func beginFile() -> Bool {
        guard segment.start == nil, let first = buffer.first else { return !buffer.isEmpty || isFinished }
        if first == 0xEF, buffer.count < 3, !isFinished { return false }
        cursor = buffer.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        startsWithTag = cursor < buffer.count && buffer[cursor] == .lessThan
        segment.start = cursor
        segment.fileOffset = UInt64(cursor)
        return true
    }

    private mutating func checkSegmentLength() {
        guard segment.rejection == nil, let start = segment.start else { return }
        let byteCount = cursor - start
        guard byteCount > min(limits.headerByteCount, limits.recordByteCount) else { return }
        let isHeader = isPreamble && segment.entries.allSatisfy(isHeaderEntry)
        if byteCount > (isHeader ? limits.headerByteCount : limits.recordByteCount) {
            reject(isHeader ? .headerTooLong : .recordTooLong)
        }
    }

    /// Rejects the segment; its end is still to be found.
    mutating func reject(_ code: ADIFRejection.Code, field: FieldName? = nil) {
        segment.reject(code, field: field)
    }
}
