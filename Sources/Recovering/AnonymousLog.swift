import Crypto
import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveLogRepair
import GroundwaveRecords
import GroundwaveStore

/// Writes a log of the same shape as another one, with invented content.
///
/// Kept are the number of events of each replica, their batches, stamps, kinds, fields and operations, which event
/// each supersedes, and the length of each value, with letters for letters and digits for digits. Replaced, by means
/// of a key that is thrown away, are replicas, records, sources, values, authors, notes, and the names of fields and
/// kinds that are not built in. An event that cannot be read is written as a lost one.
struct AnonymousLog {
    private let key = SymmetricKey(size: .bits256)
    private var nextNumbers: [ReplicaID: SequenceNumber] = [:]
    private var generator = SystemRandomNumberGenerator()

    /// Writes the events that `salvage` found to a new log at `target`.
    static func write(_ salvage: Salvage, _ components: [StoreComponent], to target: URL) throws {
        var generator = SystemRandomNumberGenerator()
        let log = try EventLog.create(
            at: target.path, id: LogID.random(using: &generator), epoch: generator.next())
        var anonymous = try AnonymousLog(components)
        var frames: [[UInt8]] = []
        try salvage.forEachEvent { frame, bytes in
            frames += try anonymous.frames(for: frame, bytes)
            if frames.count >= EventLimits.batchCount, frame.rest == 0 {
                _ = try log.append(copying: frames, arrival: .now())
                frames.removeAll()
            }
        }
        if !frames.isEmpty { _ = try log.append(copying: frames, arrival: .now()) }
        try log.close()
        unlink(target.path + "-lock")
    }

    private init(_ components: [StoreComponent]) throws {
        kinds = Set(try RegisteredKinds.kinds(Configuration(components: components)).all.map(\.name))
    }

    /// Returns the frames for an event: its own, after those of the lost events before it.
    private mutating func frames(for frame: Frame, _ bytes: [UInt8]) throws -> [[UInt8]] {
        let replica: ReplicaID = invented(frame.id.replica)
        var frames: [[UInt8]] = []
        let next = nextNumbers[replica] ?? 1
        for sequence in next..<max(next, frame.id.sequence) {
            frames.append(lost(EventID(replica, sequence), frame.stamp))
        }
        let id = EventID(replica, frame.id.sequence)
        frames.append(try event(frame, bytes, as: id) ?? lost(id, frame.stamp))
        nextNumbers[replica] = frame.id.sequence + 1
        return frames
    }

    private func lost(_ id: EventID, _ stamp: Stamp) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.append(lost: id, stamp: stamp, after: 0)
        return writer.bytes
    }

    private mutating func event(_ frame: Frame, _ bytes: [UInt8], as id: EventID) throws -> [UInt8]? {
        let span = bytes.span.bytes
        let names = frame.names(in: span)
        guard
            let change = try? Change(
                shape: span.extracting(frame.shape), values: span.extracting(frame.values),
                isWithheld: frame.isWithheld, by: names)
        else { return nil }
        var note = AuditNote()
        if var reader = try? ChangeReader(
            shape: span.extracting(frame.shape), isWithheld: frame.isWithheld, by: names),
            let found = try? reader.note(in: span.extracting(frame.values))
        {
            note = AuditNote(
                author: text(found.author), text: text(found.text), correlation: text(found.correlation),
                causation: text(found.causation))
        }
        var batch = DraftBatch()
        batch.append(invented(change), by: id.replica, note: note, using: &generator)
        let header = EventHeader(id: id, stamp: frame.stamp, rest: frame.rest)
        var writer = ByteWriter(capacity: bytes.count + 64)
        batch.withEvent(at: 0) { shape, values in
            _ = writer.append(frame: header, shape: shape, values: values, after: 0)
        }
        return writer.bytes
    }

    /// The block of a series is kept: it holds measurements, and no personal data.
    private func invented(_ change: Change) -> Change {
        var result = Change(
            kind: kinds.contains(change.kind) ? change.kind : "kind-\(short(Array(change.kind.utf8)))",
            record: invented(change.record), source: change.source.map { SourceID(rawValue: number(of: $0.rawValue)) },
            operations: change.operations.map { operation in
                FieldOperation(
                    operation.code, invented(operation.field),
                    supersedes: operation.supersedes.map { head in
                        HeadID(EventID(invented(head.event.replica), head.event.sequence), index: head.index)
                    }, value: operation.value.map { value($0) })
            })
        result.block = change.block
        return result
    }

    /// The kinds whose names are told: those of this library.
    private let kinds: Set<String>

    private func invented(_ field: FieldKey) -> FieldKey {
        if case .name(let name) = field { return .name("FIELD_\(short(Array(name.utf8)))") }
        return field
    }

    private func invented<ID: SixteenByteID>(_ id: ID) -> ID { ID(mac(id.bytes)) }

    private func number(of source: UInt64) -> UInt64 {
        var writer = ByteWriter(capacity: 8)
        writer.append(littleEndian: source)
        return mac(writer.bytes).span.bytes.uint64(at: 0)
    }

    private func short(_ bytes: [UInt8]) -> String { String(mac(bytes).span.bytes.uint32(at: 0), radix: 16) }

    /// Returns sixteen bytes that are derived from `bytes` and the key.
    private func mac(_ bytes: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(bytes), using: key).prefix(16))
    }

    private func text(_ text: String) -> String { String(decoding: value(Array(text.utf8)), as: UTF8.self) }

    /// Returns other bytes of the same number and character classes. Equal values give equal results.
    private func value(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var (stream, count) = (mac(bytes), UInt8(0))
        return bytes.map { byte in
            if stream.isEmpty {
                count &+= 1
                stream = mac(bytes + [count])
            }
            let random = stream.removeLast()
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): return UInt8(ascii: "0") + random % 10
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): return UInt8(ascii: "A") + random % 26
            case UInt8(ascii: "a")...UInt8(ascii: "z"): return UInt8(ascii: "a") + random % 26
            case 0x80...: return UInt8(ascii: "x")
            default: return byte
            }
        }
    }
}
