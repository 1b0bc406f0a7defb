import GroundwaveEvents
import GroundwaveRecords

extension History {
    /// A store that knows of a twin, or that it was put back, writes as a new replica.
    private mutating func prepare(_ device: Device<Log>) throws {
        if device.mustRenew { try device.renew(as: newIdentity()) }
        if numbers.happens(2) { device.mishap = .commitFailed }
        if numbers.happens(2) { device.mishap = .powerWent }
    }

    private func write(_ batch: DraftBatch, on device: Device<Log>) throws {
        defer { device.mishap = nil }
        do { try device.write(batch, at: time) } catch Mishap.commitFailed {
            truth.tell("the disk of device \(device.number) is full")
        }
        if abs(device.clockError) > HybridClock.adoptionBoundMilliseconds { truth.met(.skewedClock) }
    }

    /// Somebody changes what is shown: one to five events on different records.
    mutating func write(on device: Device<Log>) throws {
        try prepare(device)
        let view = device.pinned ?? device.view
        if device.pinned != nil { truth.met(.olderView) }
        device.pinned = nil
        var batch = DraftBatch()
        var chosen: Set<RecordID> = []
        for _ in 0..<numbers.pick([1, 1, 1, 2, 3, 5]) {
            if numbers.happens(4) {
                SpecialEvent.appendUnknown(numbers.next(), to: &batch)
                truth.met(.unknownEvent)
                continue
            }
            if numbers.happens(8) || records.isEmpty { records.append(.random(using: &numbers)) }
            let record = numbers.happens(10) ? numbers.pick(fileRecords) : numbers.pick(records)
            guard chosen.insert(record).inserted else { continue }
            var change = numbers.change(record, viewing: view[record])
            if numbers.happens(8) {
                // It repeats what another record says, or erases that one, too.
                change.related = [numbers.pick(records)].filter { $0 != record }
                if !change.related.isEmpty { truth.met(.relatedRecord) }
            }
            try check(change, madeBy: device, viewing: view[record])
            batch.append(change, by: device.identity.replica, using: &numbers)
        }
        guard !batch.isEmpty else { return }
        try write(batch, on: device)
    }

    /// A change replaces only what its author was looking at, whatever has come since.
    private func check(_ change: Change, madeBy device: Device<Log>, viewing shown: Record?) throws {
        var seen = Set(shown?.deletions.map { HeadID($0.event) } ?? [])
        seen.formUnion(shown?.coveredByDelete ?? [])
        seen.formUnion(shown?.fields.flatMap { $0.heads.map(\.id) } ?? [])
        guard change.operations.allSatisfy({ seen.isSuperset(of: $0.supersedes) }) else {
            throw BrokenPromise("Device \(device.number) replaces what its user had not seen.")
        }
    }

    /// Somebody imports a file that others may import too: its records have the same ids everywhere.
    mutating func importFile(on device: Device<Log>) throws {
        try prepare(device)
        var batch = DraftBatch()
        for (number, record) in fileRecords.enumerated() where numbers.happens(60) {
            let shown = device.view[record]
            let isElsewhere = devices.contains { $0 !== device && $0.view[record] != nil }
            guard let change = numbers.imported(record, viewing: shown, number: number) else { continue }
            if shown == nil, isElsewhere { truth.met(.sameImport) }
            batch.append(change, by: device.identity.replica, using: &numbers)
        }
        if !batch.isEmpty { try write(batch, on: device) }
    }

    /// Somebody has the values of some event erased, everywhere and for ever.
    mutating func erase(on device: Device<Log>) throws {
        let entries = try device.log.vector().entries
        guard !entries.isEmpty else { return }
        try prepare(device)
        let entry = numbers.pick(entries)
        let first = UInt64(numbers.number(1...Int(entry.sequence)))
        let last = min(entry.sequence, first + UInt64(numbers.number(0...1)))
        var batch = DraftBatch()
        SpecialEvent.appendErasure(of: EventSet([EventRange(entry.replica, first, through: last)]), to: &batch)
        try write(batch, on: device)
    }
}
