extension ADIReader {
    /// Reads the value that follows `tag` and appends the field to the segment. Returns `false` if more bytes are
    /// needed; then the cursor is at the tag.
    mutating func readField(_ tag: ADITag, isComplete: Bool) -> Bool {
        let scan = ADIValueScan(
            isComplete: isComplete, table: table, limit: limits.recordByteCount, valueLimit: limits.fieldByteCount)
        let outcome =
            tag.kind == .bare
            ? scan.findEndWithoutLength(of: tag, in: buffer.span)
            : scan.findEnd(of: tag, in: buffer.span) { number, name in isRepeated(number, name, in: tag) }
        switch outcome {
        case .incomplete(let count):
            wantedCount = count
            cursor = tag.start
            return false
        case .none:
            beginSegment(at: tag.start)
            // A value without an end exceeds the limit, or the file was cut off within it.
            let isCut = isComplete && buffer.count - tag.end < limits.recordByteCount
            reject(isCut ? .truncated : .fieldTooLong, field: name(of: tag))
            cursor = isCut ? buffer.count : tag.end
        case .value(let end, let warning, let next):
            beginSegment(at: tag.start)
            if segment.rejection == nil { appendField(tag, valueEnd: end, warning: warning) }
            cursor = end
            // The meaning of a tag without a length depends on the text before it, so the scan of the gap decides.
            nextTag = next?.kind == .bare ? nil : next
        }
        return true
    }

    /// Begins a segment at `index`, unless one has begun.
    @inline(__always)
    private mutating func beginSegment(at index: Int) {
        guard segment.start == nil else { return }
        segment.start = index
        segment.fileOffset = fileOffset(index)
    }

    private mutating func appendField(_ tag: ADITag, valueEnd: Int, warning: ADIFWarning.Code?) {
        guard valueEnd - tag.end <= limits.fieldByteCount else { return reject(.fieldTooLong, field: name(of: tag)) }
        guard segment.entries.count < limits.fieldCount else { return reject(.tooManyFields, field: name(of: tag)) }
        if let earlier = indexOfField(tag) { handleRepeat(of: tag, at: earlier, valueEnd: valueEnd) }
        let start = segment.start ?? tag.start
        let entry = FieldEntry(
            nameOffset: UInt32(tag.nameStart - start), valueOffset: UInt32(tag.end - start),
            valueLength: UInt32(valueEnd - tag.end), number: tag.number, nameLength: UInt8(tag.nameLength),
            typeIndicator: tag.typeIndicator)
        segment.append(entry, nameHash: tag.nameHash)
        if tag.hasUnknownType { warn(.typeUnknown, at: tag.start, field: name(of: tag)) }
        if let warning {
            warn(warning, at: tag.start, field: name(of: tag))
            let isDoubtful = warning == .lengthWrong || (warning == .lengthMissing && tag.number == 0)
            if isDoubtful { segment.damageIndex = segment.entries.count }
        }
        if !isUTF8(tag.end..<valueEnd) { warn(.notUTF8, at: tag.start, field: name(of: tag)) }
    }

    private func name(of tag: ADITag) -> FieldName {
        tag.number != 0 ? FieldName(known: tag.number) : FieldName(bytes: buffer[tag.nameRange])
    }

    private func isUTF8(_ range: Range<Int>) -> Bool {
        let bytes = buffer.span
        var index = range.lowerBound
        while index < range.upperBound {
            if bytes[index] < 0x80 {
                index += 1
            } else {
                let length = utf8SequenceLength(bytes, at: index, end: range.upperBound)
                if length == 0 { return false }
                index += length
            }
        }
        return true
    }

    // MARK: Repeated fields

    /// Returns whether the segment or `tag` already has this name: that of a known field by its `number`, else that in
    /// the bytes at `name`. Unknown names are compared by their hashes.
    private func isRepeated(_ number: UInt16, _ name: Range<Int>, in tag: ADITag) -> Bool {
        if number != 0 { return number == tag.number || segment.contains(number) }
        let hash = FieldTable.hash(buffer[name])
        return (tag.number == 0 && tag.nameHash == hash) || segment.otherNames.contains { $0.hash == hash }
    }

    /// Returns the index of the last field of the segment that has the name of `tag`; `nil` if there is none.
    @inline(__always)
    private func indexOfField(_ tag: ADITag) -> Int? {
        if tag.number != 0 {
            guard segment.contains(tag.number) else { return nil }
            return segment.entries.lastIndex { $0.number == tag.number }
        }
        guard !segment.otherNames.isEmpty, let start = segment.start else { return nil }
        let match = segment.otherNames.last { other in
            guard other.hash == tag.nameHash else { return false }
            let range = segment.entries[other.index].nameRange
            let name = buffer[range.lowerBound + start..<range.upperBound + start]
            return name.elementsEqual(buffer[tag.nameRange]) { asciiUppercased($0) == asciiUppercased($1) }
        }
        return match?.index
    }

    /// Decides whether a repeated field is a mere repetition, or shows that the end tag of the previous record is
    /// lost: then cuts off that record.
    ///
    /// The end tag counts as lost if something between the two fields was damaged, or if the field is the call and the
    /// values differ: otherwise the fields of one contact would be mixed with those of the next.
    private mutating func handleRepeat(of tag: ADITag, at earlier: Int, valueEnd: Int) {
        if tag.number != 0, let damage = segment.damageIndex, earlier < damage {
            return cutOff(damage, before: tag)
        }
        if tag.number == FieldName.call.number, let start = segment.start {
            let range = segment.entries[earlier].valueRange
            let call = trimmingBlanks(buffer[range.lowerBound + start..<range.upperBound + start])
            let newCall = trimmingBlanks(buffer[tag.end..<valueEnd])
            if !call.isEmpty, !newCall.isEmpty, call != newCall {
                let text = segment.textIndex.flatMap { $0 > earlier ? $0 : nil }
                let count = segment.entries.count
                cutOff(text ?? firstRepeat() ?? count, before: tag)
                // The remaining fields may contain another call, which differs as well.
                if segment.entries.count < count, let earlier = indexOfField(tag) {
                    handleRepeat(of: tag, at: earlier, valueEnd: valueEnd)
                }
                return
            }
        }
        warn(.duplicateField, at: tag.start, field: name(of: tag))
    }

    /// Returns the index of the first known field that repeats an earlier one; `nil` if there is none.
    private func firstRepeat() -> Int? {
        var seen: Set<UInt16> = [0]
        return segment.entries.firstIndex { $0.number != 0 && !seen.insert($0.number).inserted }
    }

    /// Rejects the first `count` fields as a record without an end, and continues with the others, if any, and `tag`.
    private mutating func cutOff(_ count: Int, before tag: ADITag) {
        var count = count
        if isPreamble { count -= endUnfinishedHeader(before: tag.start) }
        isPreamble = false
        guard count > 0, let start = segment.start else { return }
        let newStart = count < segment.entries.count ? start + Int(segment.entries[count].nameOffset) - 1 : tag.start
        let hadCall = segment.entries[..<count].contains { $0.number == FieldName.call.number }
        let newOffset = fileOffset(newStart)
        emit(
            .rejected(
                ADIFRejection(
                    .noEndOfRecord, recordNumber: nextNumber, byteRange: segment.fileOffset..<newOffset)))
        nextNumber += 1
        segment.removeFirst(count, newStart: newStart, newFileOffset: newOffset)
        segment.isRemainder = hadCall
        // Fields that repeated a field of the removed record are no longer repetitions.
        segment.warnings.removeAll { $0.code == .duplicateField }
        for index in segment.warnings.indices { segment.warnings[index].recordNumber = nextNumber }
    }
}
