import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogRepair

/// A log of two replicas with long and short events, closed; tests change copies of its bytes.
struct IntactLog: Sendable {
    let store: TestLog
    let pages: LivePages
    let contents: Contents
    let report: LogReport

    init(_ count: Int = 560, sizes: Sizes = .few) throws {
        store = try TestLog()
        let peer = try TestLog()
        try peer.append(count / 2, sizes: sizes, as: ReplicaID(high: 1, low: 9))
        let frames = try Contents(of: peer.log).frames
        var copied = 0
        while copied < frames.count {
            // Batches of seven stay whole.
            let part = frames[copied..<min(copied + 49, frames.count)]
            try store.append(count / 8, sizes: sizes)
            copied += try store.log.append(copying: Array(part), arrival: .test(copied))
        }
        try store.log.sealPending()
        contents = try Contents(of: store.log)
        try store.log.close()
        pages = try LivePages(path: store.path)
        report = try LogVerifier.verify(path: store.path)
    }

    /// What the verifier says of these bytes.
    func verify(_ bytes: [UInt8]) throws -> LogReport {
        let path = store.folder.appending(path: "damaged-\(UUID().uuidString).mdb").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(bytes).write(to: URL(filePath: path))
        return try LogVerifier.verify(path: path)
    }

    /// What the verifier says when `change` has been made to the bytes of the file.
    func verify(_ change: (inout [UInt8]) -> Void) throws -> LogReport {
        var bytes = pages.bytes
        change(&bytes)
        return try verify(bytes)
    }

    /// The events at `positions`, as ranges.
    func ranges(at positions: some Sequence<UInt64>) -> [EventRange] {
        var ranges: [EventRange] = []
        for id in positions.map({ contents.ids[Int($0) - 1] }).sorted() {
            if let last = ranges.last, last.replica == id.replica, last.last + 1 == id.sequence {
                ranges[ranges.count - 1] = EventRange(id.replica, last.first, through: id.sequence)
            } else {
                ranges.append(EventRange(id.replica, id.sequence, through: id.sequence))
            }
        }
        return ranges
    }

    /// What has to hold for every report: what is there and what is missing are together what there was.
    func accounts(for report: LogReport) -> Bool {
        report.events + report.missing.reduce(0) { $0 + $1.count } == UInt64(contents.ids.count)
    }
}

/// A copy of an intact log in which one bit after the other is flipped, and back.
final class FlippedCopy {
    private let path: String
    private let file: FileHandle
    private let bytes: [UInt8]

    init(_ intact: IntactLog) throws {
        bytes = intact.pages.bytes
        path = intact.store.folder.appending(path: "flipped-\(UUID().uuidString).mdb").path
        try Data(bytes).write(to: URL(filePath: path))
        file = try FileHandle(forUpdating: URL(filePath: path))
    }

    deinit {
        try? file.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// What the verifier says with this one bit flipped.
    func verify(flipping bit: Int, at offset: Int) throws -> LogReport {
        try write(bytes[offset] ^ (1 << UInt8(bit)), at: offset)
        defer { try? write(bytes[offset], at: offset) }
        return try LogVerifier.verify(path: path)
    }

    private func write(_ byte: UInt8, at offset: Int) throws {
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data([byte]))
    }
}
