import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveSeededNumbers

extension TestStore {
    static let records = (0..<6).map { RecordID(high: 0, low: $0) }
    private static let fields: [FieldKey] = [.number(1), .number(2), .name("OTHER")]

    /// Appends `count` random changes of few records, by authors who saw what the record says or saw nothing of it.
    func write(_ count: Int, using numbers: inout SeededGenerator) throws {
        for _ in 0..<count {
            try write([randomChange(using: &numbers)])
            try views.catchUp()
        }
    }

    private func randomChange(using numbers: inout SeededGenerator) throws -> Change {
        let id = Self.records.randomElement(using: &numbers) ?? Self.records[0]
        let record = numbers.chance(0.8) ? try views.read { try $0.record("thing", id) } : nil
        let field = Self.fields.randomElement(using: &numbers) ?? .number(1)
        let superseded = record?.superseded(by: field) ?? []
        let operation =
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0: FieldOperation(.clear, field, supersedes: superseded)
            case 1: FieldOperation(.delete, .life, supersedes: record?.coveredByDelete ?? [])
            case 2: FieldOperation(.revive, .life, supersedes: record?.superseded(by: .life) ?? [])
            default:
                FieldOperation(
                    .set, field, supersedes: superseded, value: Array("v\(Int.random(in: 0..<9, using: &numbers))".utf8)
                )
            }
        return Change(kind: "thing", record: id, operations: [operation])
    }
}
