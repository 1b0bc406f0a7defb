import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers

extension SeededGenerator {
    /// What somebody does to `record`, who sees it as `shown`: one to three operations; a delete or an erase stands alone.
    mutating func change(_ record: RecordID, viewing shown: Record?, source: SourceID? = nil) -> Change {
        var operations: [(key: Int, operation: FieldOperation)] = []
        for _ in 0..<pick([1, 1, 2, 3]) {
            let (key, operation) = operation(viewing: shown)
            if operation.code == .delete || operation.code == .erase {
                operations = [(key, operation)]
                break
            }
            operations.removeAll { $0.key == key }
            operations.append((key, operation))
        }
        operations.sort { $0.key < $1.key }
        return Change(kind: View.kind, record: record, source: source, operations: operations.map(\.operation))
    }

    private mutating func operation(viewing shown: Record?) -> (key: Int, FieldOperation) {
        let isFrequency = happens(50)
        let field = isFrequency ? View.frequency : View.notes
        let element = happens(50) ? "x" : "y"
        let superseded = shown?.superseded(by: field) ?? []
        switch number(0...9) {
        case 0: return (isFrequency ? 0 : 1, FieldOperation(.clear, field, supersedes: superseded))
        case 1:
            let deletes = shown?.deletions.map { HeadID($0.event) } ?? []
            return (
                element == "x" ? 2 : 3,
                FieldOperation(.add, View.parks, supersedes: deletes, value: Array(element.utf8))
            )
        case 2:
            let additions = shown?[View.parks]?.heads.filter { $0.value == Array(element.utf8) } ?? []
            return (element == "x" ? 2 : 3, FieldOperation(.remove, View.parks, supersedes: additions.map(\.id)))
        case 3 where happens(2): return (4, FieldOperation(.erase, .life))
        case 3: return (4, FieldOperation(.delete, .life, supersedes: shown?.coveredByDelete ?? []))
        case 4: return (5, FieldOperation(.revive, .life, supersedes: shown?.superseded(by: .life) ?? []))
        default:
            let value = Array("v\(number(0...3))".utf8)
            return (isFrequency ? 0 : 1, FieldOperation(.set, field, supersedes: superseded, value: value))
        }
    }

    /// What an import says of a record that it finds in a file: the same on every device.
    func imported(_ record: RecordID, viewing shown: Record?, number: Int) -> Change? {
        let value = Array("file \(number)".utf8)
        let field = shown?[View.frequency]
        if let field, field.heads.count == 1, field.shown.value == value { return nil }
        return Change(
            kind: View.kind, record: record, source: SourceID(name: "file"),
            operations: [
                FieldOperation(
                    .set, View.frequency, supersedes: shown?.superseded(by: View.frequency) ?? [], value: value)
            ])
    }
}
