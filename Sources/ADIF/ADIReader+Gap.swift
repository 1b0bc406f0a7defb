extension ADIReader {
    /// Moves to the next meaningful tag, over blanks, comments and damage, and returns it.
    ///
    /// - Returns: nil if the buffer ends first; the cursor stays after the skipped bytes.
    mutating func scanGap(isComplete: Bool) -> ADITag? {
        while true {
            skipBlanks()
            guard cursor < buffer.count else { return nil }
            guard buffer[cursor] == .lessThan else {
                guard skipWord(isComplete: isComplete) else { return nil }
                continue
            }
            gap.isInWord = false
            switch ADITag.scan(buffer.span, at: cursor, isComplete: isComplete, table: table) {
            case .incomplete:
                return nil
            case .text:
                if !gap.isComment { gap.openBracket = fileOffset(cursor) }
                noteText(byteCount: 1)
                noteDamage()
            case .tag(let tag):
                guard tag.kind == .bare else { return tag }
                if tag.end == buffer.count, !isComplete { return nil }
                if isFieldWithoutLength(tag) { return tag }
                noteText(byteCount: tag.end - cursor)
                noteDamage()
            }
        }
    }

    @inline(__always)
    private mutating func skipBlanks() {
        let (end, hasLineBreak) = Self.endOfBlanks(in: buffer.span, from: cursor)
        guard end > cursor else { return }
        cursor = end
        gap.isInWord = false
        if hasLineBreak { gap.isComment = false }
    }

    @inline(__always)
    private static func endOfBlanks(in bytes: Span<UInt8>, from start: Int) -> (end: Int, hasLineBreak: Bool) {
        var index = start
        var hasLineBreak = false
        while index < bytes.count, bytes[index].isBlank {
            if bytes[index].isLineBreak { hasLineBreak = true }
            index += 1
        }
        return (index, hasLineBreak)
    }

    /// Skips text up to a blank or `<`; false if more bytes are needed to decide whether it begins a comment.
    private mutating func skipWord(isComplete: Bool) -> Bool {
        var end = cursor
        if !gap.isInWord, buffer[cursor] == .slash {
            if cursor + 1 == buffer.count, !isComplete { return false }
            if cursor + 1 < buffer.count, buffer[cursor + 1] == .slash { gap.isComment = true }
        }
        var hasStrayBracket = false
        while end < buffer.count, !buffer[end].isBlank, buffer[end] != .lessThan {
            if buffer[end] == .greaterThan {
                if gap.openBracket == nil { hasStrayBracket = true }
                gap.openBracket = nil
            }
            end += 1
        }
        gap.isInWord = true
        noteText(byteCount: end - cursor)
        if hasStrayBracket { noteDamage() }
        return true
    }

    /// Records `byteCount` bytes of text and moves the cursor over them.
    private mutating func noteText(byteCount: Int) {
        gap.hasText = true
        if !gap.isComment {
            if !segment.hasText {
                segment.hasText = true
                segment.textOffset = fileOffset(cursor)
            }
            segment.textIndex = segment.entries.count
            if gap.warningIndex == nil, segment.rejection == nil {
                gap.warningIndex = segment.warnings.count
                warn(.skippedText, at: cursor)
            }
        }
        if segment.start == nil { skippedByteCount += UInt64(byteCount) }
        cursor += byteCount
        if let start = segment.start, cursor - start > limits.recordByteCount { rejectLongGap() }
    }

    private mutating func rejectLongGap() {
        guard segment.rejection == nil else { return }
        if isPreamble, segment.entries.allSatisfy(isHeaderEntry) {
            guard cursor - (segment.start ?? cursor) > limits.headerByteCount else { return }
            reject(.headerTooLong)
        } else {
            reject(.recordTooLong)
        }
    }

    /// Records that the last text has a stray bracket, and changes the warning about the text accordingly.
    private mutating func noteDamage() {
        guard !gap.isComment else { return }
        segment.damageIndex = segment.entries.count
        guard let index = gap.warningIndex, segment.warnings.indices.contains(index) else { return }
        segment.warnings[index].code = .malformedTag
    }

    /// Whether a tag without a length is nonetheless a field: `<PROGRAMID>MixW` in a header, `<CALL>N0CALL`.
    private func isFieldWithoutLength(_ tag: ADITag) -> Bool {
        guard tag.end < buffer.count else { return false }
        let first = buffer[tag.end]
        guard !first.isBlank, first != .lessThan, first != .greaterThan else { return false }
        if isPreamble, tag.number != 0, table.isHeaderField(tag.number) { return true }
        return !gap.hasText && tag.hasPlainName(buffer.span)
    }

    mutating func warn(_ code: ADIFWarning.Code, at index: Int, field: FieldName? = nil) {
        segment.warnings.append(
            ADIFWarning(code, recordNumber: nextNumber, byteOffset: fileOffset(index), field: field))
    }
}
