import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `The signed head of a store` {
    private static func store(_ contacts: Int = 5) async throws -> TemporaryStore {
        let temporary = try await TemporaryStore(Configuration.full(author: "N0CALL"))
        try await temporary.store.importText(generatedLog(contacts))
        return temporary
    }

    @Test func `is kept by the store however much comes later`() async throws {
        let temporary = try await Self.store()
        let head = try temporary.store.signedHead()
        #expect(try temporary.store.standing(of: head) == .kept(later: 0))
        try await temporary.store.importText(generatedLog(600))
        let later = try temporary.store.signedHead()
        #expect(try temporary.store.standing(of: head) == .kept(later: later.sequence - head.sequence))
        #expect(try SignedHead(json: head.json()) == head)
    }

    @Test func `is not kept where history was rewritten`() async throws {
        // A copy that nothing tells from the original, and two things said in place of one another.
        let temporary = try await Self.store()
        try temporary.store.close()
        let twin = try await temporary.twin(.full())
        func head(_ store: Store, call: String) async throws -> (Store, SignedHead) {
            try await store.write { try $0.add("qso", [Assignment("CALL", text: call)]) }
            return (store, try store.signedHead())
        }
        let (first, signed) = try await head(temporary.reopened(.full()), call: "N0ONE")
        let (second, rewritten) = try await head(twin.store, call: "N0TWO")
        #expect(signed.sequence == rewritten.sequence && signed.root != rewritten.root)
        #expect(try first.standing(of: signed) == .kept(later: 0))
        #expect(try second.standing(of: signed) == .rewritten(root: rewritten.root))
        try await second.write { try $0.add("qso", [Assignment("CALL", text: "N0TWO")]) }
        #expect(try second.standing(of: signed) == .rewritten(root: rewritten.root), "at the size that was signed")
        // Nor is anything proven to who holds the other head.
        let other = try #require(try second.firstContact()).id
        let error = #expect(throws: StoreError.self) { try second.proof(ofContact: other, for: signed) }
        #expect(error?.code == .damaged)
        let id = try #require(try first.firstContact()).id
        let proof = try first.proof(ofContact: id)
        let tree = try proof.check().trees[0]
        #expect(try proof.anchor(of: tree, in: [signed]) == .sameTree)
        let contradiction = #expect(throws: StoreError.self) { try proof.anchor(of: tree, in: [rewritten]) }
        #expect(contradiction?.code == .damaged)
        #expect(throws: StoreError.self, "one head that fits hides none that does not") {
            try proof.anchor(of: tree, in: [signed, rewritten])
        }
        try first.close()
        try second.close()
    }

    @Test func `of more events than are here is missing some`() async throws {
        let temporary = try await Self.store()
        try temporary.store.close()
        let folder = try TemporaryFolder()
        let copy = folder.url.appending(path: "copy")
        try FileManager.default.copyItem(at: temporary.url, to: copy)
        let store = try await temporary.reopened(.full())
        try await store.importText(generatedLog(9))
        let head = try store.signedHead()
        try store.close()
        let old = try await Store.open(at: copy, .full()).whole
        let events = try old.signedHead().sequence
        #expect(try old.standing(of: head) == .missing(events: events))
        try old.close()
    }

    @Test func `of another log is refused, by the store and by a proof`() async throws {
        let (temporary, other) = (try await Self.store(), try await Self.store())
        let head = try other.store.signedHead()
        let error = #expect(throws: StoreError.self) { try temporary.store.standing(of: head) }
        #expect(error?.code == .notFound)
        let id = try #require(try temporary.store.firstContact()).id
        let refused = #expect(throws: StoreError.self) { try temporary.store.proof(ofContact: id, for: head) }
        #expect(refused?.code == .notFound)
        let proof = try temporary.store.proof(ofContact: id)
        let contradiction = #expect(throws: StoreError.self) {
            try proof.anchor(of: proof.check().trees[0], in: [head])
        }
        #expect(contradiction?.code == .damaged && contradiction?.message.contains("another one") == true)
    }

    @Test func `in a file with any character changed is refused, or the very same`() async throws {
        let temporary = try await Self.store()
        let head = try temporary.store.signedHead()
        let json = try head.json()
        for place in json.indices {
            for bit in 0..<8 {
                var edited = json
                edited[place] ^= 1 << bit
                if let other = try? SignedHead(json: edited) { #expect(other == head, "byte \(place)") }
            }
        }
    }

    @Test func `cannot be made without the key, and of what is without one nothing is signed`() async throws {
        let temporary = try await Self.store()
        let id = try #require(try temporary.store.firstContact()).id
        try temporary.store.close()
        try FileManager.default.removeItem(at: temporary.url.appending(path: "identity"))
        let store = try await temporary.reopened(Configuration.full(isReadOnly: true))
        let error = #expect(throws: StoreError.self) { try store.signedHead() }
        #expect(error?.code == .damaged)
        let proof = try store.proof(ofContact: id)
        #expect(try proof.check().trees.map(\.head) == [nil])
        try store.close()
    }
}
