import Everything
import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveLogRepair
import GroundwaveProjections
import Synchronization

/// Checks what must hold after any fault: opens what is left, compares it with the promises, and reports what it
/// found.
///
/// `check lean|unread|store FOLDER`: the promises are in the file `promises` of FOLDER.
struct Check {
    /// The current stage, for the line that reports an error.
    static let stage = Mutex("opening")

    let folder: String
    let promises: Promises

    init(_ folder: String) throws {
        self.folder = folder
        promises = try Promises(readingFrom: "\(folder)/promises")
    }

    /// The log alone.
    func lean() throws {
        let path = LeanSession.path(in: folder)
        guard FileManager.default.fileExists(atPath: path) else {
            if promises.isCreated || !promises.events.isEmpty { lost(promises.events.count, "the log is not there") }
            return Witness.write("z\nZ\n")
        }
        guard try isSound(path) else { return try compare(withSalvageOf: path) }
        let log = try EventLog(opening: path)
        try compare(with: log)
        var witness = Witness()
        try witness.tellAgain(of: log, then: "a create")
        var generator = SeededGenerator(try log.lastPosition())
        _ = try log.append([LeanSession.draft(&generator)], as: LeanSession.replica, arrival: .now())
        try witness.report(of: log)
        try log.close()
    }

    /// The log alone, opened read-only.
    func unread() throws {
        let path = LeanSession.path(in: folder)
        guard FileManager.default.fileExists(atPath: path) else { return Witness.write("z\nZ\n") }
        guard try isSound(path) else { return try compare(withSalvageOf: path) }
        let log = try EventLog(opening: path, options: Environment.Options(isReadOnly: true))
        try compare(with: log)
        try log.close()
        Witness.write("z\nZ\n")
    }

    private func isSound(_ path: String) throws -> Bool {
        let report = try LogVerifier.verify(path: path)
        for damage in report.damage.prefix(5) { wrong("verify: \(damage.what) \(damage.detail)") }
        return report.damage.isEmpty
    }

    /// The whole store.
    func store() async throws {
        let url = URL(filePath: StoreSession.path(in: folder))
        guard let store = try await opened() else { return }
        guard try isSound(url.appending(path: "log.mdb").path) else { return }
        // The same open file as the store's.
        let log = try EventLog(opening: url.appending(path: "log.mdb").path)
        try compare(with: log)
        Self.stage.withLock { $0 = "looking at files" }
        let isArchived = try log.base() != nil
        checkKey(of: store)
        try checkFiles(of: store)
        Self.stage.withLock { $0 = "folding anew" }
        guard try store.compareWithReplay().isSame else { return wrong("the views are not what the log folds to") }
        var witness = Witness()
        try witness.tellAgain(of: log, then: "a create")
        Self.stage.withLock { $0 = "writing" }
        let call = "N0AFT"
        let id = try await store.write { try $0.add(Contact(call, start: 1_700_000_000)) }.value
        try witness.report(of: log)
        if try store.read({ try $0.find(id) })?.call != call { wrong("what was written afterwards does not show") }
        try store.close()
        Self.stage.withLock { $0 = "verifying" }
        try await verify(url, isArchived: isArchived)
    }

    /// The store, created now if that had not completed; `nil` if it is in recovery, which is reported.
    func opened() async throws -> Store? {
        let url = URL(filePath: StoreSession.path(in: folder))
        let isThere = ["log.mdb", "identity"].contains {
            FileManager.default.fileExists(atPath: url.appending(path: $0).path)
        }
        do {
            switch try await Store.open(at: url, StoreSession.configuration(in: folder)) {
            case .ready(let store): return store
            case .recovering(let recovery):
                wrong(StoreSession.words(of: recovery))
                try recovery.temporary.close()
                try compare(withSalvageOf: Self.damagedLog(of: url))
                return nil
            }
        } catch {
            guard !promises.isCreated else { throw error }
            // Creating it never returned, so it must be possible to create it now.
            if isThere { Witness.write(line: "x open-unmade \(StoreSession.words(error))") }
            return try await Store.create(at: url, StoreSession.configuration(in: folder))
        }
    }

    /// The path of the log of a store in recovery, which recovery may have moved.
    private static func damagedLog(of url: URL) -> String {
        let backups = url.appending(path: "EmergencyBackup")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: backups.path)) ?? []
        let paths = names.sorted().map { backups.appending(path: "\($0)/log.mdb").path }
        return paths.last { FileManager.default.fileExists(atPath: $0) } ?? url.appending(path: "log.mdb").path
    }

    /// Verifies everything, with the archives that the log needs, and reports which these are.
    private func verify(_ url: URL, isArchived: Bool) async throws {
        var archives = promises.archives
        if !isArchived {
            if !archives.isEmpty, promises.unsure.isDisjoint(with: ["restore", "clear"]) {
                wrong("what was archived is back")
            }
            Witness.write(line: "a restore")
            archives = []
        }
        // An archive that was being made is needed if the log was rewritten already.
        let pending = promises.pendingArchives.filter { FileManager.default.fileExists(atPath: $0) }
        for choice in (0..<(1 << min(pending.count, 4))).reversed() where isArchived && !pending.isEmpty {
            let more = pending.indices.filter { choice >> $0 & 1 == 1 }.map { pending[$0] }
            guard
                let verification = try? await Store.verify(
                    at: url, isDeep: true, archives: archives + more, components: .all),
                verification.isOK
            else { continue }
            for path in more { Witness.write(line: "a archive \(path)") }
            for path in pending where !more.contains(path) { try? FileManager.default.removeItem(atPath: path) }
            return
        }
        let verification = try await Store.verify(at: url, isDeep: true, archives: archives, components: .all)
        for damage in verification.damage.prefix(5) { wrong("verify --deep: \(damage.what) \(damage.detail)") }
    }

    /// The archives that must exist: those that were certainly not restored.
    private var archives: [String] { promises.unsure.contains("restore") ? [] : promises.archives }

    /// The author of the promised events can still sign; otherwise no other store would ever accept them.
    private func checkKey(of store: Store) {
        let writers = Set(promises.events.map(\.replica))
        guard !writers.isEmpty, !promises.unsure.contains("clear"), let replica = store.replica else { return }
        if !writers.contains("\(replica)") {
            wrong("the key of \(writers.sorted().joined(separator: ", ")) is lost: the store has \(replica)")
        }
    }

    private func checkFiles(of store: Store) throws {
        for archive in archives where !FileManager.default.fileExists(atPath: archive) {
            wrong("the archive \(archive) is not there")
        }
        // Their existence is not promised: maintenance prunes them.
        for snapshot in store.snapshots() {
            if let trouble = snapshot.trouble { wrong("the snapshot \(snapshot.file) is \(trouble)") }
            do { _ = try store.verifySnapshot(snapshot.file) } catch { wrong("\(error)") }
        }
    }

    /// An event, and what of it can be compared.
    private struct Name: Hashable {
        var replica: String
        var sequence: UInt64
    }
    private typealias Present = [Name: (leaf: String, isWithheld: Bool)]

    /// Compares each promised event with the event of the same name in the log.
    private func compare(with log: EventLog) throws {
        var present: Present = [:]
        var hasher = MerkleHasher()
        try log.scan(from: 1) { _, frame, bytes in
            present[Name(replica: "\(frame.id.replica)", sequence: frame.id.sequence)] = (
                String(hasher.leaf(of: frame, in: bytes).prefix, radix: 16), frame.isWithheld
            )
            return true
        }
        compare(with: present)
    }

    /// Compares each promised event with what can be salvaged from a damaged log; the rest is lost.
    private func compare(withSalvageOf path: String) throws {
        var present: Present = [:]
        var hasher = MerkleHasher()
        if FileManager.default.fileExists(atPath: path) {
            try Salvage(path: path).forEachEvent { frame, bytes in
                if frame.isLost { return }
                present[Name(replica: "\(frame.id.replica)", sequence: frame.id.sequence)] = (
                    String(hasher.leaf(of: frame, in: bytes.span.bytes).prefix, radix: 16), frame.isWithheld
                )
            }
        }
        compare(with: present)
    }

    private func compare(with present: Present) {
        let unsure = promises.unsure
        // An empty log is one of the two states that an interrupted clear may leave.
        let isEmptied = !promises.events.contains { present[Name(replica: $0.replica, sequence: 1)] != nil }
        if unsure.contains("clear"), isEmptied { return }
        var missing = 0
        for event in promises.events {
            guard let found = present[Name(replica: event.replica, sequence: event.sequence)] else {
                missing += 1
                continue
            }
            if found.leaf != event.leaf {
                wrong("event \(event.sequence) of \(event.replica) is another one")
            } else if found.isWithheld != event.isWithheld {
                // An erasure by others arrives with their events.
                let reasons: Set = found.isWithheld ? ["erase", "archive", "sync", "bundle"] : ["restore"]
                if unsure.isDisjoint(with: reasons) {
                    wrong("the values of event \(event.sequence) are \(found.isWithheld ? "gone" : "back")")
                }
            }
        }
        if missing > 0 { lost(missing, "of \(promises.events.count)") }
    }

    /// Reports whether a store that no process opens for writing is intact.
    static func look(at folder: String) async {
        do {
            let verification = try await Store.verify(
                at: URL(filePath: StoreSession.path(in: folder)), components: .all)
            for damage in verification.damage.prefix(5) {
                Witness.write(line: "w look: \(damage.what) \(damage.detail)")
            }
            Witness.write(line: verification.isOK ? "a look" : "x look damaged")
        } catch {
            Witness.write(line: "x look \(error)")
        }
    }

    private func lost(_ count: Int, _ words: String) { Witness.write("l \(max(count, 1)) \(words)\n") }
    private func wrong(_ words: String) { Witness.write(line: "w \(words)") }
}
