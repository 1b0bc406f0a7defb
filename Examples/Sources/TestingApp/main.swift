// Testing: a store in a temporary folder, whose clock the test sets.
import Check
import Foundation
import GroundwaveTesting

enum Note: RecordKind {
    static let schema = KindSchema(name: "note", fields: [FieldSchema(1, "TEXT")])
}

let clock = VirtualClock()
let temporary = try await TemporaryStore(Configuration(kinds: [Note.self], surroundings: .virtual(clock, seed: 1)))
let start = Date(timeIntervalSince1970: Double(clock.now.wallMilliseconds) / 1000)
clock.advance(by: .seconds(60))
let note = try await temporary.store.write { try $0.add("note", [Assignment("TEXT", text: "73")]) }
check(try temporary.store.record("note", note.value) != nil, "the note is there")
check(try await temporary.store.at(.time(start)).record("note", note.value) == nil, "a minute ago it was not")
try temporary.store.close()
print("A minute of virtual time has passed.")
