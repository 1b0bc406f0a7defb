import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRecords

extension Snapshot {
    /// Returns the bytes of the snapshot at `path`, which is of `log`, without the values of `events`: as if they had
    /// been withheld when it was written.
    ///
    /// - Throws: ``SnapshotError`` if it cannot be read.
    /// - Complexity: O(records).
    public static func bytes(of path: String, in log: EventLog, without events: EventSet) throws -> [UInt8] {
        let reader = try SnapshotReader(path)
        try reader.verify()
        var rewriter = try SnapshotRewriter(reader.head.names, log.runIndex(), events)
        try rewriter.file.append(.head, reader.head.bytes)
        try reader.forEachChunk { type, content in
            try rewriter.append(type, content)
        }
        _ = try rewriter.file.finish(reader.end.bytes)
        return rewriter.sink.bytes
    }
}

/// Copies the parts of a snapshot without some of the values.
private struct SnapshotRewriter {
    /// Collects the bytes written.
    final class Sink {
        var bytes: [UInt8] = []
    }

    let sink: Sink
    var file: ChunkedFileWriter
    private let names: Names
    private let runs: RunIndex
    private let events: EventSet

    init(_ names: Names, _ runs: RunIndex, _ events: EventSet) throws {
        self.names = names
        self.runs = runs
        self.events = events
        let sink = Sink()
        self.sink = sink
        file = try ChunkedFileWriter(magic: SnapshotFormat.magic) { sink.bytes += $0 }
    }

    mutating func append(_ type: ChunkedFile.ChunkType, _ content: [UInt8]) throws {
        do {
            switch type {
            case .records: try file.append(type, records(content))
            case .residue: try file.append(type, residue(content))
            // Blocks contain no items, and hence no values.
            default: try file.append(type, content)
            }
        } catch is ByteCodingError { throw SnapshotError.damaged("a part") } catch is RowError {
            throw SnapshotError.damaged("a record")
        } catch is FrameError { throw SnapshotError.damaged("an event") }
    }

    private func records(_ content: [UInt8]) throws -> [UInt8] {
        try content.withSpan { bytes in
            var start = ByteReader()
            let kind = try start.text(in: bytes)
            let count = try start.count(in: bytes, limit: RecordColumnsReader.limit)
            let columns = bytes.extracting(start.offset..<bytes.byteCount)
            var reader = try RecordColumnsReader(columns, count: count)
            var writer = RecordColumnsWriter()
            var state = RecordState()
            while let id = try reader.next(columns, into: &state, names: names, position: position) {
                state.withhold { events.contains(EventID(names.replicas[Int($0)], $1)) }
                writer.append(id, state, history: history(of: state))
            }
            var result = ByteWriter(capacity: content.count)
            result.append(text: kind)
            result.append(varint: count)
            result.append(contentsOf: writer.encode())
            return result.bytes
        }
    }

    private func position(_ replica: UInt32, _ sequence: SequenceNumber) -> Position {
        Int(replica) < names.replicas.count ? runs.position(of: names.replicas[Int(replica)], sequence) : 0
    }

    private func history(of state: RecordState) -> [(replica: UInt32, sequence: SequenceNumber)] {
        state.history.positions.compactMap { position in
            runs.event(at: position).flatMap { event in
                names.knownOrdinal(of: event.replica).map { (replica: $0, sequence: event.sequence) }
            }
        }
    }

    private func residue(_ content: [UInt8]) throws -> [UInt8] {
        try content.withSpan { bytes in
            var result = ByteWriter(capacity: content.count)
            var offset = 0
            while offset < bytes.byteCount {
                let rest = bytes.extracting(offset..<bytes.byteCount)
                let frame = try Frame(verifying: rest)
                if events.contains(frame.id) {
                    result.append(withholding: frame, in: rest, after: frame.previousChecksum)
                } else {
                    result.append(contentsOf: rest.extracting(0..<frame.length))
                }
                offset += frame.length
            }
            return result.bytes
        }
    }
}
