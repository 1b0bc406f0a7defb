extension ADIReader {
    /// Emits the segment as a record, or rejects it with a reason.
    mutating func endRecord(_ tag: ADITag) {
        if isPreamble {
            // "<EOR>" in the free text of a header does not end a record.
            if segment.rejection == nil, !startsWithTag, segment.entries.allSatisfy(isHeaderEntry) { return }
            endUnfinishedHeader()
            isPreamble = false
        }
        let end = fileOffset(tag.end)
        if let rejection = segment.rejection {
            rejectSegment(rejection.code, field: rejection.field, end: end)
        } else if segment.entries.isEmpty {
            if segment.start == nil {
                segment.fileOffset = segment.hasText ? segment.textOffset : fileOffset(tag.start)
            }
            rejectSegment(.noFields, end: end)
        } else if segment.isRemainder, !segment.contains(FieldName.call.number) {
            rejectSegment(.damaged, end: end)
        } else if let start = segment.start {
            let fields = ADIFFields(bytes: Array(buffer[start..<tag.end]), entries: segment.entries)
            emit(
                .record(
                    ADIFRecord(
                        number: nextNumber, byteOffset: segment.fileOffset, fields: fields,
                        warnings: segment.warnings)))
            nextNumber += 1
        }
        segment.reset()
    }

    private mutating func rejectSegment(_ code: ADIFRejection.Code, field: FieldName? = nil, end: UInt64) {
        emit(
            .rejected(
                ADIFRejection(
                    code, recordNumber: nextNumber, byteRange: segment.fileOffset..<end, field: field)))
        nextNumber += 1
    }

    /// Emits the segment as a header.
    mutating func endHeader(_ tag: ADITag) {
        let isRecord = segment.contains(FieldName.call.number) && (!isPreamble || startsWithTag)
        guard !isRecord else {
            // This is more likely a damaged end-of-record tag than a header with a callsign.
            segment.damageIndex = segment.entries.count
            return warn(.malformedTag, at: tag.start)
        }
        if let rejection = segment.rejection {
            emit(
                .rejected(
                    ADIFRejection(
                        rejection.code, recordNumber: 0, byteRange: segment.fileOffset..<fileOffset(tag.end),
                        field: rejection.field)))
        } else if let start = segment.start {
            emit(.header(header(from: start, to: tag.end, fieldCount: segment.entries.count)))
        }
        isPreamble = false
        segment.reset()
    }

    private func header(from start: Int, to end: Int, fieldCount: Int) -> ADIFHeader {
        let entries = Array(segment.entries[..<fieldCount])
        let textEnd = entries.first.map { start + Int($0.nameOffset) - 1 } ?? end
        var warnings = segment.warnings.filter {
            // Free text and stray brackets are normal in the text of a header.
            $0.code != .malformedTag && $0.code != .skippedText && $0.byteOffset < fileOffset(end)
        }
        for index in warnings.indices { warnings[index].recordNumber = 0 }
        return ADIFHeader(
            fields: ADIFFields(bytes: Array(buffer[start..<end]), entries: entries),
            text: Array(buffer[start..<textEnd]), warnings: warnings)
    }

    /// Emits the header fields and text at the beginning of the first record if the header has no end tag, and leaves
    /// the rest in the segment.
    ///
    /// - Returns: The number of fields in the header.
    @discardableResult
    mutating func endUnfinishedHeader(before place: Int? = nil) -> Int {
        guard segment.rejection == nil, let start = segment.start else { return 0 }
        var count = segment.entries.prefix(while: isHeaderEntry).count
        // If the end of the header was damaged, the names of its last fields may be lost, too.
        let damage = max(segment.damageIndex ?? 0, segment.textIndex ?? 0)
        if !startsWithTag, damage > count,
            segment.entries[damage...].contains(where: { $0.number == FieldName.call.number })
        {
            count = damage
        }
        let recordStart =
            count < segment.entries.count ? start + Int(segment.entries[count].nameOffset) - 1 : place ?? cursor
        let hasText = !trimmingBlanks(buffer[start..<recordStart]).isEmpty
        if count > 0 || hasText {
            var header = header(from: start, to: recordStart, fieldCount: count)
            header.warnings.append(
                ADIFWarning(.noEndOfHeader, recordNumber: 0, byteOffset: fileOffset(recordStart)))
            emit(.header(header))
        }
        segment.removeFirst(count, newStart: recordStart, newFileOffset: fileOffset(recordStart))
        return count
    }

    func isHeaderEntry(_ entry: FieldEntry) -> Bool {
        if entry.number != 0 { return table.isHeaderField(entry.number) }
        guard let start = segment.start else { return false }
        let range = entry.nameRange
        return FieldName(bytes: buffer[range.lowerBound + start..<range.upperBound + start]).isHeaderField
    }

    /// Emits or rejects the rest at the end of the file.
    mutating func endFile() {
        let end = fileOffset(buffer.count)
        if !hasItems, segment.rejection == nil, segment.entries.isEmpty {
            emit(.rejected(ADIFRejection(.notADIF, recordNumber: 0, byteRange: 0..<end)))
            return
        }
        if isPreamble { endUnfinishedHeader() }
        if let rejection = segment.rejection {
            rejectSegment(rejection.code, field: rejection.field, end: end)
        } else if !segment.entries.isEmpty {
            rejectSegment(gap.openBracket == nil ? .noEndOfRecord : .truncated, end: end)
        } else if let bracket = gap.openBracket {
            segment.fileOffset = bracket
            rejectSegment(.truncated, end: end)
        }
        segment.reset()
    }
}
