import GroundwaveEvents
import GroundwaveRecords
import Testing

@Suite struct `True per-field merge: three devices with clocks up to ten years off` {
    /// Ten thousand schedules in all.
    static let schedulesPerBatch: UInt64 = 250

    @Test(arguments: UInt64(0)..<40)
    func `agree on every record, and list every value that no one who had seen it followed`(batch: UInt64) throws {
        var found = (conflicts: 0, overtaken: 0, hidden: 0)
        for seed in (batch * Self.schedulesPerBatch)..<((batch + 1) * Self.schedulesPerBatch) {
            let schedule = try Schedule(seed: seed)
            // The digest of a store is a hash of these facts, in order.
            let facts = schedule.devices.map(\.store.facts)
            #expect(facts[1] == facts[0] && facts[2] == facts[0], "seed \(seed)")
            for id in schedule.records {
                let model = ScheduleModel(id, in: schedule)
                let record = schedule.devices[0].store[id]
                let listed = Self.heads(record)
                #expect(listed == model.heads, "seed \(seed)")
                guard let record else { continue }
                #expect(record.isVisible == model.isVisible, "seed \(seed)")
                for field in record.fields where field.policy == .latest {
                    #expect(field.shown.id == model.shown(field.key)?.id, "seed \(seed)")
                }
                found.conflicts += record.fields.count(where: \.isConflict)
                found.overtaken += model.overtaken
                found.hidden += model.isVisible ? 0 : 1
            }
        }
        // Schedules that say nothing would pass as well.
        #expect(found.conflicts > 50 && found.overtaken > 5 && found.hidden > 2, "\(found)")
    }

    private static func heads(_ record: Record?) -> [FieldKey: Set<ScheduleModel.Head>] {
        var heads: [FieldKey: Set<ScheduleModel.Head>] = [:]
        for field in record?.fields ?? [] {
            heads[field.key] = Set(
                field.heads.map { ScheduleModel.Head(id: $0.id, stamp: $0.stamp, value: $0.value) })
        }
        return heads
    }
}
