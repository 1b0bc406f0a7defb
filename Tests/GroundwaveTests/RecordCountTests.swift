import Everything
import Foundation
import GroundwaveADIF
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

#if COUNTS_RECORDS
extension `Rows that are read without a record` {
    /// A log in ADIF, and a folder to write to.
    private struct Log {
        let text: String
        let folder: URL
    }

    /// What reads all contacts, by name; a walk may make records of other kinds, whose number does not grow.
    private static var walks: [(name: String, walk: (Store, Log) async throws -> Void)] {
        func reading(_ body: @escaping (borrowing ViewReader) throws -> Void) -> (Store, Log) throws -> Void {
            { store, _ in try store.read { try body($0) } }
        }
        var worked = ContactQuery.contacts.worked("N0CALL")
        worked.band = "20m"
        let found = worked
        // The log of a contest has its contacts in memory, since it lists them by their times.
        let exports = ExportFormat.allCases.filter { $0 != .cabrillo }.map { format in
            (
                "export as \(format)",
                { (store: Store, log: Log) async throws in
                    let path = log.folder.appending(path: "export").path
                    _ = try store.export(.everything, as: format, created: 0, toFile: path)
                }
            )
        }
        return exports + [
            ("count", reading { _ = try $0.count(.contacts) }),
            ("worked", reading { _ = try $0.count(found) }),
            ("list", { store, _ in try store.forEachShownContactByTime(.contacts) { _, _ in } }),
            ("content", reading { _ = try $0.contentDigest() }),
            ("digest", { store, _ in _ = try store.digest() }),
            ("statistics", { store, _ in _ = try store.statistics() }),
            ("duplicates", { store, _ in _ = try store.duplicates() }),
            ("replay", { store, _ in _ = try store.replay() }),
            ("snapshot", { store, _ in _ = try store.createSnapshot() }),
            ("a past point", { store, _ in _ = try await store.at(.position(store.log.lastPosition() - 1)).digest() }),
            (
                "import again",
                { store, log in
                    try store.read { view in
                        var comparison = ImportComparison(
                            source: SourceID(name: "Test"), ids: ContactIDs(key: try view.idKey(by: nil)))
                        var contact = view.shownValues(of: "qso")
                        for case .record(let record) in ADIReader.items(in: Array(log.text.utf8)) {
                            guard case .unchanged = try comparison.compare(ImportedRecord(record), in: view, &contact)
                            else {
                                Issue.record("it is there")
                                return
                            }
                        }
                    }
                }
            ),
        ]
    }

    @Test func `no walk makes a record of each contact`() async throws {
        var counts: [String: [Int]] = [:]
        for contacts in [25, 125] {
            let temporary = try await TemporaryStore(.full())
            let log = Log(text: generatedLog(contacts), folder: temporary.stateFolder)
            try await temporary.store.importText(log.text)
            for (name, walk) in Self.walks {
                let count = RecordCount()
                try await RecordCount.$current.withValue(count) { try await walk(temporary.store, log) }
                counts[name, default: []].append(count.value)
            }
            // The count counts.
            let count = RecordCount()
            try RecordCount.$current.withValue(count) { try temporary.store.forEachContactByTime(.contacts) { _ in } }
            #expect(count.value == contacts)
        }
        for (name, made) in counts { #expect(made[0] == made[1], "\(name)") }
    }
}
#endif
