import Foundation
import GroundwaveAuditing
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// The samples that are older than the time for which this device keeps them.
public struct OldSamples: Hashable, Sendable {
    /// The number of days for which samples stay in the log of this device; `nil` for ever.
    public internal(set) var days: Int?
    /// The traces concerned, in order of ID.
    public internal(set) var traces: [RecordID] = []
    /// The number of blocks, of rows and of line traffic, that still have their samples.
    public internal(set) var blockCount = 0
    /// The number of rows in these blocks.
    public internal(set) var rowCount: UInt64 = 0
    /// Their size in the log, in bytes.
    public internal(set) var byteCount = 0
    /// The number of blocks that stay although they are old: they are synchronised, and another device has not shown
    /// that it has them.
    public internal(set) var heldBackCount = 0
    /// The devices for which they stay, in order.
    public internal(set) var waitingFor: [ReplicaID] = []

    /// Their events.
    var events = EventSet()
}

extension Store {
    /// Returns the number of days for which this device keeps samples; `nil` for ever. Their summaries stay for ever.
    public func sampleDays() throws -> Int? {
        try LocalSettings(files).values()[Self.sampleDaysKey].flatMap { Int($0) }
    }

    /// Sets the number of days for which this device keeps samples from now on; `nil` for ever. Removes nothing yet.
    ///
    /// - Throws: ``StoreError`` with code `usage` if that is less than one day, or more than 36,500; `notPermitted`
    ///   if the store is read-only.
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

    /// Returns the time before which samples are old, by when they were written to the log: milliseconds since 1970;
    /// `nil` for never. Imported samples count from the import on.
    private func oldSamplesCutoff() throws -> Int64? { try cutoff(sampleDays()) }

    private func cutoff(_ days: Int?) -> Int64? {
        days.map { surroundings.now().wallMilliseconds - Int64($0) * 86_400_000 }
    }

    /// Returns the time before which samples may have been removed here: milliseconds since 1970; 0 for none.
    private func samplesGoneBefore() throws -> Int64 {
        try LocalSettings(files).values()[Self.goneBeforeKey].flatMap { Int64($0) } ?? 0
    }

    /// Returns the events of `missing`, whose values are not here, that this device requests from others.
    func wantedSamples(of missing: EventSet) throws -> EventSet {
        let former = try formerReplicas()
        var (own, next) = (Set<ReplicaID>(), replica)
        while let id = next, own.insert(id).inserted { next = former[id] }
        return try samples.wanted(missing, own: own, writtenSince: max(samplesGoneBefore(), oldSamplesCutoff() ?? 0))
    }

    /// Returns the samples that ``removeOldSamples(retired:)`` would remove.
    ///
    /// - Parameter gone: Devices that need not have them, because they will never sync again.
    /// - Complexity: A look-up for each block of every trace.
    public func oldSamples(retired: Set<ReplicaID> = []) throws -> OldSamples {
        try oldSamples(keptForDays: sampleDays(), retired: retired)
    }

    /// As ``oldSamples(retired:)``, if this device kept samples for `days` days; `nil` for ever.
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

    /// Removes samples that are older than this device keeps them from its log: their hashes stay in their place.
    ///
    /// The summaries stay, so no listing, total, digest or proof changes, and no plot in which each of the removed
    /// blocks lies in one pixel column. No event is written: other devices keep their samples. Synchronised samples
    /// stay until every other device has shown that it has seen them. The log is rewritten.
    ///
    /// - Parameter gone: Devices that need not have them, because they will never sync again.
    /// - Returns: The samples that were removed.
    /// - Throws: ``StoreError`` if there is no room for a second file; then nothing has changed.
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

    /// As ``removeOldSamples(retired:)``, if this makes the log smaller by at least an eighth and 16 MiB.
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

    /// Returns the positions of the events of the blocks of a series, with the number of items in each.
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
