import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication

/// A log without a file: what `EventLog` promises, fast enough for millions of histories.
///
/// What comes in is judged by the code that `EventLog` uses too (`RangeIngest`, `RetentionChange`), and ranges are made
/// by it (`RangeSource`). What is here instead of LMDB is rows, as they would be on the disk. All else is computed from
/// them and is gone when the power goes.
final class MemoryLog: SimulatedLog {
    /// What would be on a disk.
    struct Rows {
        /// The frames of all events in the order in which they arrived.
        var events: [[UInt8]] = []
        /// The frames of events whose values came late, by position: they count in the place of those above.
        var late: [Position: [UInt8]] = [:]
        var lastChecksum: UInt32 = 0
        var clock = Stamp(rawValue: 0)
        var waiting: [RangeFrame] = []
        var streams = Streams()
        /// How often names have come to be read otherwise, and whether it cannot be told yet what some author meant.
        var resolutionsCount: UInt64 = 0
        var isUncertain = false
        var signed: [ReplicaID: SignedHead] = [:]
        var erased = EventSet()
        /// Whether there may be events without their values that were not erased here.
        var mayLackValues = false
    }

    let id: LogID
    var rows = Rows()
    var trees: [ReplicaID: Stream] = [:]
    /// The ranges that were made: most go to several others.
    var made: [Making: RangeFrame] = [:]
    /// How many events a replica appends until one says all that its author had seen.
    var contextCount = EventLog.contextCount
    /// The most bytes of events of a range that is made here.
    var preferredBytes = Int.max

    init(_ id: LogID) { self.id = id }

    static func empty(_ id: LogID) -> MemoryLog { MemoryLog(id) }

    func vector() -> VersionVector {
        var vector = VersionVector()
        for (replica, stream) in trees where stream.count > 0 { vector[replica] = stream.count }
        return vector
    }

    func lastPosition() -> Position { Position(rows.events.count) }

    func forEach(from position: Position, _ body: (Position, Frame, RawSpan) throws -> Void) throws {
        var next = max(position, 1)
        while next <= Position(rows.events.count) {
            try withEvent(at: next) { frame, bytes in try body(next, frame, bytes) }
            next += 1
        }
    }

    func withEvent(at position: Position, _ body: (Frame, RawSpan) throws -> Void) throws {
        guard position >= 1, position <= Position(rows.events.count) else { return }
        try present(at: position).withSpan { bytes in try body(try Frame(parsing: bytes), bytes) }
    }

    /// The frame that counts at `position`.
    func present(at position: Position) -> [UInt8] { rows.late[position] ?? rows.events[Int(position) - 1] }

    func checksum(at position: Position) throws -> UInt32? {
        guard position >= 1, position <= Position(rows.events.count) else { return nil }
        return try rows.events[Int(position) - 1].withSpan { try Frame(parsing: $0).checksum(in: $0) }
    }

    func streams() -> Streams { rows.streams }

    func resolutionsCount() -> UInt64 { rows.resolutionsCount }

    func signedHead(of stream: ReplicaID) -> SignedHead? { rows.signed[stream] }

    func keep(_ head: SignedHead, of stream: ReplicaID) {
        if let known = rows.signed[stream], known.sequence >= head.sequence { return }
        rows.signed[stream] = head
    }

    func retainedFrames() -> [RangeFrame] { rows.waiting }

    func pendingFrames() throws -> [RangeFrame] { try rows.waiting.filter { try !holdsEvents(of: $0) } }

    func missingValues() throws -> EventSet {
        var lacking = EventSet()
        guard rows.mayLackValues else { return lacking }
        try forEach(from: 1) { _, frame, _ in
            if frame.isWithheld, !rows.erased.contains(frame.id) {
                lacking.insert(frame.id)
            }
        }
        return lacking
    }

    func meaning(of events: EventSet, namedBy event: EventID) throws -> Meaning {
        try Meaning(of: events, namedBy: event, in: self)
    }

    func erased() -> EventSet { rows.erased }

    func copy() throws -> MemoryLog {
        let copy = MemoryLog(id)
        copy.contextCount = contextCount
        copy.preferredBytes = preferredBytes
        copy.rows = rows
        copy.trees = trees
        return copy
    }

    func loseMemory() throws {
        try readRows()
    }

    /// Computes from the rows what is kept beside them in memory, and trusts nothing that was there.
    func readRows() throws {
        var checksum: UInt32 = 0
        (trees, made) = ([:], [:])
        for (place, bytes) in rows.events.enumerated() {
            try bytes.withSpan { bytes in
                let frame = try Frame(verifying: bytes)
                guard frame.previousChecksum == checksum else { throw EventLogError.damaged("the chain of frames") }
                checksum = frame.checksum(in: bytes)
                var hasher = MerkleHasher()
                try note(frame, at: Position(place) + 1, leaf: hasher.leaf(of: frame, in: bytes))
            }
        }
        guard checksum == rows.lastChecksum else { throw EventLogError.damaged("the last frame") }
        for (position, bytes) in rows.late {
            let late = try bytes.withSpan { try Frame(verifying: $0) }
            let row = rows.events[Int(position) - 1]
            guard try row.withSpan({ try Frame(verifying: $0) }).id == late.id else {
                throw EventLogError.damaged("what came late")
            }
        }
        rows.waiting = try rows.waiting.map { try RangeFrame(checkedBefore: $0.bytes) }
    }

    /// Puts an event, framed already, at the end.
    func put(_ bytes: [UInt8], _ frame: Frame, leaf: Hash256) throws {
        rows.events.append(bytes)
        try note(frame, at: Position(rows.events.count), leaf: leaf)
    }

    private func note(_ frame: Frame, at position: Position, leaf: Hash256) throws {
        let known = trees[frame.id.replica]?.count ?? 0
        guard frame.id.sequence == known + 1 else {
            throw EventLogError.outOfSequence(frame.id, expected: known + 1)
        }
        trees[frame.id.replica, default: Stream()].append(leaf, position, frame.stamp)
    }
}
