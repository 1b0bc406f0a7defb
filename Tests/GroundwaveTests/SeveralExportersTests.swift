import Everything
import Foundation
import GroundwaveADIF
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

/// Real files of one operator's log, of several programs or of one program at several times.
struct SeveralExporters {
    static let starts = [
        "same-operator-n3fjp-lotw/", "series-jtdx/", "series-xforever1313-qrz/", "parser-tests/matir-",
    ]

    let start: String
    let files: [[UInt8]]

    /// The files whose path in the collection starts so; some are samples of a record or two, and left out.
    init(_ start: String) throws {
        self.start = start
        let paths = Collection.files(in: String(start.prefix { $0 != "/" })).filter { $0.path.contains("/" + start) }
        files = try paths.map { [UInt8](try Data(contentsOf: $0)) }.filter { Self.records($0).count > 10 }
    }

    static func records(_ file: [UInt8]) -> [ADIFRecord] {
        ADIReader.items(in: file).compactMap { if case .record(let record) = $0 { record } else { nil } }
    }

    /// Expects that no contact says less in any field than each file does.
    func expectNothingPoorer(in store: Store) throws {
        var contacts: [String: [Record]] = [:]
        try store.forEachContactInOrder(.everything) {
            let contact = $0
            contacts[Self.key { contact.text($0) }, default: []].append(contact)
        }
        var compared = 0
        for record in files.flatMap(Self.records) {
            // Of several with one key the files alone do not say which is which.
            let same = contacts[Self.key(record), default: []]
            guard same.count == 1, let contact = same.first else { continue }
            compared += 1
            for field in record.fields {
                let (said, shown) = (field.text.string, contact.text(field.name) ?? "")
                // Neither is printed: these are real contacts.
                #expect(said.isEmpty || !shown.isEmpty, "\(start): \(field.name.name) is empty")
                guard [.timeOn, .freq, .gridsquare].contains(field.name) else { continue }
                let finer =
                    field.name == .freq && said.contains(".")
                    ? said.replacing(/\.?0+$/, with: "") : said.uppercased()
                let isPoorer = shown.count < finer.count && finer.hasPrefix(shown.uppercased())
                #expect(!isPoorer || finer == shown + "00", "\(start): \(field.name.name) is coarser")
            }
        }
        #expect(compared >= 40)
    }

    static func key(_ record: ADIFRecord) -> String { key { record.fields.text($0) } }

    static func key(_ text: (FieldName) -> String?) -> String {
        let band =
            text(.band)?.lowercased()
            ?? text(.freq).flatMap { Frequency(megahertz: $0) }.flatMap { Band(containing: $0) }?.name
        let parts = [
            text(.call)?.uppercased(), text(.qsoDate), text(.timeOn).map { String($0.prefix(4)) }, band,
            Mode(mode: text(.mode), submode: text(.submode))?.name,
        ]
        return parts.map { $0 ?? "" }.joined(separator: "|")
    }
}

@Suite struct `Files of several exporters` {
    @Test(.enabled(if: Collection.folder != nil), arguments: SeveralExporters.starts)
    func `leave no field poorer than any of them has it, in either order`(start: String) async throws {
        let log = try SeveralExporters(start)
        for order in [Array(log.files.indices), log.files.indices.reversed()] {
            let temporary = try await TemporaryStore(.full())
            for file in order { try await temporary.store.importBytes(log.files[file], named: "\(file).adi") }
            try log.expectNothingPoorer(in: temporary.store)
        }
    }

    /// One of the collections is left out: a program left out the station, and then the key alone does not say that two
    /// devices mean one contact.
    @Test(.enabled(if: Collection.folder != nil), arguments: SeveralExporters.starts.dropFirst())
    func `leave none poorer where each was imported on another device`(start: String) async throws {
        let log = try SeveralExporters(start)
        for order in [Array(log.files.indices), log.files.indices.reversed()] {
            let fleet = try await Fleet(2, seed: 1)
            for (place, file) in order.enumerated() {
                try await fleet.stores[place % 2].importBytes(log.files[file], named: "\(file).adi")
            }
            try fleet.meet()
            let digests = try fleet.stores.map { try $0.digest().content }
            #expect(digests[0] == digests[1])
            for store in fleet.stores { try log.expectNothingPoorer(in: store) }
            // Another device's file is no news once they have met, however often it comes.
            for file in log.files.indices {
                let report = try await fleet.stores[file % 2].importBytes(log.files[file], named: "\(file).adi")
                #expect(report.updated == 0)
            }
            try fleet.meet()
            for store in fleet.stores { #expect(try store.digest().content == digests[0]) }
            fleet.close()
        }
    }

    @Test(.enabled(if: Collection.folder != nil))
    func `of which one leaves out the station make contacts that are listed as duplicates`() async throws {
        let log = try SeveralExporters(SeveralExporters.starts[0])
        let fleet = try await Fleet(2, seed: 1)
        defer { fleet.close() }
        for (place, file) in log.files.enumerated() {
            try await fleet.stores[place % 2].importBytes(file, named: "\(place).adi")
        }
        try fleet.meet()
        let store = fleet.stores[0]
        let listed = Set(try store.duplicates().flatMap { [$0.first.id, $0.second.id] })
        var contacts: [String: [Record]] = [:]
        try store.forEachContactInOrder(.everything) { record in
            contacts[SeveralExporters.key { record.text($0) }, default: []].append(record)
        }
        let twice = contacts.values.filter {
            $0.count == 2 && Set($0.map { $0.text("STATION_CALLSIGN") ?? "" }).contains("")
        }
        #expect(twice.count >= 10)
        for contact in twice.joined() { #expect(listed.contains(contact.id)) }
    }

    @Test func `meet in one contact, though each was imported on another device`() async throws {
        func file(_ source: String, _ fields: KeyValuePairs<String, String>) -> String {
            let key = adi(["CALL": "N0CALL", "QSO_DATE": "20240501", "BAND": "20m", "MODE": "FT8"])
            return "x\n<PROGRAMID:\(source.utf8.count)>\(source)<EOH>\n" + key.replacing("<EOR>\n", with: "")
                + adi(fields)
        }
        let fleet = try await Fleet(2, seed: 3)
        let fine: KeyValuePairs = ["TIME_ON": "120030", "FREQ": "14.074512", "NAME": "Hiram", "GRIDSQUARE": "FN31"]
        let other: KeyValuePairs = [
            "TIME_ON": "1200", "FREQ": "14.074", "NAME": "Percy", "GRIDSQUARE": "FN31pr", "QTH": "Newington",
        ]
        try await fleet.stores[0].importText(file("A", fine))
        for clock in fleet.clocks { clock.advance(by: .seconds(7200)) }
        try await fleet.stores[1].importText(file("B", other))
        try fleet.meet()
        for store in fleet.stores {
            #expect(try store.read { try $0.count(.everything) } == 1)
            let contact = try #require(try store.firstContact())
            #expect(contact.text("TIME_ON") == "120030" && contact.text("FREQ") == "14.074512")
            #expect(contact.text("BAND") == "20m" && contact.text("GRIDSQUARE") == "FN31pr")
            #expect(contact.text("NAME") == "Hiram", "of two names the one that was said first")
            #expect(contact.text("QTH") == "Newington")
            #expect(contact.hasConflict == false)
            #expect(contact.fields.flatMap(\.contradictions).map(\.value) == [Array("Percy".utf8)])
        }
        let digests = try fleet.stores.map { try $0.digest().content }
        #expect(digests[0] == digests[1])
        fleet.close()
    }
}
