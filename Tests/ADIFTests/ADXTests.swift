import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveADIF

@Suite struct `ADX` {
    private func read(_ xml: String, limits: ADIFLimits = ADIFLimits()) -> [ADIFItem] {
        ADXReader.items(in: Array(xml.utf8), limits: limits)
    }

    private func document(_ records: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ADX>\n<HEADER/>\n<RECORDS>\n\(records)\n</RECORDS>\n</ADX>\n"
    }

    @Test func `header, fields, APP and USERDEF elements are read`() throws {
        let items = read(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <ADX>
              <HEADER>
                <!-- made up -->
                <ADIF_VER>3.1.6</ADIF_VER>
                <USERDEF FIELDID="1" TYPE="E" ENUM="{S,M,L}">SweaterSize</USERDEF>
                <USERDEF FIELDID="2" TYPE="N" RANGE="{5:20}">ShoeSize</USERDEF>
              </HEADER>
              <RECORDS>
                <RECORD>
                  <CALL>N0CALL</CALL>
                  <NAME_INTL>Bjørn &amp; Zoë</NAME_INTL>
                  <APP PROGRAMID="Groundwave" FIELDNAME="Note" TYPE="S">a<![CDATA[<b>]]></APP>
                  <USERDEF FIELDNAME="SweaterSize">M</USERDEF>
                </RECORD>
              </RECORDS>
            </ADX>
            """)
        let header = try #require(items.headers.first)
        #expect(header.userFields.map(\.writtenName) == ["SweaterSize", "ShoeSize"])
        #expect(header.userFields[0].values == ["S", "M", "L"])
        #expect(header.userFields[1].limits?.minimum == "5")
        let record = try #require(items.records.first)
        #expect(record.fields.map(\.name) == [.call, .nameIntl, "APP_GROUNDWAVE_NOTE", "SWEATERSIZE"])
        #expect(record.fields.map(\.text.string) == ["N0CALL", "Bjørn & Zoë", "a<b>", "M"])
        #expect(record.fields[2].typeIndicator == UInt8(ascii: "S"))
        #expect(items.warnings.isEmpty && items.rejections.isEmpty)
    }

    @Test(arguments: [
        "<!DOCTYPE ADX [<!ENTITY x SYSTEM \"file:///etc/hostname\">]><ADX><RECORDS/></ADX>",
        "<?xml version=\"1.0\"?>\n<!-- c -->\n<!DOCTYPE ADX><ADX/>",
        "<?xml version=\"1.0\" encoding=\"UTF-7\"?><ADX/>",
        "<\u{0}A\u{0}D\u{0}X\u{0}/\u{0}>\u{0}",
    ])
    func `document types and encodings that could hide one are refused`(xml: String) {
        #expect(read(xml).rejections.map(\.code) == [.forbiddenXML])
    }

    @Test(arguments: ["", "no log", "<log/>", "<?xml version=\"1.0\"?>", "<html><ADX/></html>"])
    func `a document that is no ADX is refused`(xml: String) {
        #expect(read(xml).rejections.map(\.code) == [.notADIF])
    }

    @Test func `a document of more than 10 MB is read to its end`() {
        let record = "<RECORD><CALL>N0CALL</CALL><COMMENT>\(String(repeating: "long ", count: 200))</COMMENT></RECORD>"
        let items = read(document(String(repeating: record, count: 12_000)))
        #expect(items.count == 12_001)
        #expect(items.dropFirst().allSatisfy { if case .record = $0 { true } else { false } })
    }

    @Test(.timeLimit(.minutes(1)))
    func `an element with many attributes is a place that is not well-formed, and costs nothing before it`() {
        let attributes = (0..<300_000).map { " a\($0)=\"\"" }.joined()
        let items = read(document("<RECORD><CALL>N0A</CALL></RECORD><RECORD><CALL\(attributes)>N0B</CALL></RECORD>"))
        #expect(items.count == 3)
        guard case .record(let record) = items[1], case .rejected(let rejection) = items[2] else {
            Issue.record("\(items.dropFirst(2))")
            return
        }
        #expect(record.fields.text(.call) == "N0A" && rejection.code == .malformedXML)
    }

    @Test func `what looks like a long tag in a comment, in text that is not parsed or in a value is none`() {
        let long = "<a " + String(repeating: "b='>' ", count: 2000)
        let comment = "<!-- \(long) -->"
        let record = "<RECORD><CALL>N0A</CALL><COMMENT><![CDATA[\(long)]]></COMMENT></RECORD>"
        let items = read(
            document(comment + record + "<RECORD><APP PROGRAMID=\"X\" FIELDNAME='Z' TYPE='>'>v</APP></RECORD>"))
        #expect(items.count == 3)
        #expect(items.dropFirst().allSatisfy { if case .record = $0 { true } else { false } })
    }

    @Test func `a document above the limit is refused at once`() {
        var limits = ADIFLimits()
        limits.documentByteCount = 10
        #expect(read(document("<RECORD/>"), limits: limits).rejections.map(\.code) == [.documentTooLarge])
    }

    @Test func `records before a place that is not well-formed are kept`() throws {
        let items = read(document("<RECORD><CALL>N0CALL</CALL></RECORD>\n<RECORD><CALL>N0ABC</RECORD>"))
        #expect(items.records.map { $0.fields.text(.call) } == ["N0CALL"])
        let part = try #require(items.rejections.first)
        #expect(part.code == .malformedXML)
        #expect(part.recordNumber == 2)
        #expect(part.byteRange.lowerBound == 102)
    }

    @Test func `a name that is not UTF-8 is a place that is not well-formed, and costs nothing before it`() throws {
        var bytes = Array(document("<RECORD><CALL>N0CALL</CALL></RECORD>\n<RECORD><#A>1</#A></RECORD>").utf8)
        for place in bytes.indices where bytes[place] == 0x23 { bytes[place] = 0xFF }
        let items = ADXReader.items(in: bytes)
        #expect(items.records.map { $0.fields.text(.call) } == ["N0CALL"])
        let part = try #require(items.rejections.first)
        #expect(part.code == .malformedXML)
        #expect(part.byteRange == 102..<UInt64(bytes.count))
        // Behind the end it is one too: nothing of it is read.
        let behind = Array(document("<RECORD><CALL>N0CALL</CALL></RECORD>").utf8) + [0xFF]
        #expect(ADXReader.items(in: behind).rejections.map(\.code) == [.malformedXML])
        #expect(ADXReader.items(in: behind).records.count == 1)
    }

    @Test(arguments: ["<?x?>", "<?xml?>", "<A B=\"<?x?>\"/>", "<![CDATA[<?x?>]]>", "<?x?"])
    func `an instruction that says nothing is a place that is not well-formed`(instruction: String) {
        let items = read(document("<RECORD><CALL>N0CALL</CALL></RECORD>\n<RECORD>\(instruction)</RECORD>"))
        #expect(items.records.map { $0.fields.text(.call) } == ["N0CALL"])
        #expect(items.rejections.map(\.code) == [.malformedXML])
        #expect(!read(instruction + "<ADX/>").rejections.isEmpty)
        let telling = read(document("<?x y?><RECORD><CALL>N0CALL</CALL></RECORD>"))
        #expect(telling.rejections.isEmpty && telling.records.count == 1)
    }

    @Test func `a Latin-1 document may have any letters in its names`() {
        let xml =
            "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><ADX><HEADER/><RECORDS><RECORD><CALL>N0CALL</CALL><N#>1</N#>"
        let bytes = Array((xml + "</RECORD></RECORDS></ADX>").utf8).map { $0 == 0x23 ? 0xFC : $0 }
        let items = ADXReader.items(in: bytes)
        #expect(items.rejections.isEmpty)
        #expect(items.records.first?.fields.text(.call) == "N0CALL")
    }

    @Test(arguments: [
        "<?xml#encoding=\"ISO-8859-1\"?>", "<?x y?><?xml encoding=\"ISO-8859-1\"?>", "<?xml encoding\"ISO-8859-1\"<8?>",
    ])
    func `a document that is Latin-1 by a broken declaration is read as that`(declaration: String) {
        let xml = declaration + "<ADX><HEADER/><RECORDS><RECORD><CALL>N0CALL</CALL><N#>1</N#></RECORD></RECORDS></ADX>"
        let items = ADXReader.items(in: Array(xml.utf8).map { $0 == 0x23 ? 0xFC : $0 })
        #expect(items.rejections.isEmpty)
        #expect(items.records.first?.fields.text(.call) == "N0CALL")
    }

    @Test func `a field above the limit costs its record and no other`() {
        let value = String(repeating: "x", count: 65_537)
        let items = read(
            document("<RECORD><NOTES>\(value)</NOTES></RECORD><RECORD><CALL>N0ABC</CALL></RECORD><RECORD/>"))
        #expect(items.rejections.map(\.code) == [.fieldTooLong, .noFields])
        #expect(items.records.map(\.number) == [2])
    }

    @Test func `repeated, unknown and nested elements are reported`() {
        let items = read(
            document("<RECORD><CALL>N0CALL</CALL><call>N0ABC</call><MYOWN>1</MYOWN><QTH>a<b>c</b></QTH></RECORD>"))
        #expect(items.records.first?.fields.text(.call) == "N0ABC")
        #expect(items.records.first?.fields.text("MYOWN") == "1")
        #expect(items.warnings == [.duplicateField, .unexpectedElement, .unexpectedElement])
    }

    @Test(arguments: UInt64(1)...100)
    func `values that XML can hold come back as they were`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "<", ">", "&", "\"", "]]>", "\r\n", "\r", "\n", "\t", " ", "é", "📻", "<EOR>", "&amp;", "abc", "\u{85}",
        ]
        var fields = ADIFFields()
        for name in [.call, .notes, .nameIntl, "APP_GROUNDWAVE_a_b", "my own field", "APP_X"] as [FieldName] {
            fields.append(name, (0..<random.number(0...12)).map { _ in random.element(pieces) }.joined())
        }
        var bytes: [UInt8] = []
        ADXWriter.appendStart(ADIFHeader(), to: &bytes)
        #expect(ADXWriter.append(ADIFRecord(fields: fields), to: &bytes).isEmpty)
        ADXWriter.appendEnd(to: &bytes)
        let items = ADXReader.items(in: bytes)
        #expect(items.records.first.map { Array($0.fields) } == Array(fields))
        #expect(items.rejections.isEmpty && items.warnings.isEmpty)
    }

    @Test func `a value that XML cannot hold is left out and reported`() {
        var bytes: [UInt8] = []
        var fields: ADIFFields = [
            ADIFField(.call, "N0CALL"), ADIFField(.comment, "a\u{1}b"), ADIFField(.notes, "\u{FFFF}"),
        ]
        fields.append(.qth, value: [0x4B, 0xF6, 0x6C])
        let problems = ADXWriter.append(ADIFRecord(number: 7, fields: fields), to: &bytes)
        #expect(
            problems == [
                .init(code: .forbiddenCharacter, recordNumber: 7, field: .comment),
                .init(code: .forbiddenCharacter, recordNumber: 7, field: .notes),
                .init(code: .convertedToUTF8, recordNumber: 7, field: .qth),
            ])
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("<QTH>Köl</QTH>"))
        #expect(!text.contains("COMMENT"))
    }

    @Test func `a header comes back with its definitions`() throws {
        let definition = UserFieldDefinition(
            number: 3, name: "ShoeSize", typeIndicator: UInt8(ascii: "N"), limits: .init(minimum: "5", maximum: "20"))
        let header = ADIWriter.makeHeader(programVersion: "1.0", createdTimestamp: 0, userFields: [definition])
        var bytes: [UInt8] = []
        #expect(ADXWriter.appendStart(header, to: &bytes).isEmpty)
        ADXWriter.appendEnd(to: &bytes)
        let read = try #require(ADXReader.items(in: bytes).headers.first)
        #expect(Array(read.fields) == Array(header.fields))
        #expect(read.userFields == [definition])
    }
}

@Suite struct `Telling formats apart` {
    @Test(
        arguments: [
            ("<CALL:6>N0CALL<EOR>", ADIFFormat.adi), ("Some text\n<ADIF_VER:5>3.1.6", .adi), ("\u{FEFF}x<eoh>", .adi),
            ("<?xml version=\"1.0\"?><ADX>", .adx), ("\u{FEFF}\n<adx>", .adx), ("<!-- log --><ADX/>", .adx),
            ("START-OF-LOG: 3.0\n", .cabrillo), ("", nil), ("a < b", nil), ("<a@b>", nil),
        ] as [(String, ADIFFormat?)])
    func `the first bytes decide`(text: String, format: ADIFFormat?) {
        #expect(ADIFFormat.detect(Array(text.utf8)) == format)
    }
}
