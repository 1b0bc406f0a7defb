import Everything
import Groundwave
import GroundwaveCountryFiles
import GroundwaveRadio
import GroundwaveTesting
import Testing

/// Filling in looks for contacts first and writes afterwards: what another program did in between counts.
@Suite struct `Filling in countries` {
    private static let file = "United States: 5: 8: NA: 37.53: 91.67: 5.0: K:\n    K,W;\n"

    @Test func `leaves contacts that were hidden or erased meanwhile`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let countries = CountryFields(try CountryFile(Array(Self.file.utf8)))
        try await store.importText(
            "x<EOH>"
                + (1...3).map { "<CALL:4>W\($0)AA<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<EOR>" }
                .joined())
        let ids = try store.read { try $0.all(.everything).map(\.id) }
        #expect(ids.count == 3)
        _ = try await store.write { try $0.remove("qso", ids[0]) }
        try await store.erase([ids[1]])
        let filled = try await store.write { try $0.fillCountries(of: ids[...], by: countries) }
        #expect(filled.value == 1)
        #expect(try store.firstContact()?.text("CQZ") == "5")
    }
}
