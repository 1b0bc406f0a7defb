import Foundation
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLogFormat

// An archive: old events with their values, in one portable file. It has the format of ChunkedFile, with the magic
// `GWA1`.
//
// | chunk | content |
// |---|---|
// | head | log (16); created (8, milliseconds); varint count of replicas, then of each: replica (16), its last number (varint): the vector of what was archived |
// | events | unchanged frames of one replica in sequence, one after another |
// | end | varint count of the chunks of events, then of each: replica (16), its first number, its last, its offset (varints); varint count of events |
//
// Integers are little-endian.

/// Why a file is not a usable archive.
public enum ArchiveError: Error, Hashable, Sendable {
    /// The file does not begin or end as an archive does.
    case notAnArchive
    /// A checksum is wrong, or what it covers is malformed.
    case damaged(String)
    /// These events cannot be read; the others are intact. The ranges may include events that are not in the archive.
    case damagedEvents([EventRange])
    /// It is of another log.
    case otherLog
}

/// The description of an archive.
public struct ArchiveInformation: Hashable, Sendable {
    /// The log that the archive is of.
    public let log: LogID
    /// When the archive was made, in milliseconds since 1970.
    public let created: Int64
    /// The vector of the archived events. Events whose values stay in the log are not in the file.
    public let vector: VersionVector
    /// The number of events in the file.
    public let eventCount: Int
    /// The size of the file in bytes.
    public let byteCount: Int
    /// The hash of the file, without the hash itself.
    public let hash: Hash256
}

private enum ArchiveFormat {
    static let magic: UInt32 = 0x3141_5747
    /// The size in bytes at which a chunk of events is full.
    static let bytesPerChunk = 1 << 20
}

/// Writes archives.
public enum Archive {
    /// Writes those events of `vector` in `log` that have values, except the events to keep.
    ///
    /// - Parameters:
    ///   - created: The time of creation, in milliseconds since 1970.
    ///   - isKept: Whether an event stays in the log with its values, and is not written.
    ///   - sink: Receives the bytes of the file, piece by piece.
    /// - Complexity: O(events of `vector`).
    public static func write(
        _ vector: VersionVector, of log: EventLog, created: Int64, keeping isKept: (Frame, RawSpan) -> Bool,
        to sink: @escaping ([UInt8]) throws -> Void
    ) throws -> ArchiveInformation {
        var file = try ChunkedFileWriter(magic: ArchiveFormat.magic, sink: sink)
        var head = ByteWriter()
        head.append(log.id)
        head.append(littleEndian: created)
        head.append(varint: vector.entries.count)
        for entry in vector.entries {
            head.append(entry.replica)
            head.append(varint: entry.sequence)
        }
        try file.append(.head, head.bytes)
        var chunks: [ArchiveChunk] = []
        var content = ByteWriter(capacity: ArchiveFormat.bytesPerChunk)
        var eventCount = 0
        for entry in vector.entries {
            var range: ClosedRange<SequenceNumber>?
            func flush() throws {
                guard let known = range else { return }
                let offset = try file.append(.events, content.bytes)
                chunks.append(ArchiveChunk(replica: entry.replica, numbers: known, offset: offset))
                content.removeAll()
                range = nil
            }
            try log.scan(EventRange(entry.replica, 1, through: entry.sequence)) { _, frame, bytes in
                if frame.isWithheld || isKept(frame, bytes) { return true }
                content.append(contentsOf: bytes.extracting(0..<frame.length))
                range = (range?.lowerBound ?? frame.id.sequence)...frame.id.sequence
                eventCount += 1
                if content.count > ArchiveFormat.bytesPerChunk { try flush() }
                return true
            }
            try flush()
        }
        var end = ByteWriter()
        end.append(varint: chunks.count)
        for chunk in chunks {
            end.append(chunk.replica)
            end.append(varint: chunk.numbers.lowerBound)
            end.append(varint: chunk.numbers.upperBound)
            end.append(varint: chunk.offset)
        }
        end.append(varint: eventCount)
        let hash = try file.finish(end.bytes)
        return ArchiveInformation(
            log: log.id, created: created, vector: vector, eventCount: eventCount, byteCount: file.byteCount, hash: hash
        )
    }
}

/// A chunk of events.
private struct ArchiveChunk {
    let replica: ReplicaID
    let numbers: ClosedRange<SequenceNumber>
    let offset: Int
}

/// Reads an archive file. Each frame in it also has its own checksum.
public struct ArchiveReader {
    /// The description in the file.
    public let information: ArchiveInformation
    private let file: ChunkedFileReader
    /// The chunks of each replica, in order of number.
    private let chunks: [ReplicaID: [ArchiveChunk]]
    /// The expanded frames of one chunk per replica, so that reading in sequence expands each chunk once.
    private var open: [ReplicaID: [SequenceNumber: [UInt8]]] = [:]

    /// Opens the archive at `path` and reads its head and end. Cost: a few small reads.
    ///
    /// - Throws: ``ArchiveError``.
    public init(_ path: String) throws {
        let file = try Self.translating { try ChunkedFileReader(path, magic: ArchiveFormat.magic) }
        self.file = file
        do {
            let (log, created, vector) = try file.head.withSpan { try Self.head($0) }
            let (chunks, eventCount) = try file.end.withSpan { try Self.end($0) }
            self.chunks = Dictionary(grouping: chunks) { $0.replica }
            information = ArchiveInformation(
                log: log, created: created, vector: vector, eventCount: eventCount, byteCount: file.byteCount,
                hash: file.hash)
        } catch is ByteCodingError { throw ArchiveError.damaged("its description") }
    }

    /// Reads the whole file and throws unless every byte is as written.
    ///
    /// - Throws: ``ArchiveError``.
    /// - Complexity: O(bytes), about 300 MB/s of the events.
    public func verify() throws {
        var count = 0
        var damaged: [EventRange] = []
        for chunk in chunks.values.joined().sorted(by: { $0.offset < $1.offset }) {
            let frames = try? frames(of: chunk)
            if let frames, !frames.isEmpty, frames.keys.allSatisfy(chunk.numbers.contains) {
                count += frames.count
            } else {
                damaged.append(
                    EventRange(chunk.replica, chunk.numbers.lowerBound, through: chunk.numbers.upperBound))
            }
        }
        guard damaged.isEmpty else { throw ArchiveError.damagedEvents(damaged) }
        try Self.translating { try file.verify() }
        guard count == information.eventCount else { throw ArchiveError.damaged("the count of its events") }
    }

    /// Returns the whole frame of `event`; `nil` if the archive does not have it.
    ///
    /// Cost: expands 1 MiB, unless the previous event of the replica was in the same chunk.
    public mutating func frame(of event: EventID) throws -> [UInt8]? {
        if let frame = open[event.replica]?[event.sequence] { return frame }
        guard let chunk = chunks[event.replica]?.first(where: { $0.numbers.contains(event.sequence) }) else {
            return nil
        }
        let frames = try frames(of: chunk)
        open[event.replica] = frames
        return frames[event.sequence]
    }

    private func frames(of chunk: ArchiveChunk) throws -> [SequenceNumber: [UInt8]] {
        let content = try Self.translating { try file.chunk(.events, at: chunk.offset) }
        var frames: [SequenceNumber: [UInt8]] = [:]
        try content.withSpan { bytes in
            var offset = 0
            while offset < bytes.byteCount {
                let frame: Frame
                do { frame = try Frame(verifying: bytes.extracting(offset..<bytes.byteCount)) } catch {
                    throw ArchiveError.damaged("an event of \(chunk.replica)")
                }
                guard frame.id.replica == chunk.replica else {
                    throw ArchiveError.damaged(
                        "an event of another replica")
                }
                frames[frame.id.sequence] = bytes.extracting(offset..<offset + frame.length).toArray()
                offset += frame.length
            }
        }
        return frames
    }

    private static func head(
        _ bytes: RawSpan
    ) throws(ByteCodingError) -> (log: LogID, created: Int64, vector: VersionVector) {
        var reader = ByteReader()
        let log = LogID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
        let created = Int64(bitPattern: try reader.uint64(in: bytes))
        var vector = VersionVector()
        for _ in 0..<(try reader.count(in: bytes, limit: bytes.byteCount / 17)) {
            let replica = ReplicaID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
            vector[replica] = try reader.varint(in: bytes)
        }
        try reader.finish(in: bytes)
        return (log, created, vector)
    }

    private static func end(_ bytes: RawSpan) throws(ByteCodingError) -> (chunks: [ArchiveChunk], eventCount: Int) {
        var reader = ByteReader()
        var chunks: [ArchiveChunk] = []
        for _ in 0..<(try reader.count(in: bytes, limit: bytes.byteCount / 19)) {
            let replica = ReplicaID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
            let (first, last) = (try reader.varint(in: bytes), try reader.varint(in: bytes))
            let offset = try reader.count(in: bytes, limit: Int.max)
            guard first >= 1, first <= last else { throw .malformedVarint(offset: reader.offset) }
            chunks.append(ArchiveChunk(replica: replica, numbers: first...last, offset: offset))
        }
        let eventCount = try reader.count(in: bytes, limit: Int.max)
        try reader.finish(in: bytes)
        return (chunks, eventCount)
    }

    private static func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as ChunkedFile.Failure {
            switch error {
            case .otherForm: throw ArchiveError.notAnArchive
            case .damaged(let what): throw ArchiveError.damaged(what)
            }
        }
    }
}
