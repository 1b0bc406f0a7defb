import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Undo` {
    private static func undo(_ store: Store, _ count: Int = 1) async throws -> Int {
        let steps = try store.undoableSteps(count)
        for step in steps { _ = try await store.revert(step) }
        return steps.count
    }

    private static func contact(_ store: Store, _ call: String = "W1AW") async throws -> RecordID {
        try await store.write { try $0.add("qso", [Assignment("CALL", text: call), Assignment("NAME", text: "Joe")]) }
            .value
    }

    @Test func `of an edit gives the value back`() async throws {
        let temporary = try await TemporaryStore(.full())
        let id = try await Self.contact(temporary.store)
        let before = try temporary.store.digest().content
        _ = try await temporary.store.write { try $0.set("qso", id, [Assignment("NAME", text: "Jim")]) }
        #expect(try await Self.undo(temporary.store) == 1)
        #expect(try temporary.store.digest().content == before)
    }

    @Test func `of an addition hides the contact`() async throws {
        let temporary = try await TemporaryStore(.full())
        let before = try temporary.store.digest().content
        let id = try await Self.contact(temporary.store)
        _ = try await Self.undo(temporary.store)
        #expect(try temporary.store.digest().content == before)
        #expect(try temporary.store.read { try $0.record("qso", id) }?.isVisible == false, "nothing is lost")
    }

    @Test func `of a removal shows the contact again`() async throws {
        let temporary = try await TemporaryStore(.full())
        let id = try await Self.contact(temporary.store)
        let before = try temporary.store.digest().content
        _ = try await temporary.store.write { try $0.remove("qso", id) }
        _ = try await Self.undo(temporary.store)
        #expect(try temporary.store.digest().content == before)
    }

    @Test func `of an import of several batches is one step`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(40), named: "first.adi")
        let before = try temporary.store.digest().content
        try await temporary.store.importText(generatedLog(4200), named: "second.adi")
        let step = try #require(try temporary.store.undoableSteps(1).first)
        #expect(step.batches.count == 2)
        #expect(step.changeCount == 4160)
        #expect(step.note.text == "Import second.adi")
        _ = try await Self.undo(temporary.store)
        #expect(try temporary.store.digest().content == before)
    }

    @Test func `of an import keeps what was changed since`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(2))
        let contact = try #require(try temporary.store.firstContact())
        let step = try #require(try temporary.store.undoableSteps(1).first)
        _ = try await temporary.store.write { try $0.set("qso", contact.id, [Assignment("NAME", text: "Joe")]) }
        _ = try await temporary.store.revert(step)
        let left = try #require(try temporary.store.read { try $0.record("qso", contact.id) })
        #expect(left.isVisible)
        #expect(left.text("NAME") == "Joe")
    }

    @Test func `again and again goes further back, and ends`() async throws {
        let temporary = try await TemporaryStore(.full())
        var contents = [try temporary.store.digest().content]
        for number in 0..<4 {
            _ = try await Self.contact(temporary.store, "N0C\(number)")
            contents.append(try temporary.store.digest().content)
        }
        #expect(try await Self.undo(temporary.store) == 1)
        #expect(try temporary.store.digest().content == contents[3])
        #expect(try await Self.undo(temporary.store, 2) == 2)
        #expect(try temporary.store.digest().content == contents[1])
        #expect(try await Self.undo(temporary.store, 5) == 1, "there was one left")
        #expect(try temporary.store.digest().content == contents[0])
        #expect(try await Self.undo(temporary.store) == 0)
    }

    @Test func `of an undo brings back what it took, which can then be undone again`() async throws {
        let temporary = try await TemporaryStore(.full())
        let id = try await Self.contact(temporary.store)
        let original = try temporary.store.digest().content
        let edit = try await temporary.store.write { try $0.set("qso", id, [Assignment("NAME", text: "Jim")]) }.batch
        let edited = try temporary.store.digest().content
        let step = try #require(try temporary.store.undoableSteps(1).first)
        let undo = try #require(try await temporary.store.revert(step).batches.first)
        #expect(try temporary.store.digest().content == original)
        _ = try await temporary.store.revert(undo)
        #expect(try temporary.store.digest().content == edited)
        #expect(try temporary.store.undoableSteps(1).first?.batches == [try #require(edit)], "the edit counts again")
        _ = try await Self.undo(temporary.store)
        #expect(try temporary.store.digest().content == original)
    }

    @Test func `of an edit that showed a hidden contact again hides it again`() async throws {
        let temporary = try await TemporaryStore(.full())
        let id = try await Self.contact(temporary.store)
        _ = try await temporary.store.write { try $0.remove("qso", id) }
        let hidden = try temporary.store.digest().content
        _ = try await temporary.store.write { try $0.set("qso", id, [Assignment("NAME", text: "Jim")]) }
        #expect(try temporary.store.digest().content != hidden, "an edit shows what was hidden")
        _ = try await Self.undo(temporary.store)
        #expect(try temporary.store.digest().content == hidden)
    }

    @Test func `of a new device does not take back its introduction`() async throws {
        let temporary = try await TemporaryStore(.full())
        #expect(try temporary.store.undoableSteps(3).isEmpty)
    }

    @Test func `in a copied store reaches what was written before the copy until the first write`() async throws {
        let temporary = try await TemporaryStore(.full())
        let before = try #require(
            try await temporary.store.write { try $0.add("qso", [Assignment("CALL", text: "W1AW")]) }.batch)
        try temporary.store.close()
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "copy")
        try FileManager.default.copyItem(at: temporary.url, to: url)
        let copy = try await Store.open(at: url, .full(stateFolder: temporary.stateFolder)).whole
        #expect(try copy.undoableBatches(2) == [before])
        let since = try #require(
            try await copy.write { try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) }.batch)
        #expect(try copy.undoableBatches(2) == [since])
        #expect(try await Self.undo(copy, 2) == 1)
        #expect(try copy.contactCount() == 1, "the contact from before the copy stays")
        try copy.close()
        withExtendedLifetime((temporary, folder)) {}
    }

    @Test func `knows when a batch was written, not the one before it`() async throws {
        let temporary = try await TemporaryStore(.full())
        _ = try await Self.contact(temporary.store)
        try await Task.sleep(for: .milliseconds(5))
        let batch = try #require(
            try await temporary.store.write { try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) }.batch)
        #expect(try temporary.store.undoableBatches(1) == [batch])
    }

    @Test(arguments: UInt64(1)...40)
    func `of everything, step by step, passes through every state on the way back`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        var ids = [try await Self.contact(store)]
        var states = [try Self.shown(store)]
        for number in 0..<12 {
            let id = ids.randomElement(using: &generator) ?? ids[0]
            let name = ["NAME", "POTA_REF", "FREQ", "COMMENT"].randomElement(using: &generator) ?? "NAME"
            let value = "US-\(UInt8.random(in: 0...3, using: &generator)),US-\(number)"
            switch UInt8.random(in: 0...4, using: &generator) {
            case 0: ids.append(try await Self.contact(store, "N0C\(number)"))
            case 1: _ = try await store.write { try $0.remove("qso", id) }
            case 2: _ = try await store.write { try $0.restore("qso", id) }
            default: _ = try await store.write { try $0.set("qso", id, [Assignment(name, text: value)]) }
            }
            let state = try Self.shown(store)
            if state != states.last { states.append(state) }
        }
        // A write that changes nothing that shows is a step too: passing over it, every state comes once.
        var passed = [try Self.shown(store)]
        var steps = 0
        while try await Self.undo(store) == 1 {
            steps += 1
            try #require(steps <= 13, "each write is one step")
            let state = try Self.shown(store)
            if state != passed.last { passed.append(state) }
        }
        #expect(passed.popLast()?.isEmpty == true, "before the first contact there was none")
        #expect(passed == Array(states.reversed()))
    }

    /// The contacts that show, by id, with the elements of lists in order: an element that comes back stands at the end.
    private static func shown(_ store: Store) throws -> [RecordID: [String: String]] {
        var result: [RecordID: [String: String]] = [:]
        try store.forEachContactInOrder(.everything) { record in
            result[record.id] = Dictionary(
                uniqueKeysWithValues: record.adifFields.map { field in
                    let text = String(decoding: field.value, as: UTF8.self)
                    let isList = field.name.name == "POTA_REF"
                    return (field.name.name, isList ? text.split(separator: ",").sorted().joined(separator: ",") : text)
                })
        }
        return result
    }
}
