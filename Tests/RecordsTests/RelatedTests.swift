import GroundwaveEvents
import GroundwaveRecords
import Testing

@Suite struct `What is related to other records` {
    private static let kept = Scene.record
    private static let dropped = RecordID(high: 8, low: 9)
    private static let field = FieldKey.number(4)

    private static func event(
        _ number: UInt64, _ record: RecordID, related: [RecordID] = [], _ operations: FieldOperation...
    ) -> FramedEvent {
        FramedEvent(
            EventID(Scene.replica("a"), number), at: Stamp(rawValue: number),
            Change(kind: "thing", record: record, related: related, operations: operations), nonce: number)
    }

    @Test func `an erase takes all that it names, whatever is written to them before or after`() throws {
        let events = [
            Self.event(1, Self.kept, .set(Self.field, "Hiram")), Self.event(2, Self.dropped, .set(Self.field, "Maxim")),
            Self.event(3, Self.kept, related: [Self.dropped], FieldOperation(.erase, .life)),
        ]
        for order in Scene.permutations(events) {
            let store = try FoldedStore(folding: order, savesEachStep: true)
            for id in [Self.kept, Self.dropped] {
                let record = try #require(store[id])
                #expect(record.isErased && record.fields.isEmpty && !record.isVisible)
                #expect(record.eventCount == 2, "its own event, and the erase")
            }
        }
    }

    @Test func `a change that repeats values of another record is one of its events, and writes nothing to it`() throws
    {
        let events = [
            Self.event(1, Self.kept, related: [Self.dropped], .set(Self.field, "Hiram")),
            Self.event(2, Self.dropped, .set(Self.field, "Maxim")),
            Self.event(3, Self.dropped, FieldOperation(.delete, .life)),
        ]
        for order in Scene.permutations(events) {
            let store = try FoldedStore(folding: order, savesEachStep: true)
            #expect(store[Self.kept]?.text(Self.field) == "Hiram" && store[Self.kept]?.eventCount == 1)
            #expect(store[Self.dropped]?.text(Self.field) == "Maxim" && store[Self.dropped]?.eventCount == 3)
        }
    }
}
