import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

/// Writes to a log and nothing else, so that many sessions fit into a second.
///
/// `lean FOLDER SEED BATCHES SORT`: creates or opens the log in the folder `disk` of FOLDER, and appends batches of 1
/// to 20 events of 40 to 400 bytes, 3 % of them 2.5 to 9 KiB, so that some lie on overflow pages.
struct LeanSession {
    /// How the log is written and checked.
    enum Sort: String {
        case durable
        /// Control: nothing is flushed.
        case unflushed
        /// Control: durable batches, but afterwards the log is only read, so that trailing commits are not replayed.
        case unread
    }

    static let replica = ReplicaID(high: 0x6772_6F75_6E64, low: 0x7761_7665)
    static func path(in folder: String) -> String { "\(folder)/disk/log.mdb" }

    let folder: String
    let sort: Sort
    var generator: SeededGenerator
    var witness = Witness()

    mutating func run(batches: Int) {
        guard var log = open() else { return }
        var done = 0
        while done < batches {
            let group = generator.chance(0.1) ? 3 : 1
            append(group, to: log)
            done += group
            if generator.chance(0.04) {
                guard attempt("close", { try log.close() }), let next = open() else { return }
                log = next
            }
        }
        attempt("close") { try log.close() }
    }

    private mutating func open() -> EventLog? {
        var options = Environment.Options()
        options.synchronous = sort != .unflushed
        let path = Self.path(in: folder)
        var opened: EventLog?
        let isNew = !FileManager.default.fileExists(atPath: path)
        Witness.write(line: "b \(isNew ? "create" : "open")")
        attempt(isNew ? "create" : "open") {
            opened =
                isNew
                ? try EventLog.create(at: path, id: LogID(high: 1, low: 1), epoch: 1, options: options)
                : try EventLog(opening: path, options: options)
            if let opened { try witness.pass(over: opened) }
        }
        if opened != nil { Witness.write(line: "a \(isNew ? "create" : "open")") }
        return opened
    }

    private mutating func append(_ count: Int, to log: EventLog) {
        let drafts = (0..<count).map { _ in Self.draft(&generator) }
        attempt("append") {
            _ = try log.append(drafts, as: Self.replica, arrival: .now())
            try witness.report(of: log)
        }
    }

    static func draft(_ generator: inout SeededGenerator) -> DraftBatch {
        var draft = DraftBatch()
        for _ in 0..<Int.random(in: 1...20, using: &generator) {
            let size = generator.chance(0.03) ? 2_560...9_216 : 40...400
            let bytes = generator.bytes(Int.random(in: size, using: &generator))
            draft.append(shape: { _ in }, values: { $0.append(contentsOf: bytes.span.bytes) })
        }
        return draft
    }

    /// Runs `body`; reports what it throws, and continues as an application would.
    @discardableResult
    private func attempt(_ word: String, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            Witness.write(line: "x \(word) \(error)")
            return false
        }
    }
}
