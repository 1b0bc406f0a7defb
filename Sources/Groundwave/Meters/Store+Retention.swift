import EventLog
import Events
import Foundation
import Metering
import Projections
import Records

/// Samples that are older than this device keeps them.
public struct OldSamples: Hashable, Sendable {
    /// How many days samples stay in the log of this device; `nil` for ever.
    public internal(set) var days: Int?
    /// Of which traces, in order of id.
    public internal(set) var traces: [RecordID] = []
    /// How many blocks, of rows and of what went over the line, have their samples still.
    public internal(set) var blockCount = 0
    /// How many rows these have.
    public internal(set) var rowCount: UInt64 = 0
    /// How many bytes the log has of them.
    public internal(set) var byteCount = 0
    /// How many blocks stay although they are old: they travel, and another device has not shown that it has them.
    public internal(set) var heldBackCount = 0
    /// For which devices they stay, in order.
    public internal(set) var waitingFor: [ReplicaID] = []

    /// Their events.
    var events = EventSet()
}

extension Store {
    /// For how many days this device keeps samples; `nil` for ever. What is said of them stays for ever.
    public func sampleDays() throws -> Int? {
        try LocalSettings(files).values()[Self.sampleDaysKey].flatMap { Int($0) }
    }

    /// Says for how many days this device keeps samples from now on; `nil` for ever. Nothing is let go of by this.
    ///
    /// - Throws: ``StoreError`` with code `usage` where that is less than one day, or more than 36,500.
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

    /// Before when samples are old, by when they were written to the log: milliseconds since 1970; `nil` for never. What
    /// was imported counts from the import on.
    private func oldSamplesCutoff() throws -> Int64? { try cutoff(sampleDays()) }

    private func cutoff(_ days: Int?) -> Int64? {
        days.map { surroundings.now().wallMilliseconds - Int64($0) * 86_400_000 }
    }

    /// Samples that were written before this may have been let go of here: milliseconds since 1970; 0 for none.
    private func samplesGoneBefore() throws -> Int64 {
        try LocalSettings(files).values()[Self.goneBeforeKey].flatMap { Int64($0) } ?? 0
    }

    /// The events that lack their values here and are wanted.
    func wantedValues() throws -> EventSet {
        let former = try formerReplicas()
        var (own, next) = (Set<ReplicaID>(), replica)
        while let id = next, own.insert(id).inserted { next = former[id] }
        return try samples.wanted(own: own, writtenSince: max(samplesGoneBefore(), oldSamplesCutoff() ?? 0))
    }

    /// The samples that ``letGoOfOldSamples(gone:)`` would let go of.
    ///
    /// - Parameter gone: Devices that need not have them, since they will never be heard of again.
    /// - Complexity: A look-up for each block of every trace.
    public func oldSamples(gone: Set<ReplicaID> = []) throws -> OldSamples {
        try oldSamples(keptForDays: sampleDays(), gone: gone)
    }

    /// As ``oldSamples(gone:)``, if this device kept samples for so many days; `nil` for ever.
    public func oldSamples(keptForDays days: Int?, gone: Set<ReplicaID> = []) throws -> OldSamples {
        var old = OldSamples()
        old.days = days
        if let days { try Self.check(days) }
        guard let cutoff = cutoff(days) else { return old }
        return try describing {
            let written = try log.events(writtenBefore: cutoff)
            let others = try seen(except: gone)
            let asked = EventSet(try statements().values.joined().flatMap(\.wanted))
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

    /// Takes samples that are older than this device keeps them out of its log: their hashes stay in their place.
    ///
    /// What is said of them stays, so no listing, total, digest or proof changes, and no plot in which each of their blocks
    /// lies in one pixel column. It is no event: other devices keep what they have. Samples that travel stay until every
    /// other device has shown that it has seen them. The log is written anew.
    ///
    /// - Parameter gone: Devices that need not have them, since they will never be heard of again.
    /// - Returns: What went.
    /// - Throws: ``StoreError`` where there is no room for a second file; then nothing has changed.
    /// - Complexity: O(bytes of the log), where anything is old.
    @discardableResult
    public func letGoOfOldSamples(gone: Set<ReplicaID> = []) throws -> OldSamples {
        guard !isReadOnly else { throw StoreError(.notPermitted, "The store \(url.path) is read-only.") }
        let old = try oldSamples(gone: gone)
        guard old.blockCount > 0 else { return old }
        return try describing {
            // First: what went must not be asked for, wherever this stops.
            if let cutoff = try oldSamplesCutoff(), try cutoff > samplesGoneBefore() {
                _ = try LocalSettings(files).set(Self.goneBeforeKey, to: "\(cutoff)")
            }
            // The views that are replaced below may not come back after a power cut as older ones that look right.
            try views.synchronise()
            try log.letGo(old.events)
            try followUp.run()
            return old
        }
    }

    /// As ``letGoOfOldSamples(gone:)``, where that makes the log smaller by an eighth, and by 16 MiB.
    func letGoOfOldSamplesIfDue() throws -> OldSamples? {
        guard try oldSamplesCutoff() != nil else { return nil }
        let old = try oldSamples()
        guard try old.byteCount >= max(16 << 20, logBytes() / 8) else { return nil }
        return try letGoOfOldSamples()
    }

    /// The ids of all traces, those that are hidden too.
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

    /// Where the events of the blocks of a series stand, and how many items each has.
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
