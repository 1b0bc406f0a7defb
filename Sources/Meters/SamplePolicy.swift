import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords
import Synchronization

/// Decides which samples leave this device, and which of the missing ones it requests.
///
/// Summaries of samples are always synchronised. The samples themselves are if this is set for their trace, or else
/// for its meter. That is a field like any other, so all devices come to agree on it.
final class SamplePolicy: Sendable {
    private let log: EventLog
    private let views: Views
    private let cache = Mutex(Cache())

    private struct Cache {
        /// The generation of the log that all of this belongs to.
        var generation: LogGeneration?
        /// The content and position of the log for which ``isShared`` was computed.
        var content: LogContent?
        var position: Position = 0
        var isShared: [RecordID: Bool] = [:]
        /// Of the events with missing values: all that were examined, those without samples, and those with samples
        /// by record.
        var seen = EventSet()
        var others = EventSet()
        var blocks: [RecordID: EventSet] = [:]
    }

    init(log: EventLog, views: Views) { (self.log, self.views) = (log, views) }

    /// Returns whether the samples of a trace, or of the capture of one, are synchronised. Cost: a few look-ups, once
    /// for each state of the log.
    func isShared(_ record: RecordID) throws -> Bool {
        let (content, position) = (try log.content(), try log.lastPosition())
        let known = cache.withLock { cache -> Bool? in
            if cache.generation != content.generation { cache = Cache(generation: content.generation) }
            if cache.content != content || cache.position != position {
                (cache.content, cache.position, cache.isShared) = (content, position, [:])
            }
            return cache.isShared[record]
        }
        if let known { return known }
        let isShared = try views.read { try Self.isShared(record, in: $0) }
        cache.withLock { cache in
            if cache.content == content, cache.position == position { cache.isShared[record] = isShared }
        }
        return isShared
    }

    static func isShared(_ record: RecordID, in view: borrowing ViewReader) throws -> Bool {
        func policy(_ kind: KindSchema, _ id: RecordID) throws -> (record: Record, isShared: Bool?)? {
            guard let record = try view.record(kind.name, id), record.isVisible else { return nil }
            let value = kind.value(of: "SAMPLES", in: record).map { String(decoding: $0, as: UTF8.self) }
            return (record, value.flatMap { SampleSharing(rawValue: $0) }.map { $0 == .synced })
        }
        // The samples of a capture are shared like those of its trace.
        let named = try view.record(Metering.capture.name, record).flatMap { capture in
            Metering.capture.value(of: "TRACE", in: capture).flatMap {
                RecordID(text: String(decoding: $0, as: UTF8.self))
            }
        }
        guard let trace = try policy(Metering.trace, named ?? record) else { return false }
        if let isShared = trace.isShared { return isShared }
        guard let meter = Trace(trace.record).meter else { return false }
        return try policy(Metering.meter, Metering.meterID(meter))?.isShared ?? false
    }

    /// Returns the record of a trace, or of its capture, whose samples an event has; `nil` if it has none.
    static func record(of frame: Frame, _ bytes: RawSpan) -> RecordID? {
        let shape = bytes.extracting(frame.shape)
        guard !frame.isLost,
            let change = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes)),
            change.block != nil
        else { return nil }
        let kind = shape.extracting(change.kind)
        return kinds.contains { $0.withSpan { kind.elementsEqual($0) } } ? change.record : nil
    }

    private static let kinds = [Metering.trace, Metering.capture].map { Array($0.name.utf8) }

    /// Returns the events with missing values that are wanted: all except samples of other devices that are not
    /// synchronised, and old samples.
    ///
    /// - Parameters:
    ///   - missing: All events whose values are not here.
    ///   - own: The replicas that this device writes and wrote as: it once had what it recorded itself.
    ///   - start: Samples written before this time are old: milliseconds since 1970.
    /// - Complexity: O(runs), and a read of each event whose values went missing since the last call.
    func wanted(_ missing: EventSet, own: Set<ReplicaID>, writtenSince start: Int64) throws -> EventSet {
        if missing.isEmpty { return missing }
        let (others, blocks) = try sorted(missing)
        let streams = try log.streams()
        var samples = EventSet()
        for (record, events) in blocks {
            let isShared = try isShared(record)
            for range in events.ranges where isShared || own.contains(streams.origin(of: range.replica)) {
                samples.insert(range)
            }
        }
        return try others.union(samples.subtracting(log.events(writtenBefore: start))).intersection(missing)
    }

    // Whether an event has samples does not depend on its values being here: no late event changes it.
    private func sorted(_ missing: EventSet) throws -> (others: EventSet, blocks: [RecordID: EventSet]) {
        let generation = try log.generation()
        var known = cache.withLock { $0 }
        if known.generation != generation { known = Cache(generation: generation) }
        for range in missing.subtracting(known.seen).ranges {
            try log.scan(range) { _, frame, bytes in
                if let record = Self.record(of: frame, bytes) {
                    known.blocks[record, default: EventSet()].insert(frame.id)
                } else {
                    known.others.insert(frame.id)
                }
                return true
            }
            known.seen.insert(range)
        }
        cache.withLock { cache in
            if cache.generation != generation { cache = Cache(generation: generation) }
            (cache.seen, cache.others, cache.blocks) = (known.seen, known.others, known.blocks)
        }
        return (known.others, known.blocks)
    }
}

extension EventLog {
    /// Returns the events written before a time: milliseconds since 1970, by the clocks of their authors.
    func events(writtenBefore milliseconds: Int64) throws -> EventSet {
        guard milliseconds > 0 else { return EventSet() }
        let stamp = Stamp(milliseconds: milliseconds - 1, counter: .max)
        return EventSet(
            try vector().entries.compactMap { entry in
                let last = try lastSequence(of: entry.replica, stampedUpTo: stamp)
                return last > 0 ? EventRange(entry.replica, 1, through: last) : nil
            })
    }
}
