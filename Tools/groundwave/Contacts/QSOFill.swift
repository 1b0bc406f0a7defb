import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveWording

struct QSOFill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fill", abstract: "Fill in country, zones and continent of contacts from your country file.",
        discussion: """
            DXCC, COUNTRY, CQZ, ITUZ and CONT are filled in where a contact does not have them. What you or a file says of \
            a contact is always shown before it, also if it comes later. The country file is cty.csv or cty.dat of \
            country-files.com; once it is named, contacts are filled in as they are logged. cty.dat has no numbers of DXCC.

              groundwave settings set countryFile cty.csv
              groundwave qso fill
              groundwave qso fill --since 2026 --dry-run
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions
    @OptionGroup var filters: QSOFilters

    @Flag(help: "Show how many contacts would be filled in, and fill in none.")
    var dryRun = false

    struct Result: Encodable {
        var contacts: Int
        var filled: Int
        var unknown: Int
        var `import`: String?
    }

    func run() async throws {
        let store = try await options.open(author: writing.author)
        guard let path = try store.setting("countryFile")?.value, let countries = try store.countries() else {
            throw StoreError(
                .usage, "No country file is set.",
                hint: "country-files.com has cty.csv. To set it: groundwave settings set countryFile PATH")
        }
        let report = try await store.fillCountries(
            of: filters.query(store), by: countries, from: URL(filePath: path).lastPathComponent, isDryRun: dryRun,
            note: writing.note, author: writing.author)
        if options.json {
            return try Terminal.print(
                json: Result(
                    contacts: report.contacts, filled: report.filled, unknown: report.unknown,
                    import: report.id.map { "\($0)" }))
        }
        try Terminal.print(
            """
            \(NumberText.count(report.contacts, "contact")): \(dryRun ? "would be " : "")filled in: \(report.filled), calls \
            that the file does not know: \(report.unknown).
            """)
    }
}

/// The country file of the operator, for contacts that are logged.
enum Countries {
    /// Returns what it says; `nil` if there is none, or if it cannot be read, with a remark: a contact is logged all the same.
    static func forLogging(_ store: Store) -> CountryFields? {
        do { return try store.countries() } catch {
            Terminal.remark("Country and zones are not filled in: \((error as? StoreError)?.message ?? "\(error)")")
            return nil
        }
    }
}
