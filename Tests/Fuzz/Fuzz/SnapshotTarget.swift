import Foundation
import GroundwaveByteCoding
import GroundwaveCompression
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRadio
import GroundwaveRecords

@testable import GroundwaveProjections

extension Target {
    /// Snapshots: as they are; and the parts of one, each made a whole part by the target.
    static let snapshot = Target(name: "snapshot", byteLimit: 8192) { input in
        guard let mode = input.first else { return }
        let bytes = Array(input.dropFirst())
        let isMade = mode & 1 == 1
        MemoryFile.shared.fill(isMade ? chunkedFile(bytes, magic: SnapshotFormat.magic) : bytes)
        let path = MemoryFile.shared.path
        let verified = try? Snapshot.verify(at: path)
        if verified != nil {
            require(verified == (try? Snapshot.information(at: path)), "a snapshot that is whole says what it is")
        }
        guard let reader = try? SnapshotReader(path) else {
            return require(verified == nil, "what cannot be opened is not whole")
        }
        require(
            (try? SnapshotHead(reader.head.bytes.span.bytes))?.bytes == reader.head.bytes,
            "a head is read as it is written")
        require((try? SnapshotEnd(reader.end.bytes.span.bytes)) == reader.end, "an end is read as it is written")
        let derivations = KnownDerivations(DerivationDirectory(of: kinds), kinds)
        var rows = SnapshotRows(of: reader, kinds: kinds, derivations, emptyRuns)
        try? rows.pass(through: nil) { key, row, _, _ in
            var state = RecordState()
            mustNotThrow("a record of a snapshot makes a row that can be read") {
                try state.decode(row, names: reader.head.names, keyChecksum: key.withSpan { CRC32C.checksum($0) })
            }
            checkRow(state, reader.head.names)
        }
    }

    /// Archives in the same way.
    static let archive = Target(name: "archive", byteLimit: 8192) { input in
        guard let mode = input.first else { return }
        let bytes = Array(input.dropFirst())
        MemoryFile.shared.fill(mode & 1 == 1 ? chunkedFile(bytes, magic: 0x3141_5747) : bytes)
        guard var reader = try? ArchiveReader(MemoryFile.shared.path) else { return }
        let isWhole = (try? reader.verify()) != nil
        var found: UInt64 = 0
        for entry in reader.information.vector.entries.prefix(4) {
            for number in 1...min(entry.sequence, 64) {
                let event = EventID(entry.replica, number)
                guard let bytes = try? reader.frame(of: event) else { continue }
                found += 1
                let id = (try? Frame(verifying: bytes.span.bytes))?.id
                require(id == event, "an archive hands out the event that was asked for")
            }
        }
        require(!isWhole || found <= UInt64(reader.information.eventCount), "a whole archive has no more than it says")
    }

    private static let emptyRuns: RunIndex = mustNotThrow("a log can be made") {
        let folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let made = try EventLog.create(at: folder.appending(path: "log.mdb").path, id: Target.log, epoch: 3)
        defer { try? made.close() }
        return try made.runIndex()
    }

    /// A file of the parts that `bytes` describe: of each part its type and the number of its bytes, then these. The first
    /// one is the head, the last one the end.
    static func chunkedFile(_ bytes: [UInt8], magic: UInt32) -> [UInt8] {
        var dice = Dice(bytes)
        var parts: [(type: ChunkedFile.ChunkType, content: [UInt8])] = []
        while !dice.isAtEnd, parts.count < 16 {
            let type = ChunkedFile.ChunkType(rawValue: UInt8(dice.number(below: 6))) ?? .records
            parts.append((type, dice.bytes(min(dice.uint16(), 8192))))
        }
        var file: [UInt8] = []
        return mustNotThrow("a file can be made in memory") {
            let sink = Sink()
            var writer = try ChunkedFileWriter(magic: magic) { sink.bytes += $0 }
            for (place, part) in parts.enumerated() where place < parts.count - 1 {
                try writer.append(place == 0 ? .head : part.type, part.content)
            }
            _ = try writer.finish(parts.last?.content ?? [])
            file = sink.bytes
            return file
        }
    }

    private final class Sink {
        var bytes: [UInt8] = []
    }
}
