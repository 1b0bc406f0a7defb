import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Merging all duplicates` {
    @Test func `ends with one contact a group, and is one step back`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        for call in ["N0A", "N0B", "N0C"] {
            for name in ["", "Joe", ""] { _ = try await store.logged(oneContact("CALL=\(call)", "NAME=\(name)")) }
        }
        let before = try store.digest().content
        let groups = try store.duplicateGroups()
        #expect(groups.map(\.drop.count) == [2, 2, 2])
        let merged = try await store.merge(groups)
        #expect(merged.batches.count == 1 && merged.contacts.count == 3 && merged.left.isEmpty)
        #expect(try store.duplicates().isEmpty)
        let shown = try store.read { try $0.all(.everything) }
        #expect(shown.map { $0.text("NAME") } == ["Joe", "Joe", "Joe"], "the one with more fields stays")
        let step = try #require(try store.undoableSteps(1).first)
        #expect(step.changeCount == 9)
        #expect(step.note.text == "Merge duplicates")
        try await store.undo()
        #expect(try store.digest().content == before)
    }

    @Test func `takes several batches where it must, and is still one step back`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(generatedLog(2100), named: "a.adi", options("A"))
        let text = generatedLog(2100).replacing("<MODE:2>CW", with: "<MODE:2>CW<NAME:3>Joe")
        try await store.importText(text.minuteLater, named: "b.adi", options("B"))
        let before = try store.digest().content
        let groups = try store.duplicateGroups()
        #expect(groups.count == 2100)
        let merged = try await store.merge(groups)
        #expect(merged.batches.map(\.count) == [4095, 107])
        #expect(try store.read { try $0.count(.everything) } == 2100)
        let step = try #require(try store.undoableSteps(1).first)
        #expect(step.batches.count == 2 && step.changeCount == 4200)
        try await store.undo()
        #expect(try store.digest().content == before)
        #expect(try store.undoableSteps(1).first?.note.text == "Import b.adi")
    }

    @Test(arguments: [("A.adi", 0), ("/logs/b.adi", 1), ("b.adi", 1), ("shack", 0), ("more", 0)])
    func `keeps what the import of a file wrote`(name: String, kept: Int) async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(record("1234", "NAME", "A"), named: "a.adi", options("Shack"))
        try await store.importText(record("1235", "NAME", "Ben", "QTH"), named: "/logs/b.adi", options("Field"))
        let rule: DuplicateRule = name == "more" ? .more : .file(name)
        _ = try await store.merge(try store.duplicateGroups(keeping: rule))
        #expect(try store.firstContact()?.text("NAME") == ["A", "Ben"][kept])
        #expect(try store.firstContact()?.text("QTH") == "Ben", "what only one says is taken over")
    }

    @Test func `a file that was never imported is refused, and so is a window that makes no sense`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.importText(record("1234", "NAME", "A"), named: "a.adi")
        let error = try #require(
            throws: StoreError.self, performing: { try store.duplicateGroups(keeping: .file("b.adi")) })
        #expect(error.code == .notFound)
        for window: Int64 in [-1, 86_401] {
            let error = try #require(throws: StoreError.self, performing: { try store.duplicates(within: window) })
            #expect(error.code == .usage)
        }
    }

    @Test func `leaves a group whose contact was hidden meanwhile`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let ids = [try await store.logged(oneContact()), try await store.logged(oneContact())]
        let groups = try store.duplicateGroups()
        _ = try await store.write { try $0.remove("qso", ids[1]) }
        let merged = try await store.merge(groups)
        #expect(merged.left == groups && merged.batches.isEmpty)
        #expect(try store.isVisible(ids[0]))
    }

    @Test(arguments: [false, true])
    func `a file that comes again brings nothing back and changes nothing`(isSameMinute: Bool) async throws {
        let fleet = try await Fleet(2, seed: 19)
        defer { fleet.close() }
        let (store, other) = (fleet.stores[0], fleet.stores[1])
        let texts = [
            record("1234", "NAME", "A", "QTH"),
            isSameMinute ? record("123430", "NAME", "N0SHK", "STATION_CALLSIGN") : record("1235", "NAME", "Ben"),
        ]
        try await store.importText(texts[0], named: "a.adi", options("Shack"))
        // On another device: one key makes two contacts only where one file says the station and the other does not, and
        // the two imports did not see one another.
        try await other.importText(texts[1], named: "b.adi", options("Field"))
        try fleet.meet()
        #expect(try store.duplicates().count == 1)
        for name in ["a.adi", "b.adi"] {
            _ = try await store.merge(try store.duplicateGroups(keeping: .file(name)))
            let merged = try store.digest()
            for (text, source) in zip(texts, ["Shack", "Field"]) {
                let report = try await store.importText(text, named: "again.adi", options(source))
                #expect(report.unchanged == 1 && report.id == nil, "\(source)")
            }
            #expect(try store.digest() == merged)
            try await store.undo()
        }
    }

    @Test func `an id that a service gave goes with the merge, and its file still means the hidden contact`()
        async throws
    {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let file = record("1235", "APP_QRZLOG_LOGID", "77", "NAME")
        for name in ["A", "B"] {
            try await store.importText(record("1234", "NAME", name), named: "a.adi", options("Shack"))
            try await store.importText(file, named: "b.adi", options("Service"))
            _ = try await store.merge(try store.duplicateGroups(keeping: .file("a.adi")))
            #expect(try store.firstContact()?.text("APP_QRZLOG_LOGID") == "77")
            let merged = try store.digest()
            #expect(try await store.importText(file, named: "b.adi", options("Service")).hidden == 1)
            #expect(try store.digest() == merged)
            try await store.undo()
        }
    }

    private func options(_ source: String) -> ImportOptions {
        var options = ImportOptions()
        options.source = source
        return options
    }

    private func record(_ time: String, _ field: String, _ value: String, _ more: String = "COMMENT") -> String {
        adi([
            "CALL": "N0CALL", "QSO_DATE": "20260501", "TIME_ON": time, "BAND": "20m", "MODE": "CW", field: value,
            more: value,
        ])
    }
}

extension String {
    /// The log with every contact one minute later, but within its day.
    fileprivate var minuteLater: String {
        replacing(/<TIME_ON:6>(\d\d)(\d\d)(\d\d)/) { match in
            let minutes = (Int(match.1) ?? 0) * 60 + (Int(match.2) ?? 0) + 1
            return "<TIME_ON:6>" + String(format: "%02d%02d", minutes / 60, minutes % 60) + match.3
        }
    }
}
