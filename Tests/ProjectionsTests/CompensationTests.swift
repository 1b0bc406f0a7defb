import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveProjections

@Suite struct `Taking back the last events` {
    /// What a record says: the values of each field, those of a conflict too.
    private func values(_ record: Record?) -> [FieldKey: Set<[UInt8]?>] {
        guard let record, record.isVisible else { return [:] }
        let fields = record.fields.filter { $0.key != .life }
        return Dictionary(uniqueKeysWithValues: fields.map { ($0.key, Set($0.heads.map(\.value))) })
            .filter { $0.value != [nil] }
    }

    @Test(arguments: UInt64(0)..<20)
    func `shows each record as it was, its conflicts too`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let store = try TestStore()
        try store.write(40, using: &numbers)
        let before = try store.views.read { view in
            try TestStore.records.map { values(try view.record("thing", $0)) }
        }
        try store.write(Int.random(in: 1...8, using: &numbers), using: &numbers)
        var filter = EventFilter()
        filter.without = EventSet([EventRange(store.replica, 41, through: try store.log.vector()[store.replica])])
        try store.takeBack(filter)
        let after = try store.views.read { view in
            try TestStore.records.map { values(try view.record("thing", $0)) }
        }
        #expect(after == before)
    }
}

extension TestStore {
    /// Appends what makes every record say what it would under `filter`.
    fileprivate func takeBack(_ filter: EventFilter) throws {
        for id in Self.records {
            let change = try views.read { view -> Change? in
                guard let record = try view.record("thing", id) else { return nil }
                let other = try view.record("thing", id, counting: filter, in: views.history)
                let compensation = Compensation(
                    of: record, to: other, isNew: other == nil, isTakenBack: { !filter.includes($0) })
                return Change(kind: "thing", record: id, operations: compensation.operations)
            }
            if let change, !change.operations.isEmpty { try write([change]) }
        }
        try views.catchUp()
    }
}
