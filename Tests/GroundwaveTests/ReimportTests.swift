import Everything
import Foundation
import GroundwaveADIF
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Importing a series of one log as it grew` {
    @Test(.enabled(if: Collection.folder != nil), arguments: ["series-jtdx", "series-xforever1313-qrz"])
    func `adds exactly what is new in each file`(series: String) async throws {
        let temporary = try await TemporaryStore(.full())
        // What is there, computed from the files alone: contacts by call, date, minute, band and mode, with repeats.
        var known: [String: Int] = [:]
        for file in Collection.files(in: series) {
            let bytes = [UInt8](try Data(contentsOf: file))
            var inFile: [String: Int] = [:]
            for case .record(let record) in ADIReader.items(in: bytes) { inFile[Self.key(record), default: 0] += 1 }
            let new = inFile.reduce(0) { $0 + Swift.max(0, $1.value - known[$1.key, default: 0]) }
            let total = inFile.values.reduce(0, +)
            let report = try await temporary.store.importBytes(bytes, named: file.lastPathComponent)
            #expect(report.imported == new, "\(file.lastPathComponent)")
            #expect(report.records == total)
            #expect(report.imported + report.updated + report.unchanged + report.rejected == report.records)
            known.merge(inFile) { Swift.max($0, $1) }
            #expect(try temporary.store.read { try $0.count(.everything) } == known.values.reduce(0, +))
            let again = try await temporary.store.importBytes(bytes, named: file.lastPathComponent)
            #expect(again.unchanged == again.records && again.id == nil, "a second time it says nothing new")
        }
    }

    @Test(.enabled(if: Collection.folder != nil), arguments: ["series-jtdx", "series-xforever1313-qrz"])
    func `at the position of each import shows what a fresh store shows that had only the files up to it`(
        series: String
    ) async throws {
        let files = Collection.files(in: series)
        let temporary = try await TemporaryStore(.full())
        var positions: [UInt64] = []
        for file in files {
            try await temporary.store.importBytes([UInt8](Data(contentsOf: file)), named: file.lastPathComponent)
            positions.append(try temporary.store.log.lastPosition())
        }
        #expect(files.count > 1 && Set(positions).count > 1, "the log grew")
        for (count, position) in positions.enumerated() {
            let fresh = try await TemporaryStore(.full())
            for file in files[...count] {
                try await fresh.store.importBytes([UInt8](Data(contentsOf: file)), named: file.lastPathComponent)
            }
            let past = try await temporary.store.at(.position(position)).digest()
            let digest = try fresh.store.digest()
            #expect(
                past.content == digest.content && past.contentCount == digest.contentCount,
                "\(files[count].lastPathComponent)")
            #expect(past.contentCount > 0)
        }
    }

    private static func key(_ record: ADIFRecord) -> String {
        let mode = Mode(mode: record.fields.text(.mode), submode: record.fields.text(.submode))
        let band =
            record.fields.text(.band)?.lowercased()
            ?? record.fields.text(.freq).flatMap { Frequency(megahertz: $0) }.flatMap { Band(containing: $0) }?.name
        let parts = [
            record.fields.text(.call)?.uppercased(), record.fields.text(.qsoDate),
            record.fields.text(.timeOn).map { String($0.prefix(4)) }, band, mode?.name,
        ]
        return parts.map { $0 ?? "" }.joined(separator: "|")
    }
}

@Suite struct `Comparing a file with what is there` {
    private static func record(_ fields: KeyValuePairs<String, String> = [:]) -> String {
        adi(["CALL": "N0A", "QSO_DATE": "20260501", "TIME_ON": "1200", "BAND": "20m", "MODE": "CW"])
            .replacing("<EOR>", with: fields.isEmpty ? "<EOR>" : adi(fields).dropLast())
    }

    @Test func `a slice that is begun again before it has ended counts once`() async throws {
        let temporary = try await TemporaryStore(.full())
        let text = "x<EOH>" + Self.record()
        try await temporary.store.importText(text)
        let records = ADIReader.items(in: Array(text.utf8)).compactMap { item in
            if case .record(let record) = item { record } else { nil }
        }
        let record = try #require(records.first)
        try temporary.store.read { view in
            var comparison = ImportComparison(source: SourceID(name: "another"))
            for _ in 0..<3 {
                comparison.beginSlice()
                guard case .asserted = try comparison.compare(record, in: view) else {
                    Issue.record("it is the contact that is there")
                    return
                }
            }
            comparison.endSlice()
            comparison.beginSlice()
            guard case .new = try comparison.compare(record, in: view) else {
                Issue.record("a second one in the file is another contact")
                return
            }
        }
    }

    @Test func `a contact of another station is another contact, though all else is the same`() async throws {
        let temporary = try await TemporaryStore(.full())
        for station in ["N0CALL", "W1AW"] {
            let report = try await temporary.store.importText("x<EOH>" + Self.record(["STATION_CALLSIGN": station]))
            #expect(report.imported == 1)
        }
        // Who does not say which station it was may be either.
        #expect(try await temporary.store.importText("x<EOH>" + Self.record()).imported == 0)
        let again = try await temporary.store.importText("x<EOH>" + Self.record(["STATION_CALLSIGN": "W1AW"]))
        #expect(again.unchanged == 1)
        #expect(try temporary.store.read { try $0.count(.everything) } == 2)
    }
}
