import Testing

@testable import GroundwaveADIF

@Suite struct `Damaged ADI` {
    @Test(arguments: ["", " ", "\u{FEFF}", "Dear Sir,\nno log here.", "CALL:6N0CALL BAND:320m EOR"])
    func `a file without a tag is not ADIF`(text: String) {
        #expect(
            items(text) == [.rejected(ADIFRejection(.notADIF, recordNumber: 0, byteRange: 0..<UInt64(text.utf8.count)))]
        )
    }

    @Test func `a header without an end is cut at the same place however the file comes`() {
        let bytes = Array("<ADIF_VER:5> <ADIF_VER:5>3.1\nP".utf8)
        let whole = ADIReader.items(in: bytes)
        for cut in 1..<bytes.count {
            var reader = ADIReader()
            var found: [ADIFItem] = []
            for part in [bytes[..<cut], bytes[cut...]] {
                reader.append(part)
                while let item = reader.next() { found.append(item) }
            }
            reader.finish()
            while let item = reader.next() { found.append(item) }
            #expect(found == whole, "cut at byte \(cut)")
        }
    }

    @Test func `a file cut within a value keeps the records before`() throws {
        let text = "<CALL:6>N0CALL<EOR><CALL:5>N0ABC<COMMENT:20>half a"
        let items = items(text)
        #expect(items.records.count == 1)
        let part = try #require(items.rejections.first)
        #expect(
            part == ADIFRejection(.truncated, recordNumber: 2, byteRange: 19..<UInt64(text.utf8.count), field: .comment)
        )
    }

    @Test(arguments: [("<CALL:6>N0CALL<EOR><CALL:5>N0ABC<BAN", 19), ("<CALL:6>N0CALL<EOR>\n<CA", 20)])
    func `a file cut within a tag says so`(text: String, offset: UInt64) {
        let part = items(text).rejections.first
        #expect(part?.code == .truncated)
        #expect(part?.byteRange.lowerBound == offset)
    }

    @Test(arguments: ["<NOTE:2>x", "<NOTE>x"])
    func `a length that swallows the end of a record is told by the field that comes again`(next: String) {
        let items = items("<CALL:6>N0CALL<NOTE:7>ab<EOR>\(next)<EOR>")
        #expect(items.records.first?.fields.map { $0.text.string } == ["N0CALL", "ab"])
    }

    @Test func `of calls without an end between them none gets the fields of another`() {
        let items = items("<CALL:6>N0CALL<CALL:6>N0CALL<CALL:5>N0ABC<MODE:2>CW<EOR>")
        #expect(items.records.map { $0.fields.map { "\($0.name) \($0.text.string)" } } == [["CALL N0ABC", "MODE CW"]])
        #expect(items.rejections.map(\.code) == [.noEndOfRecord, .noEndOfRecord])
    }

    @Test func `a last record without an end is rejected`() {
        let items = items("<CALL:6>N0CALL<EOR><CALL:5>N0ABC\n")
        #expect(items.records.count == 1)
        #expect(items.rejections.map(\.code) == [.noEndOfRecord])
    }

    @Test func `a record whose end is missing is not mixed with the next`() throws {
        let items = items("<CALL:6>N0CALL<NAME:3>Bob\n<CALL:5>N0ABC<BAND:3>20m<EOR><CALL:5>N0DEF<EOR>")
        #expect(items.records.map { $0.fields.text(.call) } == ["N0ABC", "N0DEF"])
        #expect(items.records.map(\.number) == [2, 3])
        #expect(items.records[0].fields.text(.name) == nil)
        #expect(items.rejections == [ADIFRejection(.noEndOfRecord, recordNumber: 1, byteRange: 0..<26)])
    }

    @Test(arguments: ["<e\u{1}r>", "EOR>", "<EOR", "<eoz>", "<eoh>", "<EO:3>"])
    func `a record whose end is damaged is not mixed with the next`(damage: String) {
        let items = items(
            "x<EOH>\n<CALL:6>N0CALL\n<BAND:3>20m\n\(damage)\n<CALL:6>N0CALL\n<BAND:3>40m<EOR>\n<CALL:5>N0ABC<EOR>")
        #expect(items.records.map { $0.fields.text(.call) } == ["N0CALL", "N0ABC"])
        #expect(items.records.first?.fields.text(.band) == "40m")
        #expect(items.rejections.map(\.code) == [.noEndOfRecord])
    }

    @Test func `what is left of a record whose beginning is gone is rejected with the one before`() {
        let items = items("<CALL:6>N0CALL<BAND:3>20m<E\u{1}LL:5>N0ABC<BAND:3>40m<EOR><CALL:5>N0DEF<EOR>")
        #expect(items.records.map { $0.fields.text(.call) } == ["N0DEF"])
        #expect(items.rejections.map(\.code) == [.noEndOfRecord, .damaged])
    }

    @Test(arguments: ["<PROG>>", "<PROG>x", "<PROGRAMIX:4>Test\n<EO"])
    func `what is left of a header does not join the first record`(damage: String) {
        let items = items("A log\n<ADIF_VER:5>3.1.6\n\(damage)\n<CALL:6>N0CALL<BAND:3>20m<EOR>")
        #expect(items.records.first?.fields.map(\.name) == [.call, .band])
        #expect(items.headers.first?.warnings.last?.code == .noEndOfHeader)
    }

    @Test func `a tag that lost a bracket is reported and the fields around it are kept`() throws {
        let items = items("<CALL:6>N0CALL BAND:3>20m <MODE:2>CW<EOR><CALL:5>N0ABC\nBAND:3>20m <MODE:2>CW<EOR>")
        #expect(items.records.count == 2)
        #expect(items.records[0].warnings.map(\.code) == [.lengthWrong])
        #expect(items.records[1].fields.map(\.name) == [.call, .mode])
        #expect(items.records[1].warnings.map(\.code) == [.malformedTag])
    }

    @Test func `an end of record without fields is rejected`() {
        let items = items("<CALL:6>N0CALL<EOR>\nCALL:6N0CALL\n<EOR><EOR>")
        #expect(items.rejections.map(\.code) == [.noFields, .noFields])
        #expect(items.rejections.map(\.byteRange) == [20..<38, 38..<43])
    }

    @Test func `binary rubbish between records costs none of them`() {
        let rubbish = (0...255).map { UInt8($0) }
        let bytes = Array("<CALL:6>N0CALL<EOR>".utf8) + rubbish + Array("\n<CALL:5>N0ABC<EOR>".utf8)
        let items = ADIReader.items(in: bytes)
        #expect(items.records.map { $0.fields.text(.call) } == ["N0CALL", "N0ABC"])
        #expect(items.warnings == [.malformedTag])
    }

    // MARK: Limits

    @Test(arguments: [(65_536, true), (65_537, false)])
    func `a value of 64 KiB is read and a larger one rejected`(count: Int, isRead: Bool) {
        let value = String(repeating: "x", count: count)
        let items = items("<CALL:6>N0CALL<NOTES:\(count)>\(value)<EOR><CALL:5>N0ABC<EOR>")
        #expect(items.records.count == (isRead ? 2 : 1))
        #expect(items.records.last?.number == 2)
        #expect(items.rejections.map(\.code) == (isRead ? [] : [.fieldTooLong]))
        #expect(items.rejections.map(\.field) == (isRead ? [] : [.notes]))
    }

    @Test(arguments: [(4_096, true), (4_097, false)])
    func `a record of 4,096 fields is read and a longer one rejected`(count: Int, isRead: Bool) {
        let fields = (1...count).map { "<APP_X_\($0):0>" }.joined()
        let items = items(fields + "<EOR><CALL:5>N0ABC<EOR>")
        #expect(items.records.count == (isRead ? 2 : 1))
        #expect(items.rejections.map(\.code) == (isRead ? [] : [.tooManyFields]))
    }

    @Test func `a record above 1 MiB is rejected and the next one read`() {
        let value = String(repeating: "x", count: 65_000)
        let fields = (1...17).map { "<APP_X_\($0):65000>\(value)" }.joined()
        let items = items("<CALL:6>N0CALL<EOR>" + fields + "<EOR><CALL:5>N0ABC<EOR>")
        #expect(items.records.map(\.number) == [1, 3])
        #expect(items.rejections.map(\.code) == [.recordTooLong])
    }

    @Test func `a header above 1 MiB is rejected and the records read`() {
        let items = items(String(repeating: "text ", count: 220_000) + "<EOH><CALL:6>N0CALL<EOR>")
        #expect(items.rejections.map(\.code) == [.headerTooLong])
        #expect(items.records.count == 1)
    }

    @Test func `a length beyond all limits is not waited for`() {
        var reader = ADIReader()
        reader.append(Array("<CALL:6>N0CALL<NOTES:9999999999>73<EOR><CALL:5>N0ABC<EOR>".utf8))
        #expect(reader.next() != nil)
    }

    @Test func `a value that comes a byte at a time is not searched anew for every byte`() {
        var reader = ADIReader()
        reader.append(Array("<CALL:6>N0CALL<NOTES:3>".utf8))
        let clock = ContinuousClock()
        let time = clock.measure {
            for _ in 0..<60_000 {
                reader.append([0x78])
                _ = reader.next()
            }
        }
        reader.append(Array("<EOR>".utf8))
        reader.finish()
        guard case .record(let record)? = reader.next() else {
            Issue.record("The record did not come out.")
            return
        }
        #expect(record[.notes]?.value.count == 60_000)
        #expect(time < .seconds(10))
    }

    @Test(arguments: ["<CALL:900000>x", "<CALL:0>", "<EOR>", "<", "<CALL:900000>é", "<APP_X_Y:1>z", "// <a ", "<a>b"])
    func `a megabyte of one nuisance is read in a moment`(nuisance: String) {
        let text = "<CALL:6>N0CALL<NOTES:60000>" + String(repeating: nuisance, count: 1_000_000 / nuisance.utf8.count)
        let time = ContinuousClock().measure { _ = items(text) }
        #expect(time < .seconds(20))
    }
}
