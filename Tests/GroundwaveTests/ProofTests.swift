import Events
import Foundation
import Groundwave
import GroundwaveTesting
import Radio
import Records
import Testing

@Suite struct `A proof of a contact` {
    /// A store of made-up contacts, one of which was edited twice.
    private static func store() async throws -> (TemporaryStore, RecordID) {
        let temporary = try await TemporaryStore(Configuration(author: "N0CALL"))
        try await temporary.store.importText(generatedLog(20))
        let id = try await temporary.store.write(note: "by hand") {
            try $0.add("qso", [Assignment("CALL", text: "N0ONE"), Assignment("NAME", text: "Jo")])
        }.value
        try await temporary.store.write { try $0.set("qso", id, [Assignment("NAME", text: "Joe")]) }
        try await temporary.store.importText(generatedLog(23))
        try await temporary.store.write { try $0.set("qso", id, [Assignment("QTH", text: "Nowhere")]) }
        return (temporary, id)
    }

    private static func check(_ json: [UInt8]) throws -> ProvenContact { try ContactProof(json: json).check() }

    private static func expectDamaged(
        _ part: String = "", _ comment: Comment? = nil, _ location: SourceLocation = #_sourceLocation,
        _ body: () throws -> some Any
    ) {
        let error = #expect(throws: StoreError.self, comment, sourceLocation: location) { try body() }
        #expect(error?.code == .damaged, comment, sourceLocation: location)
        #expect(error?.message.contains(part) != false, "\(error?.message ?? "")", sourceLocation: location)
    }

    @Test func `is checked when the store is gone, and shows what the store showed`() async throws {
        let (json, head, shown): ([UInt8], [UInt8], [String])
        do {
            let (temporary, id) = try await Self.store()
            json = try temporary.store.proof(ofContact: id).json()
            head = try temporary.store.signedHead().json()
            let record = try #require(try temporary.store.read { try $0.record("qso", id) })
            shown = record.adifFields.map { "\($0.name.name)=\(String(decoding: $0.value, as: UTF8.self))" }
            try temporary.store.close()
            try FileManager.default.removeItem(at: temporary.url)
        }
        let proof = try ContactProof(json: json)
        let contact = try proof.check()
        #expect(
            contact.record.adifFields.map { "\($0.name.name)=\(String(decoding: $0.value, as: UTF8.self))" } == shown)
        #expect(shown.contains("NAME=Joe") && shown.contains("QTH=Nowhere"))
        #expect(
            contact.events.map(\.note) == [
                AuditNote(author: "N0CALL", text: "by hand"), AuditNote(author: "N0CALL"), AuditNote(author: "N0CALL"),
            ])
        #expect(try contact.trees.map { try proof.anchor(of: $0, in: [SignedHead(json: head)]) } == [.sameTree])
        #expect(try contact.trees.map { try proof.anchor(of: $0, in: []) } == [.none])
        #expect(try ContactProof(json: proof.json()) == proof)
    }

    @Test func `leaves the store as it is to the byte`() async throws {
        let (temporary, id) = try await Self.store()
        try temporary.store.close()
        func files() throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: temporary.url.path)
            return try Dictionary(
                uniqueKeysWithValues: names.filter { !$0.hasSuffix("-lock") }.map {
                    ($0, try Data(contentsOf: temporary.url.appending(path: $0)))
                })
        }
        let before = try files()
        let store = try await temporary.reopened(Configuration(isReadOnly: true))
        let head = try store.signedHead()
        _ = try store.proof(ofContact: id, for: head)
        #expect(try store.standing(of: head) == .kept(later: 0))
        try store.close()
        #expect(try files() == before)
    }

    @Test func `with any character of it changed fails, or says the very same`() async throws {
        let (temporary, id) = try await Self.store()
        let json = try temporary.store.proof(ofContact: id).json()
        let proof = try ContactProof(json: json)
        var refused = 0
        for place in json.indices {
            for flipped in [json[place] ^ 1, json[place] ^ 0x20] {
                var edited = json
                edited[place] = flipped
                guard let other = try? ContactProof(json: edited), (try? other.check()) != nil else {
                    refused += 1
                    continue
                }
                // Upper-case digits, letters that base32 reads as one, white space.
                #expect(other == proof, "byte \(place)")
            }
        }
        #expect(refused > json.count)
    }

    @Test func `with anything added, left out, doubled or in another place fails`() async throws {
        let (temporary, id) = try await Self.store()
        let text = String(decoding: try temporary.store.proof(ofContact: id).json(), as: UTF8.self)
        func edited(_ old: String, _ new: String) throws -> [UInt8] {
            try #require(text.contains(old))
            return Array(text.replacing(old, with: new, maxReplacements: 1).utf8)
        }
        Self.expectDamaged("not allowed") { try Self.check(edited("\"shape\"", "\"colour\" : 1, \"shape\"")) }
        Self.expectDamaged("twice") { try Self.check(edited("\"v\" : 1", "\"v\" : 1, \"v\" : 1")) }
        Self.expectDamaged("version") { try Self.check(edited("\"v\" : 1", "\"v\" : 2")) }
        Self.expectDamaged("not a Groundwave proof") { try Self.check(edited("\"proof\"", "\"head\"")) }
        Self.expectDamaged("twice") { try Self.check(edited("\"shape\"", "\"path\"")) }
        Self.expectDamaged("not JSON") { try Self.check(Array(text.utf8.dropLast(3))) }
        Self.expectDamaged("not JSON") { try Self.check([]) }
        let proof = try ContactProof(json: Array(text.utf8))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let events = try #require(json["events"] as? [[String: Any]])
        func with(_ key: String, _ value: Any) throws -> [UInt8] {
            var object = json
            object[key] = value
            return [UInt8](try JSONSerialization.data(withJSONObject: object))
        }
        Self.expectDamaged("twice") { try Self.check(with("events", events + [events[0]])) }
        Self.expectDamaged("no events") { try Self.check(with("events", [])) }
        Self.expectDamaged("trees") { try Self.check(with("trees", [])) }
        #expect(proof.items.count == 3)
        var lacking = events
        lacking[0]["shape"] = nil
        Self.expectDamaged("is missing") { try Self.check(with("events", lacking)) }
        // The path of another event.
        var mixed = events
        mixed[0]["path"] = events[1]["path"]
        Self.expectDamaged("another root") { try Self.check(with("events", mixed)) }
    }

    @Test func `of values that are withheld still holds, and shows them as withheld`() async throws {
        let (temporary, id) = try await Self.store()
        let json = try temporary.store.proof(ofContact: id).json()
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        var withheld = object
        var events = try #require(object["events"] as? [[String: Any]])
        let values = try ContactProof(json: json).items[1].event.values
        events[1]["values"] = nil
        events[1]["valuesHash"] = "\(values.withSpan { Hash256(hashing: $0) })"
        withheld["events"] = events
        let contact = try Self.check([UInt8](try JSONSerialization.data(withJSONObject: withheld)))
        #expect(contact.withheldFields == ["NAME"])
        #expect(contact.events.map(\.isWithheld) == [false, true, false])
        #expect(contact.record.adifFields.map(\.name.name).contains("CALL"))
        #expect(!contact.record.adifFields.map(\.name.name).contains("NAME"), "the older name does not come back")
        // Another hash is another event.
        events[1]["valuesHash"] = String(repeating: "0", count: 64)
        withheld["events"] = events
        Self.expectDamaged("another root") { try Self.check([UInt8](JSONSerialization.data(withJSONObject: withheld))) }
    }

    @Test func `for an older head is made over just its events, or goes on from them`() async throws {
        let (temporary, id) = try await Self.store()
        let store = temporary.store
        let early = try store.signedHead()
        try await store.importText(generatedLog(40))
        let same = try store.proof(ofContact: id, for: early)
        #expect(try same.anchor(of: same.check().trees[0], in: [early]) == .sameTree)
        try await store.write { try $0.set("qso", id, [Assignment("NAME", text: "Joseph")]) }
        let late = try store.signedHead()
        let grown = try store.proof(ofContact: id, for: early)
        let tree = try grown.check().trees[0]
        #expect(try grown.anchor(of: tree, in: [early]) == .grownFrom(early.sequence))
        #expect(try grown.anchor(of: tree, in: [late]) == .sameTree)
        #expect(try ContactProof(json: grown.json()) == grown)
        // A proof that was made without the head in view says so.
        let plain = try store.proof(ofContact: id)
        let anchor = try plain.anchor(of: plain.check().trees[0], in: [early])
        #expect(anchor == .otherSize(early.sequence) && !anchor.holds)
        // The root of the earlier tree is computed too.
        let json = String(decoding: try grown.json(), as: UTF8.self)
        let edited = json.replacing("\(early.root)", with: "\(late.root)")
        Self.expectDamaged("does not begin") { try Self.check(Array(edited.utf8)) }
    }

    /// The store of another device that went on from a copy, and edited the contact.
    private static func secondDevice(_ id: RecordID, _ origin: TemporaryStore, in folder: URL) async throws -> Store {
        try origin.store.close()
        let copy = folder.appending(path: "copy")
        try FileManager.default.copyItem(at: origin.url, to: copy)
        try Data(Identity().secret).write(to: copy.appending(path: "identity"))
        guard case .ready(let store) = try await Store.open(at: copy) else { throw CancellationError() }
        try await store.write { try $0.set("qso", id, [Assignment("NAME", text: "Joseph")]) }
        return store
    }

    @Test func `that two devices wrote has a tree of each, and is anchored by a head of each`() async throws {
        let (origin, id) = try await Self.store()
        let first = try origin.store.signedHead()
        let folder = try TemporaryFolder()
        let store = try await Self.secondDevice(id, origin, in: folder.url)
        let second = try store.signedHead()
        let proof = try ContactProof(json: store.proof(ofContact: id).json())
        let contact = try proof.check()
        #expect(contact.trees.count == 2)
        #expect(contact.trees.compactMap(\.head) == [second], "a device signs only for itself")
        #expect(contact.record.text("NAME") == "Joseph")
        func anchors(_ heads: [SignedHead]) throws -> Set<ProofAnchor> {
            try Set(contact.trees.map { try proof.anchor(of: $0, in: heads) })
        }
        #expect(try anchors([second]) == [.none, .sameTree])
        #expect(try anchors([first, second]) == [.sameTree])
        // Another number of events in the unsigned tree may leave the path as it is, and no more than that.
        let shown = contact.record.adifFields.map(\.value)
        let json = try proof.json()
        for place in json.indices {
            var edited = json
            edited[place] ^= 1
            guard let other = try? ContactProof(json: edited), let checked = try? other.check() else { continue }
            #expect(checked.record.adifFields.map(\.value) == shown)
            #expect(checked.trees.map(\.root) == contact.trees.map(\.root))
            #expect(other.items == proof.items)
        }
        try store.close()
    }

    @Test func `in Docs Proofs md is right as it stands there`() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Docs/Proofs.md")
        let text = try String(contentsOf: path.standardizedFileURL, encoding: .utf8)
        let json = try #require(text.split(separator: "```json\n").last?.split(separator: "```").first)
        let contact = try Self.check(Array(json.utf8))
        #expect(contact.record.text("CALL") == "N0CALL" && contact.record.text("BAND") == "20m")
        #expect(contact.events.map(\.id.sequence) == [2] && contact.trees.map(\.events) == [3])
    }

    @Test func `of a hidden contact shows it as hidden`() async throws {
        let (temporary, id) = try await Self.store()
        try await temporary.store.write { try $0.remove("qso", id) }
        #expect(try temporary.store.proof(ofContact: id).check().record.isVisible == false)
    }

    @Test func `of what is not there is refused`() async throws {
        let (temporary, _) = try await Self.store()
        let error = #expect(throws: StoreError.self) {
            try temporary.store.proof(ofContact: RecordID(high: 1, low: 1))
        }
        #expect(error?.code == .notFound)
    }

    @Test func `of more bytes than a proof has is refused before it is read`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("large")
        try Data(count: ProofFile.byteLimit + 1).write(to: URL(filePath: path))
        Self.expectDamaged("too large") { try ProofFile.read(path) }
        let error = #expect(throws: StoreError.self) { try ProofFile.read(folder.path("none")) }
        #expect(error?.code == .notFound)
    }

    @Test func `nested deeper than any proof is refused and nothing traps`() {
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        Self.expectDamaged("not JSON") { try Self.check(deep) }
    }
}
