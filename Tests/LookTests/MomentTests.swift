import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveTesting
import Testing

@testable import GroundwaveLook

@Suite struct `A moment of the past` {
    @Test func `is named by its events, so that the address means the same later`() async throws {
        let (visitor, ids) = try await Visitor.ofTwoContacts()
        let last = try visitor.store.log.lastPosition()
        let (response, target) = try await visitor.answer("/record/qso/\(ids[0])?at=@\(last - 1)")
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(target.contains("at=vector:"))
        #expect(text.contains("As of") && text.contains("Percy") && !text.contains("Maxim"))
        // What is written later changes nothing.
        try await visitor.store.write { try $0.set("qso", ids[0], [Assignment("NAME", text: "Newest")]) }
        let again = try await visitor.page(target)
        #expect(again.contains("Percy") && !again.contains("Newest"))
        #expect(try await visitor.page("/record/qso/\(ids[0])").contains("Newest"))
    }

    @Test func `is kept by every link of the page`() async throws {
        let (visitor, _) = try await Visitor.ofTwoContacts()
        let (response, target) = try await visitor.answer("/contacts?at=@2")
        let text = String(decoding: response.body, as: UTF8.self)
        let point = try #require(target.firstMatch(of: /at=(vector:[^&]+)/)).1
        let links = text.matches(of: /href="(\/(?:contacts|record|history|map|activity|traces)[^"]*)"/).map {
            String($0.1)
        }
        #expect(links.count > 8)
        // A bar leads to a moment of its own.
        for link in links where !link.contains("at=20") {
            #expect(link.contains("at=\(point)") || text.contains("\"\(link)\">Back to now"), "\(link)")
        }
    }

    @Test func `shows no bar and no record of later, and says how many events count`() async throws {
        let (visitor, ids) = try await Visitor.ofTwoContacts()
        let text = try await visitor.page("/contacts?at=before:\(try visitor.store.audit.entry(at: 2)!.event)")
        #expect(text.contains("1 of 5 events count"))
        #expect(!ids.contains { text.contains("\($0)") })
        #expect(text.contains("class=\"later\""))
    }

    @Test func `before the first event, or that is none, is refused`() async throws {
        let (visitor, _) = try await Visitor.ofTwoContacts()
        #expect(try await visitor.page("/?at=1999-01-01", status: 404).contains("no events at that time"))
        _ = try await visitor.page("/?at=@99", status: 404)
        _ = try await visitor.page("/?at=vector:nothing=1", status: 404)
        _ = try await visitor.page("/?at=vector:", status: 400)
    }

    @Test func `that was looked at shows nothing that was erased since`() async throws {
        let (visitor, ids) = try await Visitor.ofTwoContacts()
        let target = try await visitor.answer("/record/qso/\(ids[0])?at=@4").target
        let list = try await visitor.answer("/contacts?at=@3").target
        let compared = "/compare?from=@3&to=@4"
        for page in [target, compared] { #expect(try await visitor.page(page).contains("Percy")) }
        #expect(try await visitor.page(list).contains("W1AW"))
        _ = try await visitor.store.erase([ids[0]], note: "On request")
        for page in [target, list, compared, "/record/qso/\(ids[0])", "/contacts", "/history", "/"] {
            let text = try await visitor.page(page)
            for word in ["Percy", "Maxim"] { #expect(!text.contains(word), "\(word) in \(page)") }
            #expect(!text.contains("W1AW"), "\(page)")
        }
        #expect(try await visitor.page("/record/qso/\(ids[0])").contains("was erased"))
    }

    @Test func `and another one are compared, field by field`() async throws {
        let (visitor, _) = try await Visitor.ofTwoContacts()
        let text = try await visitor.page("/compare?from=@3&to=@5")
        #expect(text.contains("data-total=\"1\""))
        #expect(
            text.contains("Hiram") && text.contains("Maxim") && !text.contains("Percy"),
            "the ends, and not what lay between")
        #expect(try await visitor.page("/compare?from=@5&to=@5").contains("Both show the same."))
    }

    @Test func `is kept for the next visit, and no more than four are`() async throws {
        let (visitor, _) = try await Visitor.ofTwoContacts()
        let moments = Moments()
        let store = visitor.store
        let vectors = try (1...5).map { try store.resolve(.position(Position($0))).vector }
        let first = try await moments.past(vectors[0], in: store)
        #expect(try await moments.past(vectors[0], in: store) === first)
        for vector in vectors.dropFirst() { _ = try await moments.past(vector, in: store) }
        #expect(try await moments.past(vectors[0], in: store) !== first, "five are too many")
        let last = try await moments.past(vectors[4], in: store)
        _ = try await store.erase(
            [try #require(try store.read { try $0.all(.contacts).first?.id })], note: "On request")
        #expect(try await moments.past(vectors[4], in: store) !== last, "it was made of a log that is gone")
    }
}
