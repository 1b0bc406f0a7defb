import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords
import Synchronization

/// Which samples leave this device, and which of those it lacks it wants.
///
/// What is said of samples always travels; they themselves do where their trace says so, or else its meter. That is a field
/// like any other, so all devices come to agree on it.
final class SamplePolicy: Sendable {
    private let log: EventLog
    private let views: Views
    private let cache = Mutex(Cache())

    private struct Cache {
        /// Of which generation of the log all of this is.
        var generation: LogGeneration?
        /// Of which content of the log, and at which position, ``isShared`` was asked for.
        var content: LogContent?
        var position: Position = 0
        var isShared: [RecordID: Bool] = [:]
        /// Of the events that lack their values those that were looked at, and what they are.
        var seen = EventSet()
        var others = EventSet()
        var blocks: [RecordID: EventSet] = [:]
    }

    init(log: EventLog, views: Views) { (self.log, self.views) = (log, views) }

    /// Whether the samples of a trace, or of the capture of one, travel. Cost: a few look-ups, once for each state of the
    /// log.
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
        func said(_ kind: KindSchema, _ id: RecordID) throws -> (record: Record, isShared: Bool?)? {
            guard let record = try view.record(kind.name, id), record.isVisible else { return nil }
            let value = kind.value(of: "SAMPLES", in: record).map { String(decoding: $0, as: UTF8.self) }
            return (record, value.flatMap { SampleSharing(rawValue: $0) }.map { $0 == .synced })
        }
        // The samples of a capture go where those of its trace go.
        let named = try view.record(Metering.capture.name, record).flatMap { capture in
            Metering.capture.value(of: "TRACE", in: capture).flatMap {
                RecordID(text: String(decoding: $0, as: UTF8.self))
            }
        }
        guard let trace = try said(Metering.trace, named ?? record) else { return false }
        if let isShared = trace.isShared { return isShared }
        guard let meter = Trace(trace.record).meter else { return false }
        return try said(Metering.meter, Metering.meterID(meter))?.isShared ?? false
    }

    /// Whether the values of an event are samples that stay here.
    func staysHere(_ frame: Frame, _ bytes: RawSpan) throws -> Bool {
        guard let record = Self.record(of: frame, bytes) else { return false }
        return try !isShared(record)
    }

    /// The record of a trace, or of its capture, whose samples an event has; `nil` where it has none.
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

    /// The events that lack their values here and are wanted: all but samples of others that do not travel, and old ones.
    ///
    /// - Parameters:
    ///   - lacking: All events whose values are not here.
    ///   - own: The replicas that this device writes and wrote as: what it recorded itself it had.
    ///   - start: Samples that were written before this are old: milliseconds since 1970.
    /// - Complexity: O(runs), and a look at each event that came to lack its values since the last call.
    func wanted(_ lacking: EventSet, own: Set<ReplicaID>, writtenSince start: Int64) throws -> EventSet {
        if lacking.isEmpty { return lacking }
        let (others, blocks) = try sorted(lacking)
        let streams = try log.streams()
        var samples = EventSet()
        for (record, events) in blocks {
            let isShared = try isShared(record)
            for range in events.ranges where isShared || own.contains(streams.origin(of: range.replica)) {
                samples.insert(range)
            }
        }
        return try others.union(samples.subtracting(log.events(writtenBefore: start))).intersection(lacking)
    }

    // What an event is of is said of it whether its values are here or not: no late event changes that.
    private func sorted(_ lacking: EventSet) throws -> (others: EventSet, blocks: [RecordID: EventSet]) {
        let generation = try log.generation()
        var known = cache.withLock { $0 }
        if known.generation != generation { known = Cache(generation: generation) }
        for range in lacking.subtracting(known.seen).ranges {
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
    /// The events that were written before a time: milliseconds since 1970, by the clocks of their authors.
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
