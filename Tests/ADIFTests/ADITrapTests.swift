import Testing

@testable import GroundwaveADIF

// What real files do to a reader. Each test is one trap; the refusal or the limit beside it is in the same test or the
// next.
@Suite struct `Reading ADI` {
    @Test func `a plain file gives its header and its records in order`() throws {
        let items = items("A log\n<ADIF_VER:5>3.1.6<EOH>\n<CALL:6>N0CALL<BAND:3>20m<EOR>\n<CALL:5>N0ABC<EOR>\n")
        #expect(items.headers.first?.fields.text(.adifVer) == "3.1.6")
        #expect(items.headers.first?.text == Array("A log\n".utf8))
        #expect(items.records.map { $0.fields.text(.call) } == ["N0CALL", "N0ABC"])
        #expect(items.records.map(\.number) == [1, 2])
        #expect(items.records.map(\.byteOffset) == [29, 60])
        #expect(items.warnings.isEmpty && items.rejections.isEmpty)
    }

    @Test func `the bytes of a record are those of the file, comments included`() throws {
        let record = try #require(items("x<EOH> <CALL:6>N0CALL // first\n<eor>").records.first)
        #expect(record.fields.bytes == Array("<CALL:6>N0CALL // first\n<eor>".utf8))
    }

    // MARK: Headers

    @Test func `a file without a header is read from its first tag`() {
        let items = items("<CALL:6>N0CALL<EOR>")
        #expect(items.headers.isEmpty)
        #expect(items.records.count == 1)
    }

    @Test func `a file without a header may begin with a blank`() {
        #expect(items(" <CALL:6>N0CALL<EOR>").records.count == 1)
    }

    @Test func `a byte order mark is skipped`() {
        let items = items("\u{FEFF}<CALL:6>N0CALL<EOR>")
        #expect(items.headers.isEmpty)
        #expect(items.records.first?.byteOffset == 3)
    }

    @Test func `a header may end in eh`() {
        #expect(items("WSJT-X ADIF Export<eh>\n<call:6>N0CALL<eor>").headers.count == 1)
    }

    @Test func `text in a header that looks like a tag is text`() throws {
        let items = items("by <author@host> see <http://host:80> <EOR> ends a record\n<EOH><CALL:6>N0CALL<EOR>")
        let header = try #require(items.headers.first)
        #expect(header.fields.isEmpty)
        #expect(items.records.count == 1)
        #expect(items.warnings.isEmpty)
    }

    @Test func `a header field without a length reaches to the end of its line`() throws {
        let header = try #require(items("x\n<PROGRAMID>MixW\n<ADIF_VER:1>2<EOH>").headers.first)
        #expect(header.fields.text(.programID) == "MixW")
        #expect(header.fields.text(.adifVer) == "2")
        #expect(header.warnings.map(\.code) == [.lengthMissing])
    }

    @Test func `a header without an end gives way to the first record`() throws {
        let items = items("A log\n<ADIF_VER:5>3.1.6\n<CALL:6>N0CALL<EOR>")
        let header = try #require(items.headers.first)
        #expect(header.fields.text(.adifVer) == "3.1.6")
        #expect(header.warnings.map(\.code) == [.noEndOfHeader])
        #expect(items.records.first?.fields.count == 1)
    }

    @Test func `a header alone gives no records and no rejection`() {
        let items = items("LoTW report\n<PROGRAMID:4>LoTW\n<eoh>\n<APP_LoTW_EOF>\n")
        #expect(items.count == 1)
        #expect(items.headers.count == 1)
    }

    @Test func `files that were joined keep each header`() {
        let file = "x<ADIF_VER:1>3<EOH><CALL:6>N0CALL<EOR>\n"
        let items = items(file + file)
        #expect(items.headers.count == 2)
        #expect(items.records.count == 2)
    }

    @Test func `user field definitions are read with their values and limits`() throws {
        let text = "x<USERDEF2:19:E>SWEATERSIZE,{S,M,L}<USERDEF3:15:N>SHOESIZE,{5:20}<USERDEF4:0><EOH>"
        let definitions = try #require(items(text).headers.first).userFields
        #expect(definitions.map(\.number) == [2, 3])
        #expect(definitions.map(\.name) == ["SWEATERSIZE", "SHOESIZE"])
        #expect(definitions[0].values == ["S", "M", "L"])
        #expect(definitions[1].limits?.maximum == "20")
        #expect(definitions.map(\.field.text.string) == ["SWEATERSIZE,{S,M,L}", "SHOESIZE,{5:20}"])
    }

    // MARK: Lengths

    @Test func `a length in bytes is believed`() throws {
        let record = try #require(items("<NAME:6>André<CALL:6>N0CALL<EOR>").records.first)
        #expect(record.fields.exactText(.name) == "André")
        #expect(record.warnings.isEmpty)
    }

    @Test func `a length in characters is understood and reported`() throws {
        let record = try #require(items("<NAME:5>André<CALL:6>N0CALL<EOR>").records.first)
        #expect(record.fields.exactText(.name) == "André")
        #expect(record.warnings.map(\.code) == [.lengthInCharacters])
        #expect(record.warnings.first?.field == .name)
        #expect(record.warnings.first?.byteOffset == 0)
    }

    @Test func `a length in UTF-16 units is understood and reported`() throws {
        let record = try #require(items("<NAME:4>📻é!<CALL:6>N0CALL<EOR>").records.first)
        #expect(record.fields.exactText(.name) == "📻é!")
        #expect(record.warnings.map(\.code) == [.lengthInCharacters])
    }

    @Test func `one file may count bytes in one field and characters in the next`() throws {
        let record = try #require(items("<NAME:6>André<QTH:5>Malmö<COMMENT:4>Zoë<EOR>").records.first)
        #expect(record.fields.exactText(.qth) == "Malmö")
        #expect(record.fields.exactText(.comment) == "Zoë")
        #expect(record.warnings.map(\.code) == [.lengthInCharacters])
    }

    @Test func `a length that is too small reaches to the next tag`() throws {
        let record = try #require(items("<BAND:2>20M <GRIDSQUARE:4>IO91VL <CALL:6>N0CALL <EOR>").records.first)
        #expect(record.fields.exactText(.band) == "20M")
        #expect(record.fields.exactText(.gridsquare) == "IO91VL")
        #expect(record.warnings.map(\.code) == [.lengthWrong, .lengthWrong])
    }

    @Test func `a length that is too large does not swallow the end of the record`() throws {
        let items = items("<CALL:64>N0CALL<eor>\n<CALL:5>N0ABC<BAND:3>20m<MODE:2>CW<QSO_DATE:8>20260101<eor>\n")
        #expect(items.records.map { $0.fields.text(.call) } == ["N0CALL", "N0ABC"])
        #expect(items.warnings == [.lengthWrong])
    }

    @Test func `a length that swallows a whole record by chance is not believed`() throws {
        let swallowed = "73<eor>\n<CALL:5>N0ABC"
        let text = "<CALL:6>N0CALL<COMMENT:\(swallowed.utf8.count)>\(swallowed)<BAND:3>20m<eor>"
        #expect(items(text).records.map { $0.fields.text(.call) } == ["N0CALL", "N0ABC"])
    }

    @Test func `a value that quotes a field or a whole record is believed`() throws {
        let quote = "<MODE:2>CW<eor> and <BAND:3>20m"
        let record = try #require(
            items("<CALL:6>N0CALL<NOTES:\(quote.utf8.count)>\(quote)<BAND:3>40m<EOR>").records.first)
        #expect(record.fields.exactText(.notes) == quote)
        #expect(record.warnings.isEmpty)
    }

    @Test func `a value that ends in an end of record and a field the record has is the one that is misread`() {
        // Nothing tells it from a length that swallowed a record: the price of the test before.
        let quote = "<eor><CALL:5>N0ABC"
        let items = items("<CALL:6>N0CALL<NOTES:\(quote.utf8.count)>\(quote)<EOR>")
        #expect(items.records.map { $0.fields.text(.call) } == ["N0CALL", "N0ABC"])
        #expect(items.warnings == [.lengthWrong])
    }

    @Test func `a length that counts line breaks twice is repaired`() throws {
        let record = try #require(items("<NOTES:19>first\nsecond\nlast\n<CALL:6>N0CALL<EOR>").records.first)
        #expect(record.fields.exactText(.notes) == "first\nsecond\nlast")
        #expect(record.fields.text(.call) == "N0CALL")
        #expect(record.warnings.map(\.code) == [.lengthWrong])
    }

    @Test func `a tag without a length has a value up to the next tag`() throws {
        let record = try #require(items("x<EOH><CALL>N0CALL<BAND>20m\n<EOR>").records.first)
        #expect(record.fields.text(.call) == "N0CALL")
        #expect(record.fields.text(.band) == "20m")
        #expect(record.warnings.map(\.code) == [.lengthMissing, .lengthMissing])
    }

    @Test func `empty values are values`() throws {
        let record = try #require(items("<CALL:6>N0CALL<NAME:0><COMMENT:0> <EOR>").records.first)
        #expect(record.fields.count == 3)
        #expect(record[.name]?.value.isEmpty == true)
        #expect(record.fields.text(.name) == nil)
    }

    @Test func `brackets in a value belong to it`() throws {
        let record = try #require(items("<COMMENT:15>a < b > c <eor><NAME:3><o><CALL:6>N0CALL<EOR>").records.first)
        #expect(record.fields.exactText(.comment) == "a < b > c <eor>")
        #expect(record.fields.exactText(.name) == "<o>")
        #expect(record.warnings.isEmpty)
    }

    // MARK: Tags

    @Test func `names, markers and types are read in any case`() throws {
        let items = items("x<eOh><cAlL:6:s>N0CALL<Qso_Date:8:D>20260102<band:3:>20m<eOr>")
        let record = try #require(items.records.first)
        #expect(record.fields.map(\.name) == [.call, .qsoDate, .band])
        #expect(record.fields.map(\.writtenName) == ["cAlL", "Qso_Date", "band"])
        #expect(record.fields.map(\.typeIndicator) == [UInt8(ascii: "s"), UInt8(ascii: "D"), nil])
        #expect(record.warnings.isEmpty)
    }

    @Test func `a type longer than a letter is left out with a warning`() {
        let items = items("<CALL:6:String>N0CALL<EOR>")
        #expect(items.records.first?[.call]?.typeIndicator == nil)
        #expect(items.warnings == [.typeUnknown])
    }

    @Test(arguments: ["\r\n", "\n", "\r", " ", ""])
    func `fields may be separated by any blanks or none`(separator: String) {
        let text = ["<CALL:6>N0CALL", "<BAND:3>20m", "<EOR>", "<CALL:5>N0ABC", "<EOR>"].joined(separator: separator)
        #expect(items(text).records.map(\.fields.count) == [2, 1])
    }

    @Test func `unknown fields are kept under their upper-case name`() throws {
        let record = try #require(items("<App_Groundwave_X:2>ab<my_own:1>c<EOR>").records.first)
        #expect(record.fields.map(\.name) == ["APP_GROUNDWAVE_X", "MY_OWN"])
        #expect(record["app_groundwave_x"]?.value.elementsEqual("ab".utf8) == true)
        #expect(record.fields.map(\.name.number) == [0, 0])
    }

    @Test func `of a repeated field the last value that is not empty counts`() throws {
        let text = "<CALL:6>N0CALL<NAME:2>Al<NAME:3>Bob<NAME:0><APP_X_Y:1>1<app_x_y:1>2<EOR>"
        let record = try #require(items(text).records.first)
        #expect(record.fields.count == 6)
        #expect(record.fields.text(.name) == "Bob")
        #expect(record.fields.text("APP_X_Y") == "2")
        #expect(record.warnings.map(\.code) == [.duplicateField, .duplicateField, .duplicateField])
    }

    // MARK: Comments

    @Test func `LoTW's comments after values are skipped without a warning`() throws {
        let text =
            "<CNTY:8>WI,Piers // Piers <Wisconsin>\r\n<DXCC:3>291 // Here\r\n<CALL:6>N0CALL\r\n<eor>\n<APP_LoTW_EOF>"
        let items = items(text)
        #expect(items.records.first?.fields.map(\.text.string) == ["WI,Piers", "291", "N0CALL"])
        #expect(items.warnings.isEmpty && items.rejections.isEmpty)
    }

    @Test func `an end of record behind a comment on one line ends the record`() {
        #expect(items("<CALL:6>N0CALL // so <eor> <CALL:5>N0ABC // so <eor>").records.count == 2)
    }

    @Test func `text on a line of its own is skipped with a warning`() throws {
        let items = items("<CALL:6>N0CALL<EOR>\n\n==== The next one is made up ====\n\n<CALL:5>N0ABC<EOR>\nThe end.")
        #expect(items.records.map { $0.fields.text(.call) } == ["N0CALL", "N0ABC"])
        #expect(items.warnings == [.skippedText])
        #expect(items.rejections.isEmpty)
    }

    @Test func `text after the last record is counted`() {
        var reader = ADIReader()
        reader.append(Array("<CALL:6>N0CALL<EOR>\nThe end.".utf8))
        reader.finish()
        while reader.next() != nil {}
        #expect(reader.skippedByteCount == 7)
    }

    // MARK: Encodings

    @Test func `a value that is not UTF-8 reads as Windows-1252 and stays as it is`() throws {
        let bytes = Array("<QTH:4>K".utf8) + [0xF6, 0x6C, 0x80] + Array("<CALL:6>N0CALL<EOR>".utf8)
        let record = try #require(ADIReader.items(in: bytes).records.first)
        let field = try #require(record[.qth])
        #expect(field.text == ValueText(decoding: [0x4B, 0xF6, 0x6C, 0x80]))
        #expect(field.text.string == "Köl€")
        #expect(field.text.encoding == .windows1252)
        #expect(Array(field.value) == [0x4B, 0xF6, 0x6C, 0x80])
        #expect(record.warnings.map(\.code) == [.notUTF8])
    }

    @Test(arguments: [[0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] as [[UInt8]])
    func `bytes that only look like UTF-8 are not`(bytes: [UInt8]) {
        #expect(ValueText(decoding: bytes[...]).encoding == .windows1252)
        #expect(utf8SequenceLength(bytes.span, at: 0, end: bytes.count) == 0)
    }
}
