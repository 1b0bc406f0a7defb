/// Finds the end of an ADI field's value, even if its tag is wrong.
///
/// ADIF counts bytes. Real files also count characters, or are wrong after manual edits, so a length is accepted only
/// if the bytes after the value are plausible. The rules, in this order:
///
/// 1. The length in bytes, if a tag, a `//` comment or the end of the file follows, after optional blanks.
/// 2. The length in Unicode scalars, then in UTF-16 units, by the same test.
/// 3. The length in bytes, if the next text is on another line or begins with a `<` that is not a tag: a comment.
/// 4. Up to the next tag that has a length or ends a record.
///
/// A length is also not accepted if the value would end with complete fields that the record already has, after the
/// end of a record: such a length includes that end and the beginning of the next record.
struct ADIValueScan {
    enum Outcome {
        /// The value ends before `end`. `next` is the tag after it, if that has already been scanned.
        case value(end: Int, warning: ADIFWarning.Code?, next: ADITag?)
        /// More bytes are needed: at least up to this count.
        case incomplete(wantedCount: Int)
        /// There is no end within the limit or the file.
        case none
    }

    let isComplete: Bool
    let table: FieldTable
    /// The most bytes of a value that are searched.
    let limit: Int
    /// The longest value that the reader accepts.
    let valueLimit: Int

    /// The bytes after a possible end of a value.
    private enum Follower {
        case tag(ADITag)
        case comment
        case endOfFile
        /// Text that is probably a comment.
        case looseText
        case text
        case incomplete(wantedCount: Int)
    }

    func findEnd(
        of tag: ADITag, in bytes: Span<UInt8>, isRepeated: (_ number: UInt16, _ name: Range<Int>) -> Bool
    ) -> Outcome {
        let start = tag.end
        var looseEnd: Int?
        if tag.declaredLength <= limit {
            let end = start + tag.declaredLength
            if end > bytes.count {
                if !isComplete { return .incomplete(wantedCount: end) }
            } else {
                switch follower(of: end, in: bytes) {
                case .tag(let next):
                    if !swallowsRecord(start..<end, next: next, in: bytes, isRepeated: isRepeated) {
                        return .value(end: end, warning: nil, next: next)
                    }
                case .comment, .endOfFile: return .value(end: end, warning: nil, next: nil)
                case .looseText: looseEnd = end
                case .text: break
                case .incomplete(let count): return .incomplete(wantedCount: count)
                }
            }
            if let outcome = findEndInCharacters(tag, in: bytes) { return outcome }
        }
        return findNextTag(tag, looseEnd: looseEnd, in: bytes)
    }

    /// Applies rule 2; nil if the value is not longer in bytes than in characters, or neither count fits.
    ///
    /// The search ends at the next tag, so that an absurd length costs no more than that.
    private func findEndInCharacters(_ tag: ADITag, in bytes: Span<UInt8>) -> Outcome? {
        var index = tag.end
        var scalarsLeft = tag.declaredLength
        var unitsLeft = tag.declaredLength
        var ends: [Int] = []
        search: while unitsLeft > 0 || scalarsLeft > 0 {
            guard index < bytes.count else {
                if isComplete { break }
                return .incomplete(wantedCount: bytes.count + 1)
            }
            if bytes[index] == .lessThan {
                switch ADITag.scan(bytes, at: index, isComplete: isComplete, table: table) {
                case .tag(let next) where next.kind != .bare: break search
                case .incomplete: return .incomplete(wantedCount: bytes.count + 1)
                default: break
                }
            }
            let length = utf8SequenceLength(bytes, at: index, end: bytes.count)
            if length == 0 {
                if isComplete || bytes.count - index >= 4 { break }
                return .incomplete(wantedCount: bytes.count + 1)
            }
            index += length
            scalarsLeft -= 1
            unitsLeft -= length == 4 ? 2 : 1
            if unitsLeft == 0 { ends.append(index) }
            if scalarsLeft == 0 { ends.insert(index, at: 0) }
        }
        for end in ends where end > tag.end + tag.declaredLength {
            switch follower(of: end, in: bytes) {
            case .tag(let next): return .value(end: end, warning: .lengthInCharacters, next: next)
            case .comment, .endOfFile: return .value(end: end, warning: .lengthInCharacters, next: nil)
            case .incomplete(let count): return .incomplete(wantedCount: count)
            case .looseText, .text: continue
            }
        }
        return nil
    }

    /// Applies rules 3 and 4: returns the end before the next tag, or `looseEnd` if there is no tag before it.
    private func findNextTag(_ tag: ADITag, looseEnd: Int?, in bytes: Span<UInt8>) -> Outcome {
        let searchEnd = min(bytes.count, tag.end + limit)
        var index = tag.end
        while index < searchEnd {
            if let looseEnd, index >= looseEnd { return .value(end: looseEnd, warning: nil, next: nil) }
            guard bytes[index] == .lessThan else {
                index += 1
                continue
            }
            switch ADITag.scan(bytes, at: index, isComplete: isComplete, table: table) {
            case .tag(let next) where next.kind != .bare:
                return .value(end: endWithoutBlanks(tag.end..<index, in: bytes), warning: .lengthWrong, next: next)
            case .incomplete: return .incomplete(wantedCount: bytes.count + 1)
            default: index += 1
            }
        }
        if let looseEnd, looseEnd <= searchEnd { return .value(end: looseEnd, warning: nil, next: nil) }
        if bytes.count >= tag.end + limit || isComplete { return .none }
        // The next call restarts the search: requesting half as much again keeps the total work linear.
        return .incomplete(wantedCount: bytes.count + max(256, (bytes.count - tag.end) / 2))
    }

    /// Finds the end of the value of a tag without a length: the end of its line or the next tag.
    func findEndWithoutLength(of tag: ADITag, in bytes: Span<UInt8>) -> Outcome {
        let searchEnd = min(bytes.count, tag.end + limit)
        var index = tag.end
        while index < searchEnd, !bytes[index].isLineBreak {
            if bytes[index] == .lessThan {
                switch ADITag.scan(bytes, at: index, isComplete: isComplete, table: table) {
                case .tag:
                    return .value(end: endWithoutBlanks(tag.end..<index, in: bytes), warning: .lengthMissing, next: nil)
                case .incomplete: return .incomplete(wantedCount: bytes.count + 1)
                case .text: break
                }
            }
            index += 1
        }
        if index == bytes.count, !isComplete {
            return .incomplete(wantedCount: bytes.count + max(256, (bytes.count - tag.end) / 2))
        }
        if index == searchEnd, index < bytes.count { return .none }
        return .value(end: endWithoutBlanks(tag.end..<index, in: bytes), warning: .lengthMissing, next: nil)
    }

    @inline(__always)
    private func follower(of end: Int, in bytes: Span<UInt8>) -> Follower {
        var index = end
        var hasLineBreak = false
        while index < bytes.count, bytes[index].isBlank {
            if bytes[index].isLineBreak { hasLineBreak = true }
            index += 1
        }
        guard index < bytes.count else { return isComplete ? .endOfFile : .incomplete(wantedCount: bytes.count + 1) }
        if bytes[index] == .lessThan {
            switch ADITag.scan(bytes, at: index, isComplete: isComplete, table: table) {
            case .tag(let next): return .tag(next)
            case .text: return .looseText
            case .incomplete: return .incomplete(wantedCount: bytes.count + 1)
            }
        }
        if bytes[index] == .slash {
            if index + 1 == bytes.count, !isComplete { return .incomplete(wantedCount: bytes.count + 1) }
            if index + 1 < bytes.count, bytes[index + 1] == .slash, index > end { return .comment }
        }
        return hasLineBreak ? .looseText : .text
    }

    @inline(__always)
    private func swallowsRecord(
        _ value: Range<Int>, next: ADITag, in bytes: Span<UInt8>, isRepeated: (UInt16, Range<Int>) -> Bool
    ) -> Bool {
        // The shortest text with another record is "<EOR>". A value that is too long is rejected anyway.
        guard value.count >= 5, value.count <= valueLimit else { return false }
        var index = value.lowerBound
        while index < value.upperBound {
            if bytes[index] == .lessThan {
                switch walk(from: index, to: value.upperBound, next: next, in: bytes, isRepeated: isRepeated) {
                case nil: return true
                case let stop?: index = stop
                }
            }
            index += 1
        }
        return false
    }

    /// Decides whether the text from `start` to `end`, before the tag `next`, belongs to another record: it consists
    /// only of complete fields, optionally after the end of a record or header, and the record already has the first
    /// of them.
    ///
    /// Without such an end tag, `next` must be a repeated field as well, since a text may quote a field or two.
    ///
    /// - Returns: nil if it does; else the position where the fields stop, since a walk from any of them would stop
    ///   there, too.
    private func walk(
        from start: Int, to end: Int, next: ADITag, in bytes: Span<UInt8>,
        isRepeated: (UInt16, Range<Int>) -> Bool
    ) -> Int? {
        guard case .tag(var tag) = ADITag.scan(bytes, at: start, isComplete: true, table: table) else { return start }
        func isRepeatedField(_ tag: ADITag) -> Bool { tag.kind == .field && isRepeated(tag.number, tag.nameRange) }
        // After the value, a name without a length is also a field.
        let isNextRepeated = isRepeatedField(next) || next.kind == .bare && isRepeated(next.number, next.nameRange)
        var hasField = false
        switch tag.kind {
        case .endOfRecord, .endOfHeader: break
        case .field where isRepeatedField(tag) && isNextRepeated: hasField = true
        default: return start
        }
        while true {
            var index = tag.end + tag.declaredLength
            while index < end, bytes[index].isBlank { index += 1 }
            if index >= end { return index == end && (hasField || isNextRepeated) ? nil : tag.start }
            guard bytes[index] == .lessThan,
                case .tag(let inner) = ADITag.scan(bytes, at: index, isComplete: true, table: table),
                inner.kind != .bare, inner.end <= end
            else { return tag.start }
            if !hasField, !isRepeatedField(inner) { return tag.start }
            hasField = true
            tag = inner
        }
    }

    private func endWithoutBlanks(_ range: Range<Int>, in bytes: Span<UInt8>) -> Int {
        var end = range.upperBound
        while end > range.lowerBound, bytes[end - 1].isBlank { end -= 1 }
        return end
    }
}
