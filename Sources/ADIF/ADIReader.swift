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
/// Every whole record of the file comes out, byte for byte and in order; every part that is not a whole record comes
/// out as a rejection with its place and reason. How the bytes are cut into chunks makes no difference to the items.
///
/// What ADIF 3.1.6 ("ADI File Format") leaves to a reader, or real files do against it, is read like this:
/// - The header is what stands before `<EOH>` or `<EH>`. A file without one that begins with fields has records only.
///   A second header later on, as in files that were joined, is handed out as well.
/// - Between fields, blanks and text without angle brackets are comments; so is the rest of a line after `//`.
/// - Lengths count bytes unless that cannot be; see ``ADIFWarning/Code-swift.enum/lengthInCharacters`` and
///   ``ADIFWarning/Code-swift.enum/lengthWrong``.
/// - A record whose end is missing is told apart from the next one by a repeated field: it is rejected, the next kept.
///
/// - Complexity: O(*n*) in the bytes of the file; two allocations for each record.
public struct ADIReader: Sendable {
    /// How large the parts of the file may be.
    public let limits: ADIFLimits
    /// How many bytes of text stood outside of records and headers and were skipped, blanks not counted.
    public internal(set) var skippedByteCount: UInt64 = 0

    var buffer: [UInt8] = []
    /// The file offset of `buffer[0]`.
    var bufferOffset: UInt64 = 0
    /// Everything before it has been read.
    var cursor = 0
    /// Reading on is of no use before the buffer has this many bytes or the file is at its end.
    var wantedCount = 0
    var segment = ADISegment()
    /// The tag at `cursor`, if it has been read already.
    var nextTag: ADITag?
    var gap = Gap()
    /// Whether nothing but the file's header or first record has begun.
    var isPreamble = true
    var startsWithTag = false
    var nextNumber = 1
    let table = FieldTable.shared

    /// Items that are ready; a segment makes at most a few.
    private var items: [ADIFItem] = []
    private var itemIndex = 0
    var hasItems = false
    private var isFinished = false
    private var isEnded = false

    /// What is known about the text between two fields.
    struct Gap {
        /// Whether it has text, a comment included.
        var hasText = false
        /// Whether a `//` comment is running.
        var isComment = false
        /// Where in the file a `<` that is no tag waits for its `>`.
        var openBracket: UInt64?
        /// Whether the byte before the cursor belongs to a word.
        var isInWord = false
        /// Which of the segment's warnings is about this gap.
        var warningIndex: Int?
    }

    /// Makes a reader at the beginning of a file.
    public init(limits: ADIFLimits = ADIFLimits()) {
        self.limits = limits
    }

    /// Takes the next bytes of the file.
    ///
    /// Call ``next()`` until it returns nil before the next append, or the buffer grows.
    public mutating func append(_ bytes: [UInt8]) {
        precondition(!isFinished, "Bytes were appended to a reader after its end.")
        compact()
        if buffer.isEmpty { buffer = bytes } else { buffer.append(contentsOf: bytes) }
    }

    /// Takes the next bytes of the file.
    public mutating func append(_ bytes: ArraySlice<UInt8>) {
        precondition(!isFinished, "Bytes were appended to a reader after its end.")
        compact()
        buffer.append(contentsOf: bytes)
    }

    /// Tells the reader that the file ends here.
    public mutating func finish() { isFinished = true }

    /// The next item; nil if the bytes so far hold no further whole item, or, after ``finish()``, at the end.
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

    /// Reads a whole file that is in memory.
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

    /// Drops the bytes that nothing needs any more.
    private mutating func compact() {
        let kept = segment.rejection == nil ? segment.start ?? cursor : cursor
        guard kept > 0 else { return }
        buffer.removeFirst(kept)
        bufferOffset += UInt64(kept)
        cursor -= kept
        wantedCount = max(0, wantedCount - kept)
        segment.start = segment.start.map { $0 - kept }
        // A tag that was read ahead is read again: cheaper than keeping its indices in step.
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

    /// Rejects the segment from here on; its end is still to be found.
    mutating func reject(_ code: ADIFRejection.Code, field: FieldName? = nil) {
        segment.reject(code, field: field)
    }
}
