import EventLog
import Events
import Foundation

/// A log of two replicas with long and short events, closed; tests change copies of its bytes.
struct IntactLog: Sendable {
    let store: TestLog
    let pages: LivePages
    let contents: Contents
    let report: LogReport

    init(_ count: Int = 400, sizes: Sizes = .mixed) throws {
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

    /// What has to hold for every report: what is there and what is missing are together what there was.
    func accounts(for report: LogReport) -> Bool {
        report.events + report.missing.reduce(0) { $0 + $1.count } == UInt64(contents.ids.count)
    }
}
