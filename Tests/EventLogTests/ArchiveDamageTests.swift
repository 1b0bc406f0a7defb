import Foundation
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLogFormat
import Testing

@testable import GroundwaveEventLog

@Suite struct `An archive that says what cannot be` {
    @Test(arguments: [(UInt64(0), UInt64(0)), (0, 3), (3, 2)])
    func `of the numbers of a part is damaged`(first: UInt64, last: UInt64) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "groundwave-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let replica = ReplicaID(high: 1, low: 1)
        var bytes: [UInt8] = []
        var file = try ChunkedFileWriter(magic: 0x3141_5747) { bytes += $0 }
        var head = ByteWriter()
        head.append(LogID(high: 1, low: 2))
        head.append(littleEndian: Int64(0))
        head.append(varint: 0)
        try file.append(.head, head.bytes)
        let offset = try file.append(.events, [])
        var end = ByteWriter()
        end.append(varint: 1)
        end.append(replica)
        end.append(varint: first)
        end.append(varint: last)
        end.append(varint: offset)
        end.append(varint: 0)
        _ = try file.finish(end.bytes)
        try Data(bytes).write(to: URL(filePath: path))
        #expect(throws: ArchiveError.self) { try ArchiveReader(path).verify() }
    }
}
