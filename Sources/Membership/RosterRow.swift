import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLogFormat

/// What a log stores of its roster: which event has sealed it, and what all events here say of who belongs.
///
/// It follows from the events, and is written in the commit that brings them. The bytes, as a row:
///
/// | size | |
/// |---|---|
/// | 1 | whether a root follows |
/// | 32 | the root, which stands for the event that has sealed the log: see ``RosterKind/root(of:_:phrase:before:)`` |
/// | varint | number of statements |
/// | each | event (16 and varint), word (1), then by the word: |
/// | 0 seal | phrase (16), root (32), what was before: count (varint), each replica (16), first and last number (varints) |
/// | 1 approve | replica (16), the revocations that end: count (varint), each replica (16), number (varint) |
/// | 2 revoke | replica (16), the last events that were seen: as above |
/// | 3 admit | the last events that are admitted: as above |
/// | 4 epoch | nothing |
package struct RosterRow: Hashable, Sendable {
    /// What stands for the event that has sealed the log; `nil` for a log that is not sealed. Once it is known, no other event
    /// takes its place.
    package var root: Hash256?
    /// What is said, in order of arrival.
    package private(set) var statements: [RosterStatement] = []

    /// The name of the row.
    package static let key = [UInt8]("roster".utf8)

    /// The row of a log without statements.
    ///
    /// - Parameter root: What the device was told when it joined.
    package init(root: Hash256? = nil) { self.root = root }

    /// Adds a statement.
    ///
    /// - Parameter isOwn: Whether this store has just written it. Then, if no root is known, the event that seals the log
    ///   becomes it. What came from elsewhere never does: anybody can write such an event.
    package mutating func add(_ statement: RosterStatement, isOwn: Bool = false) {
        if isOwn, case .seal(_, _, let root) = statement.word, self.root == nil { self.root = root }
        statements.append(statement)
    }

    /// The statements that seal the log without being its root: they change nothing until somebody accepts one.
    package var otherSeals: [(statement: RosterStatement, root: Hash256)] {
        statements.compactMap { statement in
            guard case .seal(_, _, let root) = statement.word, root != self.root else { return nil }
            return (statement, root)
        }
    }

    /// The statement that has sealed the log; `nil` if it is not sealed, or that event is not here yet. Its author may have
    /// written it in several histories: they say the same.
    package var seal: RosterStatement? {
        statements.filter { statement in
            if case .seal(_, _, let leaf) = statement.word { leaf == root } else { false }
        }.min { $0.event < $1.event }
    }

    /// Returns who belongs to the log; `nil` if it is not sealed. Until the event that has sealed it is here, nobody does.
    package func roster(_ streams: Streams) -> Roster? {
        guard root != nil else { return nil }
        guard let seal, case .seal(let phrase, let before, _) = seal.word else { return Roster() }
        return Roster(
            statements, phrase: phrase, founder: streams.origin(of: seal.event.replica), before: before, streams)
    }
}

extension RosterRow {
    /// The encoded row.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(root == nil ? 0 : 1)
        if let root { writer.append(root) }
        writer.append(varint: statements.count)
        for statement in statements {
            writer.append(statement.event)
            switch statement.word {
            case .seal(let phrase, let before, let root):
                writer.append(UInt8(0))
                writer.append(phrase)
                writer.append(root)
                writer.append(varint: before.ranges.count)
                for range in before.ranges {
                    writer.append(range.replica)
                    writer.append(varint: range.first)
                    writer.append(varint: range.last)
                }
            case .approve(let device, let ending):
                writer.append(UInt8(1))
                writer.append(device)
                writer.append(ending)
            case .revoke(let device, let seen):
                writer.append(UInt8(2))
                writer.append(device)
                writer.append(seen)
            case .admit(let events):
                writer.append(UInt8(3))
                writer.append(events)
            case .epoch: writer.append(UInt8(4))
            }
        }
        return writer.bytes
    }

    /// Decodes ``bytes``.
    package init(decoding bytes: RawSpan) throws(ByteCodingError) {
        var reader = ByteReader()
        root =
            try reader.byte(in: bytes) == 0
            ? nil : Hash256(at: try reader.skip(32, in: bytes).lowerBound, of: bytes)
        for _ in 0..<(try reader.count(in: bytes, limit: bytes.byteCount)) {
            let event = try reader.event(in: bytes)
            let word: RosterStatement.Word
            let start = reader.offset
            switch try reader.byte(in: bytes) {
            case 0:
                let phrase = ReplicaID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
                let root = Hash256(at: try reader.skip(32, in: bytes).lowerBound, of: bytes)
                var ranges: [EventRange] = []
                for _ in 0..<(try reader.count(in: bytes, limit: bytes.byteCount)) {
                    let first = try reader.event(in: bytes)
                    ranges +=
                        EventRange(first.replica, named: first.sequence, through: try reader.varint(in: bytes)).map {
                            [$0]
                        } ?? []
                }
                word = .seal(phrase: phrase, before: EventSet(ranges), root: root)
            case 1:
                let device = ReplicaID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
                word = .approve(device, ending: try reader.events(in: bytes))
            case 2:
                let device = ReplicaID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
                word = .revoke(device, seen: try reader.events(in: bytes))
            case 3: word = .admit(try reader.events(in: bytes))
            case 4: word = .epoch
            default: throw .malformedVarint(offset: start)
            }
            statements.append(RosterStatement(event, word))
        }
        try reader.finish(in: bytes)
    }
}

extension ByteWriter {
    fileprivate mutating func append(_ event: EventID) {
        append(event.replica)
        append(varint: event.sequence)
    }

    fileprivate mutating func append(_ events: [EventID]) {
        append(varint: events.count)
        for event in events { append(event) }
    }
}

extension ByteReader {
    fileprivate mutating func event(in bytes: RawSpan) throws(ByteCodingError) -> EventID {
        let replica = ReplicaID(at: try skip(16, in: bytes).lowerBound, of: bytes)
        return EventID(replica, try varint(in: bytes))
    }

    fileprivate mutating func events(in bytes: RawSpan) throws(ByteCodingError) -> [EventID] {
        var events: [EventID] = []
        for _ in 0..<(try count(in: bytes, limit: bytes.byteCount / 17)) { events.append(try event(in: bytes)) }
        return events
    }
}
