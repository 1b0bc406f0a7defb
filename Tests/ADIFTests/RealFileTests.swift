import Foundation
import Testing

@testable import GroundwaveADIF

@Suite struct `Real files` {
    @Test(
        arguments: [
            ("nmote/K-3213.adi", 26, []), ("matir/header_comment.adi", 1, []), ("matir/header_none.adi", 1, []),
            ("matir/header_version.adi", 1, []), ("matir/lotw_empty.adi", 0, []),
            ("matir/lotw_empty_no_eof.adi", 0, []),
            ("matir/lotw_eof.adi", 1, []), ("matir/readrecord.adi", 2, [.noEndOfRecord]),
        ] as [(String, Int, [ADIFRejection.Code])])
    func `every fixture gives the records it has`(name: String, count: Int, rejections: [ADIFRejection.Code]) throws {
        let items = ADIReader.items(in: try Files.bytes(Files.fixtures.appending(path: name)))
        #expect(items.records.count == count)
        #expect(items.rejections.map(\.code) == rejections)
    }

    @Test(.enabled(if: Files.collection != nil))
    func `every file of the collection gives the records of the table of counts`() throws {
        let collection = try #require(Files.collection)
        let table = try String(contentsOf: Files.fixtures.appending(path: "expected-counts.tsv"), encoding: .utf8)
        for line in table.split(separator: "\n").dropFirst(2) {
            let columns = line.split(separator: "\t").map(String.init)
            let items = ADIReader.items(in: try Files.bytes(collection.appending(path: columns[0])))
            #expect(String(items.records.count) == columns[3], "\(columns[0])")
            #expect(String(items.rejections.count) == columns[4], "\(columns[0])")
            let isDifferent = columns[1] != columns[3] || columns[2] != columns[3] || columns[4] != "0"
            #expect(!isDifferent || columns[5] != "-", "\(columns[0]) differs and the table does not say why.")
        }
    }

    @Test(.enabled(if: Files.collection != nil))
    func `every record of the collection is written and read back as it was`() throws {
        let collection = try #require(Files.collection)
        for url in adiFiles(in: collection) {
            let records = ADIReader.items(in: try Files.bytes(url)).records
            var bytes: [UInt8] = []
            ADIWriter.append(ADIFHeader(), to: &bytes)
            for record in records { ADIWriter.append(record, to: &bytes) }
            let items = ADIReader.items(in: bytes)
            #expect(
                items.records.map { Array($0.fields) } == records.map { Array($0.fields) }, "\(url.lastPathComponent)")
            #expect(items.rejections.isEmpty)
        }
    }

    @Test(.enabled(if: Files.collection != nil))
    func `the official test file survives ADI to ADX to ADI field by field`() throws {
        let collection = try #require(Files.collection)
        let file = collection.appending(path: "official/ADIF_316_test_QSOs_2025_08_27.adi")
        let items = ADIReader.items(in: try Files.bytes(file))
        let header = try #require(items.headers.first)
        let records = items.records
        #expect(records.count == 6_191)
        #expect(items.rejections.isEmpty)
        #expect(header.userFields.count == 12)

        var adx: [UInt8] = []
        var problems = ADXWriter.appendStart(header, to: &adx)
        for record in records { problems += ADXWriter.append(record, to: &adx) }
        ADXWriter.appendEnd(to: &adx)
        #expect(problems.isEmpty)
        let fromADX = ADXReader.items(in: adx)
        #expect(fromADX.rejections.isEmpty)

        var adi: [UInt8] = []
        ADIWriter.append(try #require(fromADX.headers.first), to: &adi)
        for record in fromADX.records { ADIWriter.append(record, to: &adi) }
        let back = ADIReader.items(in: adi)
        #expect(back.rejections.isEmpty && back.warnings.isEmpty)
        #expect(back.headers.first.map { Array($0.fields) } == Array(header.fields))
        #expect(back.records.count == records.count)
        for (after, before) in zip(back.records, records) {
            #expect(after.fields.map(\.name) == before.fields.map(\.name), "record \(before.number)")
            #expect(after.fields.map(\.value) == before.fields.map(\.value), "record \(before.number)")
            let types = { (fields: ADIFFields) in fields.filter(\.name.isApplicationDefined).map(\.typeIndicator) }
            #expect(types(after.fields) == types(before.fields), "record \(before.number)")
        }
    }

    @Test(.enabled(if: Files.collection != nil))
    func `values of the official file fit the tables`() throws {
        let collection = try #require(Files.collection)
        let file = collection.appending(path: "official/ADIF_316_test_QSOs_2025_08_27.adi")
        for record in ADIReader.items(in: try Files.bytes(file)).records {
            #expect(ADIFDateTime(start: record.fields) != nil, "record \(record.number)")
            if let band = record.fields.text(.band) { #expect(Band(named: band) != nil, "record \(record.number)") }
            if let mode = Mode(record.fields) { #expect(mode.isCurrent, "record \(record.number)") }
            if let contest = record.fields.text(.contestID) {
                #expect(ADIFEnumeration.contestID.contains(contest), "record \(record.number)")
            }
            if let frequency = record[.freq] {
                #expect(Frequency(megahertz: frequency.value) != nil, "record \(record.number)")
            }
        }
    }

    @Test(.enabled(if: Files.collection != nil), arguments: ["pyadif-goodfile.adx", "pyadif-badfile1.adx"])
    func `the ADX files of the collection are read`(name: String) throws {
        let collection = try #require(Files.collection)
        let bytes = try Files.bytes(collection.appending(path: "adx").appending(path: name))
        #expect(ADIFFormat.detect(bytes) == .adx)
        let items = ADXReader.items(in: bytes)
        #expect(items.records.count == 2)
        #expect(items.headers.count == 1)
        #expect(items.rejections.isEmpty)
    }

    private func adiFiles(in folder: URL) -> [URL] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { ["adi", "adif"].contains($0.pathExtension) }
    }
}
