import Everything
import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents

/// What a person does with a damaged store: `recover FOLDER SEED`.
///
/// Opens it, logs something in the temporary store, has it restored, opens it again and logs again. It reports what
/// it logged and what failed, and tries again some times, like a person who restarts the program.
struct RecoverySession {
    private let folder: String
    private var generator: SeededGenerator

    init(_ folder: String, _ generator: SeededGenerator) {
        self.folder = folder
        self.generator = generator
    }

    private static let tries = 5

    /// The path of the log of the temporary store.
    static func temporaryLog(in folder: String) -> String {
        "\(StoreSession.path(in: folder))/recovery/temporary/log.mdb"
    }

    mutating func run() async {
        for _ in 0..<Self.tries {
            guard let store = await open() else { continue }
            await log("after", in: store, "\(StoreSession.path(in: folder))/log.mdb")
            do {
                try store.close()
                Witness.write(line: "a recover")
            } catch { Self.report(error, "close") }
            return
        }
    }

    /// The store, if it is ready; if not, does what can be done.
    private mutating func open() async -> Store? {
        let url = URL(filePath: StoreSession.path(in: folder))
        do {
            switch try await Store.open(at: url, StoreSession.configuration(in: folder)) {
            case .ready(let store): return store
            case .recovering(let recovery):
                Witness.write(line: "b recovering")
                await log("meanwhile", in: recovery.temporary, Self.temporaryLog(in: folder))
                do { try await recovery.stageRestore(from: .salvage) } catch { Self.report(error, "stage") }
                do { try recovery.temporary.close() } catch { Self.report(error, "close") }
                return nil
            }
        } catch {
            Self.report(error, "open")
            return nil
        }
    }

    /// Logs some contacts, and reports the acknowledged ones as promises.
    private mutating func log(_ word: String, in store: Store, _ path: String) async {
        do {
            let log = try EventLog(opening: path)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                var witness = Witness()
                try witness.pass(over: log)
                do {
                    _ = try await store.write { try $0.add(Contact("N0FLT", start: 1_700_000_000, mode: .cw)) }
                    try witness.report(of: log)
                } catch { Self.report(error, word) }
            }
        } catch { Self.report(error, word) }
    }

    static func report(_ error: any Error, _ word: String) {
        Witness.write(line: "x \(word) \("\(error)".split(whereSeparator: \.isNewline).joined(separator: " "))")
    }
}

/// Checks what must hold once recovery could run to its end: `check recovery FOLDER`.
///
/// The promises are what could be salvaged from the damaged file, and what was logged meanwhile. The file
/// `damaged.mdb` of FOLDER is the damaged log; it exists only if the damage can be detected.
struct RecoveryCheck {
    private let folder: String
    private let promises: Promises

    init(_ folder: String, _ promises: Promises) {
        self.folder = folder
        self.promises = promises
    }

    private var url: URL { URL(filePath: StoreSession.path(in: folder)) }

    func run() async throws {
        let store = try await ready()
        let leaves = try leaves(of: "\(url.path)/log.mdb")
        compare(with: leaves)
        guard try store.compareWithReplay().isSame else { throw Failure("the views are not what the log folds to") }
        let call = "N0END"
        let id = try await store.write { try $0.add(Contact(call, start: 1_700_000_000)) }.value
        if try store.read({ try $0.find(id) })?.call != call { wrong("what was written afterwards does not show") }
        try store.close()
        let verification = try await Store.verify(at: url, components: .all)
        for damage in verification.damage.filter({ $0.what != "hole" }).prefix(3) {
            wrong("after recovery: \(damage.what) \(damage.detail)")
        }
        try checkFiles(leaves, verification.missing)
    }

    /// Continues recovery until the store is ready.
    private func ready() async throws -> Store {
        for _ in 0..<4 {
            switch try await Store.open(at: url, StoreSession.configuration(in: folder)) {
            case .ready(let store): return store
            case .recovering(let recovery):
                var witness = Witness()
                let log = try EventLog(opening: RecoverySession.temporaryLog(in: folder))
                try witness.pass(over: log)
                _ = try await recovery.temporary.write { try $0.add(Contact("N0FLT", start: 1_700_000_060)) }
                try witness.report(of: log)
                if let trouble = recovery.trouble { throw Failure("nothing was prepared: \(trouble)") }
                try await recovery.stageRestore(from: .salvage)
                try recovery.temporary.close()
            }
        }
        throw Failure("recovery does not come to an end")
    }

    /// The hash of each event in the log, by its name.
    private func leaves(of path: String) throws -> [String: String] {
        let log = try EventLog(opening: path)
        var leaves: [String: String] = [:]
        var hasher = MerkleHasher()
        try log.scan(from: 1) { _, frame, bytes in
            if !frame.isLost {
                leaves["\(frame.id.replica) \(frame.id.sequence)"] = String(
                    hasher.leaf(of: frame, in: bytes).prefix, radix: 16)
            }
            return true
        }
        return leaves
    }

    private func compare(with leaves: [String: String]) {
        var missing: [Promises.Event] = []
        for event in promises.events {
            guard let leaf = leaves["\(event.replica) \(event.sequence)"] else {
                missing.append(event)
                continue
            }
            if leaf != event.leaf { wrong("event \(event.sequence) of \(event.replica) is another one") }
        }
        if let first = missing.first {
            Witness.write(
                line: "l \(missing.count) of \(promises.events.count), first \(first.replica) \(first.sequence)")
        }
    }

    private func checkFiles(_ leaves: [String: String], _ missing: [EventRange]) throws {
        for name in ["recovery", "ContainerInitFailure.json"]
        where FileManager.default.fileExists(atPath: "\(url.path)/\(name)") {
            wrong("\(name) is left behind")
        }
        let status = try Store.recoveryStatus(at: url)
        guard let damaged = FileManager.default.contents(atPath: "\(folder)/damaged.mdb") else {
            if status.state != .whole { wrong("it is \(status.state), and nothing of its log was damaged") }
            return
        }
        let backups = url.appending(path: "EmergencyBackup").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: backups)) ?? []
        let copies = names.compactMap { FileManager.default.contents(atPath: "\(backups)/\($0)/log.mdb") }
        if copies.isEmpty { wrong("the damaged file is nowhere") }
        for copy in copies where copy != damaged { wrong("a file in EmergencyBackup is not the damaged one") }
        guard status.state == .recovered, let receipt = status.receipt else { return wrong("there is no receipt") }
        // The appended events are those that the bench saw in the intact log, whatever the receipt reports.
        let appended = try Promises(readingFrom: "\(folder)/appended").events
        let there = appended.count { leaves["\($0.replica) \($0.sequence)"] == $0.leaf }
        if receipt.recovered != there {
            wrong("the receipt says \(receipt.recovered) recovered, and \(there) are there")
        }
        let told = Int(receipt.recovered + receipt.lostCount)
        if receipt.isAtLeast ? told > appended.count : told != appended.count {
            wrong(
                "recovered \(receipt.recovered) + lost \(receipt.lostCount) is not the \(appended.count) that were appended"
            )
        }
        if missing != receipt.lost {
            wrong("the log lacks \(missing.count) ranges, the receipt says \(receipt.lost.count)")
        }
    }

    private func wrong(_ words: String) { Witness.write(line: "w \(words)") }
}
