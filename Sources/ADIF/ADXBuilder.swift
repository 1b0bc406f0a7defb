/// Builds items from the elements of an ADX document.
///
/// It is independent of the parser: its input is elements and text, its output items.
struct ADXBuilder {
    private let limits: ADIFLimits
    private let lines: LineOffsets
    private var items: [ADIFItem] = []
    private var section = Section.outside
    /// The number of open elements.
    private var depth = 0
    private var sawDocument = false

    private var element: Element?
    private var fields = ADIFFields()
    private var warnings: [ADIFWarning] = []
    private var rejection: (code: ADIFRejection.Code, field: FieldName?)?
    /// The line of the start tag of the open header or record.
    private var startLine = 1
    private var nextNumber = 1

    private enum Section { case outside, document, header, records, record }

    /// An open element inside a header or record.
    private struct Element {
        var name: String
        var attributes: [String: String]
        var depth: Int
        var line: Int
        var text = ""
        var isTooLong = false
    }

    init(bytes: [UInt8], limits: ADIFLimits) {
        self.limits = limits
        lines = LineOffsets(bytes)
    }

    mutating func startElement(_ name: String, attributes: [String: String], line: Int) {
        depth += 1
        let upperName = name.uppercased()
        switch (section, upperName) {
        case (.outside, "ADX") where depth == 1:
            section = .document
            sawDocument = true
        case (.document, "HEADER"):
            section = .header
            startLine = line
        case (.document, "RECORDS"):
            section = .records
        case (.records, "RECORD"):
            section = .record
            startLine = line
        case (.header, _), (.record, _):
            if element == nil {
                let upperAttributes = Dictionary(attributes.map { ($0.uppercased(), $1) }) { first, _ in first }
                element = Element(name: upperName, attributes: upperAttributes, depth: depth, line: line)
            } else {
                warn(.unexpectedElement, line: line, field: FieldName(upperName))
            }
        default:
            break
        }
    }

    mutating func append(_ text: String) {
        guard element != nil, element?.isTooLong == false else { return }
        element?.text += text
        if element?.text.utf8.count ?? 0 > limits.fieldByteCount {
            element?.text = ""
            element?.isTooLong = true
        }
    }

    mutating func endElement(line: Int) {
        defer { depth -= 1 }
        if let open = element {
            guard open.depth == depth else { return }
            element = nil
            appendField(open)
            return
        }
        switch (section, depth) {
        case (.header, 2): endHeader(line: line)
        case (.record, 3): endRecord(line: line)
        case (.records, 2): section = .document
        case (.document, 1): section = .outside
        default: break
        }
    }

    // MARK: Fields

    private mutating func appendField(_ open: Element) {
        guard rejection == nil else { return }
        if section == .header, open.name == "USERDEF" { return appendDefinition(open) }
        let (writtenName, isExpected) = fieldName(of: open)
        let name = FieldName(writtenName)
        if open.isTooLong { return reject(.fieldTooLong, field: name) }
        guard isValidFieldName(Array(writtenName.utf8)[...]) else { return reject(.damaged) }
        guard fields.count < limits.fieldCount else { return reject(.tooManyFields, field: name) }
        if !isExpected { warn(.unexpectedElement, line: open.line, field: name) }
        if fields[name] != nil { warn(.duplicateField, line: open.line, field: name) }
        let type = open.attributes["TYPE"].map { Array($0.utf8) } ?? []
        let indicator = type.count == 1 && type[0].isASCIILetter ? type[0] : nil
        if !type.isEmpty, indicator == nil { warn(.typeUnknown, line: open.line, field: name) }
        fields.append(name, value: open.text.utf8, typeIndicator: indicator, writtenName: writtenName)
        if fields.bytes.count > limits.recordByteCount {
            reject(section == .header ? .headerTooLong : .recordTooLong, field: name)
        }
    }

    private func fieldName(of open: Element) -> (writtenName: String, isExpected: Bool) {
        let attributes = open.attributes
        switch open.name {
        case "APP":
            guard let program = attributes["PROGRAMID"], let field = attributes["FIELDNAME"] else { break }
            return ("APP_\(program)_\(field)", true)
        case "USERDEF":
            guard let field = attributes["FIELDNAME"] else { break }
            return (field, true)
        default:
            return (open.name, FieldName(open.name).isKnown)
        }
        return (open.name, false)
    }

    private mutating func appendDefinition(_ open: Element) {
        let name = open.text.trimmingSpaces
        guard let number = open.attributes["FIELDID"].flatMap({ Int($0) }), 1...99_999 ~= number,
            isValidFieldName(Array(name.utf8)[...])
        else {
            return warn(.unexpectedElement, line: open.line, field: FieldName(open.name))
        }
        var definition = UserFieldDefinition(number: number, name: String(name))
        definition.typeIndicator = open.attributes["TYPE"]?.utf8.first.flatMap { $0.isASCIILetter ? $0 : nil }
        if let list = open.attributes["ENUM"] ?? open.attributes["RANGE"] {
            let text = "\(name),\(list)"
            let field = ADIFField(FieldName("USERDEF\(number)"), text, typeIndicator: definition.typeIndicator)
            definition = UserFieldDefinition(field) ?? definition
        }
        fields.append(definition.field)
    }

    // MARK: Headers and records

    private mutating func endHeader(line: Int) {
        if let rejection {
            let range = lines.offset(of: startLine)..<lines.offset(of: line + 1)
            items.append(
                .rejected(ADIFRejection(rejection.code, recordNumber: 0, byteRange: range, field: rejection.field)))
        } else {
            for index in warnings.indices { warnings[index].recordNumber = 0 }
            items.append(.header(ADIFHeader(fields: fields, warnings: warnings)))
        }
        reset(to: .document)
    }

    private mutating func endRecord(line: Int) {
        if rejection == nil, fields.isEmpty { reject(.noFields) }
        if let rejection {
            let range = lines.offset(of: startLine)..<lines.offset(of: line + 1)
            items.append(
                .rejected(
                    ADIFRejection(rejection.code, recordNumber: nextNumber, byteRange: range, field: rejection.field)))
        } else {
            items.append(
                .record(
                    ADIFRecord(
                        number: nextNumber, byteOffset: lines.offset(of: startLine), fields: fields,
                        warnings: warnings)))
        }
        nextNumber += 1
        reset(to: .records)
    }

    private mutating func reset(to section: Section) {
        self.section = section
        fields = ADIFFields()
        warnings = []
        rejection = nil
    }

    /// Finishes the document; `errorLine` is the line where it stopped being well-formed, if it did.
    func finish(errorLine: Int?) -> [ADIFItem] {
        var items = items
        if !sawDocument {
            items = [.rejected(ADIFRejection(.notADIF, recordNumber: 0, byteRange: 0..<lines.byteCount))]
        } else if let errorLine {
            let isInside = section == .record || section == .header
            let start = lines.offset(of: isInside ? startLine : errorLine)
            items.append(
                .rejected(
                    ADIFRejection(
                        .malformedXML, recordNumber: section == .header ? 0 : nextNumber,
                        byteRange: start..<lines.byteCount)))
        }
        return items
    }

    private mutating func reject(_ code: ADIFRejection.Code, field: FieldName? = nil) {
        rejection = (code, field)
        fields = ADIFFields()
    }

    private mutating func warn(_ code: ADIFWarning.Code, line: Int, field: FieldName?) {
        warnings.append(
            ADIFWarning(code, recordNumber: nextNumber, byteOffset: lines.offset(of: line), field: field))
    }
}

/// The offsets of the lines of a document.
private struct LineOffsets {
    let byteCount: UInt64
    private var starts: [UInt32] = [0]

    init(_ bytes: [UInt8]) {
        byteCount = UInt64(bytes.count)
        for index in bytes.indices where bytes[index] == .lineFeed { starts.append(UInt32(index + 1)) }
    }

    /// Returns the offset of `line`, counted from 1; the end of the document if there is no such line.
    func offset(of line: Int) -> UInt64 {
        1...starts.count ~= line ? UInt64(starts[line - 1]) : byteCount
    }
}
