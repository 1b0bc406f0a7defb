import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveTesting
import Testing

@testable import GroundwaveLook

@Suite struct `Writing from a page` {
    private static func name(_ visitor: Visitor, _ id: RecordID) throws -> String? {
        try visitor.store.record("qso", id)?.text("NAME")
    }

    @Test func `is refused unless it was asked for, and no page offers it`() async throws {
        let (visitor, ids) = try await Visitor.ofTwoContacts()
        let before = try visitor.store.log.lastPosition()
        #expect(try await visitor.page("/write/undo", status: 403).contains("--write"))
        #expect(try await visitor.answer("/write/undo", form: "note=x").response.status == 403)
        #expect(try await visitor.answer("/", form: "note=x").response.status == 404)
        for page in ["/", "/record/qso/\(ids[0])", "/history"] {
            #expect(try await !visitor.page(page).contains("/write/"))
        }
        #expect(try visitor.store.log.lastPosition() == before)
    }

    @Test func `shows first what would be undone, and undoes that`() async throws {
        let (visitor, ids) = try await Visitor.ofTwoContacts(mayWrite: true)
        let before = try visitor.store.log.lastPosition()
        let preview = try await visitor.page("/write/undo")
        #expect(preview.contains("This would undo 1 change") && preview.contains("W1AW"))
        #expect(try visitor.store.log.lastPosition() == before, "looking writes nothing")
        let step = try #require(try visitor.store.undoableSteps(1).first)
        #expect(preview.contains("name=\"event\" value=\"\(step.batches[0].first)\""), "the form says what was shown")
        #expect(try await visitor.answer("/write/undo", form: "note=x").response.status == 400)
        let (_, target) = try await visitor.answer(
            "/write/undo", form: "event=\(step.batches[0].first)&note=Wrong+name")
        #expect(target == "/history")
        #expect(try Self.name(visitor, ids[0]) == "Percy")
        #expect(try visitor.store.history(HistoryQuery()).first?.note.text == "Wrong name")
    }

    @Test func `undoes nothing else than what was shown`() async throws {
        let (visitor, ids) = try await Visitor.ofTwoContacts(mayWrite: true)
        let step = try #require(try visitor.store.undoableSteps(1).first)
        try await visitor.store.write { try $0.set("qso", ids[1], [Assignment("NAME", text: "Clara")]) }
        #expect(try await visitor.answer("/write/undo", form: "event=\(step.batches[0].first)").response.status == 409)
        #expect(try Self.name(visitor, ids[0]) == "Maxim")
        #expect(try Self.name(visitor, ids[1]) == "Clara")
    }

    @Test func `chooses in a conflict, and settles it on every device`() async throws {
        let cloud = MemoryTransport()
        let laptop = try await TemporaryStore(Configuration.full(author: "N0CALL", deviceName: "laptop"))
        let id = try await laptop.store.write { try $0.add("qso", [Assignment("CALL", text: "W1AW")]) }.value
        try await laptop.store.sync(with: cloud, as: "cloud")
        let phone = try await TemporaryStore(joining: cloud, as: "cloud", Configuration.full(deviceName: "phone"))
        try await laptop.store.write { try $0.set("qso", id, [Assignment("NAME", text: "Hiram")]) }
        try await phone.store.write { try $0.set("qso", id, [Assignment("NAME", text: "Percy")]) }
        try await phone.store.sync(with: cloud, as: "cloud")
        try await laptop.store.sync(with: cloud, as: "cloud")

        let visitor = Visitor(laptop, mayWrite: true)
        let list = try await visitor.page("/conflicts")
        #expect(list.contains("data-total=\"1\"") && list.contains("Hiram") && list.contains("Percy"))
        let choices = list.matches(of: /href="(\/write\/choose[^"]+)"/).map {
            String($0.1).replacing("&amp;", with: "&")
        }
        #expect(choices.count == 2)
        for choice in choices {
            let preview = try await visitor.page(choice)
            #expect(preview.contains("It would show <b>Hiram</b>") || preview.contains("It would show <b>Percy</b>"))
        }
        let hiram = try #require(
            try await choices.asyncFirst { try await visitor.page($0).contains("It would show <b>Hiram</b>") })
        let form = String(hiram.split(separator: "?", maxSplits: 1)[1])
        #expect(try await visitor.answer("/write/choose", form: form).response.status == 200)
        #expect(try Self.name(visitor, id) == "Hiram")
        #expect(try await visitor.answer("/write/choose", form: form).response.status == 409, "it is settled")
        #expect(try await visitor.page("/conflicts").contains("data-total=\"0\""))
    }

    @Test func `reverts an import, and restores what was removed`() async throws {
        let temporary = try await TemporaryStore(Configuration.full(author: "N0CALL"))
        let text = "<CALL:4>W1AW<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<EOR>"
        try await temporary.store.importText(text, named: "log.adi")
        let id = try #require(try temporary.store.read { try $0.all(.contacts).first?.id })
        let visitor = Visitor(temporary, mayWrite: true)
        let book = try #require(try await visitor.page("/").firstMatch(of: /href="(\/record\/import\/[^"]+)"/)).1
        let revert = try #require(try await visitor.page(String(book)).firstMatch(of: /href="(\/write\/revert[^"]+)"/))
            .1
        #expect(try await visitor.page(String(revert)).contains("W1AW"))
        let form = String(revert.split(separator: "?", maxSplits: 1)[1])
        #expect(try await visitor.answer("/write/revert", form: form).response.status == 200)
        #expect(try temporary.store.record("qso", id)?.isVisible == false)

        let hidden = try await visitor.page("/record/qso/\(id)")
        #expect(hidden.contains("This record is hidden"))
        #expect(try await visitor.answer("/write/restore", form: "kind=qso&record=\(id)").response.status == 200)
        #expect(try temporary.store.record("qso", id)?.isVisible == true)
        #expect(try await visitor.answer("/write/restore", form: "kind=qso&record=\(id)").response.status == 409)
    }
}

extension Sequence where Element: Sendable {
    fileprivate func asyncFirst(where isWanted: (Element) async throws -> Bool) async rethrows -> Element? {
        for element in self where try await isWanted(element) { return element }
        return nil
    }
}
