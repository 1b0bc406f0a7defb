import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRecords

/// Reads a snapshot file: see ``ChunkedFileReader``.
struct SnapshotReader {
    private let file: ChunkedFileReader
    let head: SnapshotHead
    let end: SnapshotEnd

    /// Opens the snapshot at `path` and reads its head and end. Cost: a few small reads.
    init(_ path: String) throws(SnapshotError) {
        (file, head, end) = try Self.translating {
            let file = try ChunkedFileReader(path, magic: SnapshotFormat.magic)
            do {
                return (
                    file, try file.head.withSpan { try SnapshotHead($0) }, try file.end.withSpan { try SnapshotEnd($0) }
                )
            } catch is ByteCodingError { throw SnapshotError.damaged("its description") }
        }
    }

    var information: SnapshotInformation {
        SnapshotInformation(
            hash: file.hash, log: head.log,
            vector: head.vector, created: head.created, byteCount: file.byteCount, kinds: end.kinds,
            residue: end.residue)
    }

    /// Reads the whole file and throws unless every byte is as written. Cost: about 1 GB/s.
    func verify() throws {
        try Self.translating { try file.verify() }
        try forEachChunk { _, _ in }
    }

    /// Yields the contents of the chunks between head and end, in order.
    func forEachChunk(_ body: (ChunkedFile.ChunkType, [UInt8]) throws -> Void) throws {
        do { try file.forEachChunk(of: SnapshotFormat.chunks, body) } catch let error as ChunkedFile.Failure {
            throw SnapshotError(error)
        }
    }

    /// Returns the chunk at `offset`, and advances `offset` to the next one; 0 means the first. Returns `nil` at the
    /// end.
    func nextChunk(at offset: inout Int) throws -> (type: ChunkedFile.ChunkType, content: [UInt8])? {
        do { return try file.nextChunk(at: &offset, of: SnapshotFormat.chunks) } catch let error as ChunkedFile.Failure
        {
            throw SnapshotError(error)
        }
    }

    private static func translating<Result>(_ body: () throws -> Result) throws(SnapshotError) -> Result {
        do { return try body() } catch let error as ChunkedFile.Failure { throw SnapshotError(error) } catch let error
            as SnapshotError
        { throw error } catch { throw .damaged("\(error)") }
    }
}

extension SnapshotError {
    fileprivate init(_ failure: ChunkedFile.Failure) {
        switch failure {
        case .otherForm: self = .notASnapshot
        case .damaged(let what): self = .damaged(what)
        }
    }
}
