import GroundwaveEvents
import GroundwaveRecords
import Testing

/// What the seeded tests rest on: histories that differ, and that contain what the fold must tell apart.
@Suite struct `Random histories` {
    @Test func `hold what only a few of them can: shared events, places, deletes and old forms`() throws {
        var found = (twoAdditions: 0, removalsByPlace: 0, conflicts: 0, contested: 0, revivals: 0, sources: 0)
        for seed in UInt64(0)..<500 {
            let history = try History(seed: seed)
            for written in history.written {
                let operations = written.change.operations
                if operations.count(where: { $0.code == .add }) > 1 { found.twoAdditions += 1 }
                if written.change.source != nil { found.sources += 1 }
                for operation in operations {
                    let isByPlace = operation.supersedes.contains { $0.index > 0 }
                    if operation.code == .remove, isByPlace { found.removalsByPlace += 1 }
                    if operation.code == .revive, !operation.supersedes.isEmpty { found.revivals += 1 }
                }
            }
            for record in try history.records.compactMap({ try FoldedStore(folding: history.events)[$0] }) {
                if record.fields.contains(where: \.isConflict) { found.conflicts += 1 }
                if !record.deletions.isEmpty, record.isVisible { found.contested += 1 }
            }
        }
        #expect(found.twoAdditions >= 20 && found.removalsByPlace >= 20 && found.conflicts >= 100)
        #expect(found.contested >= 50 && found.revivals >= 50 && found.sources >= 500)
    }
}
