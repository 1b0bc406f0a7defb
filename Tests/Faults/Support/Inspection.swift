import Everything
import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import Testing

/// Looks at a store from outside: what its log holds, and whether its views say the same.
struct Inspection {
    /// How many events there are.
    var events = 0

    /// Opens the log, checks every frame, the chain, the sequences, and that the last batch is whole.
    static func log(of store: URL) throws -> Inspection {
        var inspection = Inspection()
        let log = try EventLog(opening: store.appending(path: "log.mdb").path)
        defer { try? log.close() }
        var previous: UInt32 = 0
        var expected: Position = 1
        var sequences: [ReplicaID: SequenceNumber] = [:]
        var rest = 0
        try log.scan(from: 1) { position, _, bytes in
            let frame = try Frame(verifying: bytes)
            #expect(position == expected, "positions have no gap")
            #expect(frame.previousChecksum == previous, "position \(position) goes on from another frame")
            let sequence = (sequences[frame.id.replica] ?? 0) + 1
            #expect(frame.id.sequence == sequence, "\(frame.id) comes after \(sequence - 1)")
            if rest > 0 { #expect(frame.rest == rest - 1, "a batch is torn before position \(position)") }
            rest = frame.rest
            sequences[frame.id.replica] = frame.id.sequence
            previous = frame.checksum(in: bytes)
            expected += 1
            inspection.events += 1
            return true
        }
        #expect(rest == 0, "the last batch is torn")
        #expect(try log.lastPosition() == expected - 1)
        #expect(try log.lastChecksum() == previous)
        for entry in try log.vector().entries {
            #expect(sequences[entry.replica] == entry.sequence, "the head of a replica is its last event")
        }
        return inspection
    }

    /// The digest that the store's own views have, and the one of a fold of its log that starts from nothing.
    static func digests(of url: URL) async throws -> (shown: ViewDigest, folded: ViewDigest) {
        let store = try await open(url)
        let shown = try store.read { try $0.digest() }
        let log = try EventLog(opening: url.appending(path: "log.mdb").path)
        let aside = FileManager.default.temporaryDirectory.appending(path: "groundwave-\(UUID().uuidString).mdb")
        defer { for end in ["", "-lock"] { try? FileManager.default.removeItem(atPath: aside.path + end) } }
        let views = Views(of: log, kinds: store.kinds, at: aside.path)
        try views.rebuild()
        let folded = try views.read { try $0.digest() }
        views.close()
        try store.close()
        return (shown, folded)
    }

    /// Opens a store, which is whole.
    static func open(_ url: URL) async throws -> Store {
        try await Store.open(at: url, .full()).whole
    }

    /// The records of an export, each as it came.
    static func exported(_ url: URL) throws -> [Data] {
        let outcome = try Program.groundwave("export", "--store", url.path)
        #expect(outcome.ended(0), "\(outcome.errors)")
        return records(in: outcome.data)
    }

    /// The records of an ADI file without its header.
    static func records(in file: Data) -> [Data] {
        var start = file.range(of: Data("<EOH>".utf8))?.upperBound ?? file.startIndex
        let end = Data("<EOR>".utf8)
        var records: [Data] = []
        while let found = file.range(of: end, in: start..<file.endIndex) {
            records.append(file[start..<found.upperBound])
            start = found.upperBound
        }
        return records
    }

    /// The numbers of the generated records among `records`, in their order.
    static func numbers(in records: [Data]) -> [Int] {
        records.compactMap { record in
            guard let name = record.range(of: Data("APP_TEST_NUMBER:".utf8)),
                let start = record.range(of: Data(">".utf8), in: name.upperBound..<record.endIndex)?.upperBound,
                let end = record.range(of: Data("<".utf8), in: start..<record.endIndex)?.lowerBound
            else { return nil }
            let text = String(decoding: record[start..<end], as: UTF8.self)
            return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}
