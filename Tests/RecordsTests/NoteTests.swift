import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@Suite struct `Notes of events` {
    /// The values of an event with this note, without the 16 random bytes, and the note as it is read.
    private static func written(_ note: AuditNote) throws -> (bytes: [UInt8], note: AuditNote, rest: [UInt8]?) {
        var batch = DraftBatch()
        var numbers = SeededGenerator(seed: 1)
        let change = Change(
            kind: "thing", record: RecordID(high: 1, low: 2),
            operations: [FieldOperation(.set, .number(1), value: [7])])
        let replica = ReplicaID(high: 3, low: 4)
        batch.append(change, by: replica, note: note, using: &numbers)
        return try batch.withEvent(at: 0) { shape, values in
            let names = WrittenNames(of: EventID(replica, 1))
            var reader = try ChangeReader(shape: shape, isWithheld: false, by: names)
            let found = try reader.note(in: values)
            let step = try reader.next(shape: shape, values: values)
            let value = step?.value.map { values.extracting($0).toArray() }
            return (values.extracting(16..<values.byteCount).toArray(), found, value)
        }
    }

    @Test func `are written as the format says, and cost nothing for what they do not say`() throws {
        // The value is one byte long, and 7.
        #expect(try Self.written(AuditNote()).bytes == [0, 0, 1, 7])
        #expect(try Self.written(AuditNote(author: "N0", text: "a")).bytes == [4, 78, 48, 1, 97, 1, 7])
        let traced = AuditNote(author: "N0", text: "a", correlation: "job", causation: "m")
        #expect(try Self.written(traced).bytes == [5, 78, 48, 1, 97, 3, 106, 111, 98, 1, 109, 1, 7])
        #expect(try Self.written(AuditNote(causation: "m")).bytes == [1, 0, 0, 1, 109, 1, 7])
    }

    @Test(arguments: UInt64(1)...100) func `are read as they were written, and the values behind them`(seed: UInt64)
        throws
    {
        var numbers = SeededGenerator(seed: seed)
        func text() -> String {
            numbers.chance(0.4) ? "" : String(repeating: "é", count: Int.random(in: 1...90, using: &numbers))
        }
        let note = AuditNote(author: text(), text: text(), correlation: text(), causation: text())
        let read = try Self.written(note)
        #expect(read.note == note && read.rest == [7])
    }
}
