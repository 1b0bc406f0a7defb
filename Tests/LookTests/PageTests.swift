import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import GroundwaveTesting
import Testing

@testable import GroundwaveLook

@Suite struct `The pages` {
    private static let pages = [
        "/", "/contacts", "/records", "/records/qso", "/records/replica", "/history", "/conflicts", "/compare", "/map",
        "/map.svg",
        "/activity", "/paper", "/labels", "/traces", "/devices", "/files", "/verify", "/style.css", "/script.js",
        "/icon.svg",
    ]

    @Test(arguments: Self.pages)
    func `are shown, and may load nothing from elsewhere`(page: String) async throws {
        let (visitor, _) = try await Visitor.ofTwoContacts()
        let response = try await visitor.answer(page).response
        #expect(response.status == 200)
        #expect(!response.body.isEmpty)
        let policy = try #require(response.headers.first { $0.name == "Content-Security-Policy" }?.value)
        #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; script-src 'self'"))
        #expect(!policy.contains("unsafe"))
    }

    @Test(arguments: [
        "/nothing", "/record/qso/00000000000000000000000000", "/record/nothing/last", "/records/nothing", "/batch/x/1",
        "/trace/x", "/contacts/x", "/live/x",
    ])
    func `that are none are not found`(page: String) async throws {
        let (visitor, _) = try await Visitor.ofTwoContacts()
        #expect(try await visitor.page(page, status: 404).contains("<h1>Not shown</h1>"))
    }

    @Test(arguments: [
        "/contacts?band=20", "/contacts?since=soon", "/contacts?where=NOTHING=1", "/contacts?session=nothing",
        "/contacts?at=soon", "/compare?from=soon", "/history?since=soon",
    ])
    func `say what is wrong with a parameter`(page: String) async throws {
        let (visitor, _) = try await Visitor.ofTwoContacts()
        let text = try await visitor.page(page, status: 400)
        #expect(text.contains("class=\"problem\"") || text.contains("<h1>Not shown</h1>"))
        #expect(
            text.contains("soon") || text.contains("NOTHING") || text.contains("20") || text.contains("nothing"),
            "it names what is wrong")
    }

    @Test func `choose contacts as the command line does`() async throws {
        let (visitor, ids) = try await Visitor.ofTwoContacts()
        let all = try await visitor.page("/contacts")
        #expect(all.contains("data-total=\"2\"") && ids.allSatisfy { all.contains("/record/qso/\($0)") })
        let one = try await visitor.page("/contacts?words=maxim")
        #expect(one.contains("data-total=\"1\"") || one.contains("/record/qso/\(ids[0])"))
        #expect(!one.contains("/record/qso/\(ids[1])"))
        #expect(try await visitor.page("/contacts?call=W1*&band=20m").contains("/record/qso/\(ids[0])"))
        #expect(try await visitor.page("/contacts?mode=SSB").contains("No contact matches."))
    }

    @Test func `search records of any kind for all words, in any of their fields`() async throws {
        let (visitor, _) = try await Visitor.ofTwoContacts()
        let ids = try await visitor.store.write { batch in
            try ["Ärger with a dipole", "Quiet dipole"].map {
                try batch.add("equipment", [Assignment("NAME", text: $0), Assignment("RIG", text: "antenna")])
            }
        }.value
        func found(_ words: String) async throws -> [Bool] {
            let text = try await visitor.page("/records/equipment?words=\(words)")
            #expect(text.contains("data-total=\"\(ids.count { text.contains("/equipment/\($0)") })\""))
            return ids.map { text.contains("/equipment/\($0)") }
        }
        #expect(try await found("") == [true, true])
        #expect(try await found("DIPOLE") == [true, true])
        #expect(try await found("antenna%20quiet") == [false, true])
        #expect(try await found("%C3%A4rger") == [true, false])
        #expect(try await found("antenna%20beam") == [false, false])
        #expect(try await visitor.page("/records/equipment?words=%3Cb%3E").contains("No record has all these words."))
    }

    @Test func `are divided, and no contact is on two of them or on none`() async throws {
        let temporary = try await TemporaryStore(Configuration.full(author: "N0CALL"))
        let calls = (0..<130).map { "N\($0)CALL" }
        try await temporary.store.write { batch in
            for (minute, call) in calls.enumerated() {
                let time = "\(10 + minute / 60)\(minute % 60 < 10 ? "0" : "")\(minute % 60)"
                _ = try batch.add(
                    "qso",
                    [
                        Assignment("CALL", text: call), Assignment("QSO_DATE", text: "20260501"),
                        Assignment("TIME_ON", text: time),
                    ])
            }
        }
        let visitor = Visitor(temporary)
        var found: [String] = []
        for page in 1...3 {
            let text = try await visitor.page("/contacts?page=\(page)")
            #expect(text.contains("page \(page) of 3"))
            #expect(text.contains(">Older</a>") == (page < 3) && text.contains(">Newer</a>") == (page > 1))
            found += text.matches(of: /<a href="\/record\/qso\/[^"]+">(N\d+CALL)</).map { String($0.1) }
        }
        #expect(found == calls.reversed(), "the newest first")
    }

    @Test func `of a record tell who wrote each field, why it shows, and what it said before`() async throws {
        let (visitor, ids) = try await Visitor.ofTwoContacts()
        let text = try await visitor.page("/record/qso/\(ids[0])")
        #expect(
            text.contains("Maxim") && text.contains("Called Maxim")
                && text.contains("its author had seen the one before"))
        #expect(text.contains("NAME: Percy → Maxim") && text.contains("NAME: Hiram → Percy"))
        #expect(
            try await visitor.page("/record/qso/W1AW").contains("<h1>W1AW, 2026-05-01 12:00:00Z</h1>"), "a name will do"
        )
    }

    @Test func `give a long value a page of its own`() async throws {
        let temporary = try await TemporaryStore(Configuration.full(author: "N0CALL"))
        let long = String(repeating: "word ", count: 20_000)
        let id = try await temporary.store.write {
            try $0.add("qso", [Assignment("CALL", text: "W1AW"), Assignment("COMMENT", text: long)])
        }.value
        let visitor = Visitor(temporary)
        let text = try await visitor.page("/record/qso/\(id)")
        #expect(text.utf8.count < 30_000)
        let whole = try await visitor.page("/record/qso/\(id)/value/COMMENT")
        #expect(whole == long)
    }

    @Test(arguments: UInt64(1)...20)
    func `show hostile values as text, in every place`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let temporary = try await TemporaryStore(Configuration.full(author: "N0CALL", deviceName: "<b>shack</b>"))
        var ids: [RecordID] = []
        for _ in 0..<10 {
            let values = (0..<6).map { _ in HostileText.one(&numbers) }
            let note = HostileText.one(&numbers)
            do {
                ids.append(
                    try await temporary.store.write(note: note, author: HostileText.one(&numbers)) { batch in
                        try batch.add(
                            "qso",
                            ["CALL", "NAME", "COMMENT", "QTH", "APP_X_Y", "BAND"].enumerated().map {
                                Assignment($1, text: values[$0])
                            })
                    }.value)
            } catch let error as StoreError { #expect([.usage, .invalid].contains(error.code)) }
        }
        let visitor = Visitor(temporary)
        let parameter = Address("x").with("words", HostileText.one(&numbers)).description.dropFirst(2)
        for page in Self.pages.prefix(10).map({ $0 + parameter }) + ids.map({ "/record/qso/\($0)" }) {
            let response = try await visitor.answer(page).response
            #expect([200, 400].contains(response.status), "\(page)")
            let text = String(decoding: response.body, as: UTF8.self)
            #expect(
                !text.contains("window.broken=1</script>") && !text.contains("<img src=x")
                    && !text.contains("<svg/onload"))
            #expect(text.matches(of: /<script/).count == (page.hasPrefix("/map.svg") ? 0 : 1), "\(page)")
            #expect(!text.contains("\u{202E}") && !text.contains("\u{0}") && !text.contains("\u{1B}"))
        }
    }
}
