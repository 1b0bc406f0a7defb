import Foundation
import GroundwaveAuditing
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// The samples in the log of this device that are old: those to remove, and those that are held back.
public struct OldSamples: Hashable, Sendable {
    /// The number of days for which samples stay in the log of this device; `nil` if there is no limit.
    public internal(set) var days: Int?
    /// The traces with such blocks, in order of ID.
    public internal(set) var traces: [RecordID] = []
    /// The number of blocks to remove, of rows and of captures.
    public internal(set) var blockCount = 0
    /// The number of rows in these blocks; captures have none.
    public internal(set) var rowCount: UInt64 = 0
    /// The size of their values in bytes.
    public internal(set) var byteCount = 0
    /// The number of blocks that stay although they are old: they are synchronised, and another device has not shown
    /// that it has them, or requests them.
    public internal(set) var heldBackCount = 0
    /// The devices that have not shown that they have them, in order.
    public internal(set) var waitingFor: [ReplicaID] = []

    /// The events of the blocks to remove.
    var events = EventSet()
}

extension Store {
    /// Returns the number of days for which this device keeps samples; `nil` if there is no limit. Summaries are
    /// always kept.
    ///
    /// - Throws: ``StoreError`` if the file of the settings of this device cannot be read.
    public func sampleDays() throws -> Int? {
        try LocalSettings(files).values()[Self.sampleDaysKey].flatMap { Int($0) }
    }

    /// Sets the number of days for which this device keeps samples; `nil` for no limit. Removes nothing yet.
    ///
    /// - Parameter days: From 1 to 36,500.
    /// - Throws: ``StoreError`` with code `usage` if `days` is out of range; `notPermitted` if the store is read-only.
    public func keepSamples(forDays days: Int?) throws {
        guard !isReadOnly else { throw StoreError(.notPermitted, "The store \(url.path) is read-only.") }
        if let days { try Self.check(days) }
        _ = try LocalSettings(files).set(Self.sampleDaysKey, to: days.map(String.init))
    }

    private static let sampleDaysKey = "samples.days"
    private static let goneBeforeKey = "samples.gone-before"

    private static func check(_ days: Int) throws {
        guard (1...36_500).contains(days) else {
            throw StoreError(.usage, "Samples can be kept for 1 to 36500 days, or forever.")
        }
    }

    /// Returns the time before which samples are old, in milliseconds since 1970; `nil` if there is no limit. The age
    /// of a sample counts from when it was written to the log, so that of an imported one from the import.
    private func oldSamplesCutoff() throws -> Int64? { try cutoff(sampleDays()) }

    private func cutoff(_ days: Int?) -> Int64? {
        days.map { surroundings.now().wallMilliseconds - Int64($0) * 86_400_000 }
    }

    /// Returns the latest cutoff of any removal on this device, in milliseconds since 1970; 0 if there was none.
    private func samplesGoneBefore() throws -> Int64 {
        try LocalSettings(files).values()[Self.goneBeforeKey].flatMap { Int64($0) } ?? 0
    }

    /// Returns the events of `missing`, whose values are not here, that this device requests from others: all except
    /// old samples, removed ones, and those of other devices that are not synchronised.
    func wantedSamples(of missing: EventSet) throws -> EventSet {
        let former = try formerReplicas()
        var (own, next) = (Set<ReplicaID>(), replica)
        while let id = next, own.insert(id).inserted { next = former[id] }
        return try samples.wanted(missing, own: own, writtenSince: max(samplesGoneBefore(), oldSamplesCutoff() ?? 0))
    }

    /// Returns the samples that ``removeOldSamples(retired:)`` would remove.
    ///
    /// - Parameter retired: Devices that will never sync again: samples are not held back for them.
    /// - Throws: As ``read(_:)``.
    /// - Complexity: A look-up for each block of every trace.
    public func oldSamples(retired: Set<ReplicaID> = []) throws -> OldSamples {
        try oldSamples(keptForDays: sampleDays(), retired: retired)
    }

    /// Returns what ``oldSamples(retired:)`` would if this device kept samples for `days` days; `nil` for no limit.
    ///
    /// - Throws: As ``read(_:)``; ``StoreError`` with code `usage` if `days` is not from 1 to 36,500.
    /// - Complexity: As ``oldSamples(retired:)``.
    public func oldSamples(keptForDays days: Int?, retired: Set<ReplicaID> = []) throws -> OldSamples {
        var old = OldSamples()
        old.days = days
        if let days { try Self.check(days) }
        guard let cutoff = cutoff(days) else { return old }
        return try describing {
            let written = try log.events(writtenBefore: cutoff)
            let others = try seen(except: retired)
            let asked = EventSet(try manifests().values.joined().flatMap(\.wanted))
            for (trace, kind) in try allTraces().flatMap({ [($0, Metering.trace), ($0, Metering.capture)] }) {
                let isShared = try samples.isShared(trace)
                var isOld = false
                let isCapture = kind.name == Metering.capture.name
                let blocks = try blocks(of: kind.name, isCapture ? Metering.captureID(trace) : trace)
                try log.withEvents(at: blocks.keys.sorted()) { position, frame, _ in
                    guard !frame.isWithheld, !frame.isLost, written.contains(frame.id) else { return }
                    let lagging = isShared ? others.filter { $0.vector[frame.id.replica] < frame.id.sequence } : []
                    guard lagging.isEmpty, !(isShared && asked.contains(frame.id)) else {
                        old.heldBackCount += 1
                        old.waitingFor += lagging.map(\.replica).filter { !old.waitingFor.contains($0) }
                        return
                    }
                    isOld = true
                    old.blockCount += 1
                    if !isCapture { old.rowCount += blocks[position] ?? 0 }
                    old.byteCount += frame.values.count
                    old.events.insert(frame.id)
                }
                if isOld, old.traces.last != trace { old.traces.append(trace) }
            }
            old.waitingFor.sort()
            return old
        }
    }

    /// Removes old samples from the log of this device; a hash stays in place of the values of each block.
    ///
    /// The summaries stay, so listings, totals, digests and proofs do not change, nor do plots in which each removed
    /// block lies within one pixel column. No event is written: other devices keep their samples. Synchronised samples
    /// stay until every other device has shown that it has them. The log is rewritten.
    ///
    /// - Parameter retired: Devices that will never sync again: samples are not held back for them.
    /// - Returns: The samples that were removed, and what was held back.
    /// - Throws: ``StoreError`` with code `notPermitted` if the store is read-only; errors of the disk, such as no room
    ///   for a second file. If the rewrite fails, the log has not changed, but samples from before the cutoff are not
    ///   requested from other devices any more.
    /// - Complexity: O(bytes of the log), if anything is old.
    @discardableResult
    public func removeOldSamples(retired: Set<ReplicaID> = []) throws -> OldSamples {
        guard !isReadOnly else { throw StoreError(.notPermitted, "The store \(url.path) is read-only.") }
        let old = try oldSamples(retired: retired)
        guard old.blockCount > 0 else { return old }
        return try describing {
            // Stored first: removed samples must not be requested again, even if this is interrupted.
            if let cutoff = try oldSamplesCutoff(), try cutoff > samplesGoneBefore() {
                _ = try LocalSettings(files).set(Self.goneBeforeKey, to: "\(cutoff)")
            }
            // After a power cut, the views replaced below must not come back in an older state that looks valid.
            try views.synchronise()
            try log.letGo(old.events)
            try followUp.run()
            return old
        }
    }

    /// Calls ``removeOldSamples(retired:)`` if that frees at least an eighth of the log and at least 16 MiB; otherwise
    /// returns `nil`.
    func removeOldSamplesIfDue() throws -> OldSamples? {
        guard try oldSamplesCutoff() != nil else { return nil }
        let old = try oldSamples()
        guard try old.byteCount >= max(16 << 20, logBytes() / 8) else { return nil }
        return try removeOldSamples()
    }

    /// Returns the IDs of all traces, including hidden ones.
    private func allTraces() throws -> [RecordID] {
        try read { view in
            var traces: [RecordID] = []
            try view.forEachRecord(of: Metering.trace.name) { record in
                traces.append(record.id)
                return true
            }
            return traces.sorted()
        }
    }

    /// Returns the positions of the block events of a series, with the number of items in each. Blocks without an event
    /// in the log are left out.
    private func blocks(of kind: String, _ id: RecordID) throws -> [Position: UInt64] {
        try read { view in
            var blocks: [Position: UInt64] = [:]
            try view.forEachBlock(of: kind, id) { block, _ in
                if block.position > 0 { blocks[block.position] = block.count }
                return true
            }
            return blocks
        }
    }
}
