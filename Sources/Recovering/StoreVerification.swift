import Foundation
import GroundwaveAuditing
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogRepair
import GroundwaveMDBPages
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveRecovery
import GroundwaveStore

/// The result of a verification.
public struct StoreVerification: Sendable {
    /// Damage that was found.
    public struct Damage: Hashable, Sendable {
        /// The code for scripts: that of the damage of a log, or `views`, `identity`, `snapshot`,
        /// `archive`.
        public let what: String
        /// The replica whose events are affected.
        public let replica: ReplicaID?
        /// The number of the first affected event.
        public let first: SequenceNumber?
        /// The number of the last affected event.
        public let last: SequenceNumber?
        /// A description for people.
        public let detail: String

        init(what: String, replica: ReplicaID?, first: SequenceNumber?, last: SequenceNumber?, detail: String) {
            self.what = what
            self.replica = replica
            self.first = first
            self.last = last
            self.detail = detail
        }

        /// Returns the damage of an archive, with the events that cannot be read if these are known.
        fileprivate static func all(ofArchive error: StoreError) -> [Self] {
            guard case .damagedEvents(let ranges)? = error.cause as? ArchiveError else {
                return [Self(what: "archive", replica: nil, first: nil, last: nil, detail: error.message)]
            }
            return ranges.map { range in
                Self(
                    what: "archive", replica: range.replica, first: range.first, last: range.last,
                    detail: "a part of the archive is damaged: the values of these events cannot be read from this copy"
                )
            }
        }

        init(_ damage: LogDamage) {
            self.init(
                what: damage.what.rawValue, replica: damage.replica, first: damage.first, last: damage.last,
                detail: damage.detail)
        }
    }

    /// The number of events that are here and intact.
    public internal(set) var events: UInt64
    /// Each replica, the number of its intact events, and the root of the tree over them if none is lost.
    public internal(set) var replicas: [(replica: ReplicaID, events: UInt64, root: Hash256?)]
    /// The lost events that the log once had, in order, as far as they can be determined.
    public internal(set) var missing: [EventRange] = []
    /// The number of events in the archives that were checked too, if all of these are intact.
    public internal(set) var archivedEvents: Int?
    /// The damage that was found.
    public internal(set) var damage: [Damage]
    /// The comparison of the views with a new fold, if it was requested and the log is intact.
    public internal(set) var comparison: ReplayReport?

    /// Whether no damage was found.
    public var isOK: Bool { damage.isEmpty }
}

extension Store {
    /// Verifies the store in the folder at `url` without opening it. Reads its log and views page by page, so that no
    /// damage can end the process, and every snapshot to its end. Writes nothing to the store.
    ///
    /// A damaged snapshot is reported although no event is lost with it; so are damaged views, although the next open
    /// rebuilds them. Views that were built before the machine started are skipped, since no open would trust them. A key that is
    /// encrypted with the secret of a keychain is not verified.
    ///
    /// - Parameters:
    ///   - isDeep: Whether to fold an intact log again in a temporary folder, compare the result with the present
    ///     views, and report unfinished erasures.
    ///   - archives: Files of archives, checked together with the log: their values must match the hashes in the log
    ///     and, if `isDeep`, the archive snapshot must match the fold of their events.
    ///   - kinds: The application's own kinds of record, for that fold.
    ///   - components: The parts of the library that the application uses, for that fold.
    ///   - stateFolder: The state folder of this device; the default one if not given. Damage is recorded there, so
    ///     that the next open checks every page.
    /// - Throws: ``StoreError`` with code `notFound` if there is no store, `recovering` if it waits in recovery,
    ///   `damaged` if its log is missing, the code for the system error if the log cannot be opened. Other damage is
    ///   not thrown.
    public static func verify(
        at url: URL, isDeep: Bool = false, archives: [String] = [], kinds: [any RecordKind.Type] = [],
        components: [StoreComponent] = [], stateFolder: URL? = nil
    ) async throws -> StoreVerification {
        let files = StoreFiles(url)
        if let record = FailureRecord.read(RecoveryFiles(files.folder).failure) {
            throw StoreError(
                .recovering,
                "The store is waiting for recovery: \(record.message). What was salvaged is already verified.",
                hint: "To see what can be done: \(.showRecovery)")
        }
        guard files.exists else { throw StoreFiles.noStore(in: files.folder) }
        try files.checkThatLogIsThere()
        var verification = StoreVerification(events: 0, replicas: [], damage: [], comparison: nil)
        do {
            let report = try LogVerifier.verify(path: files.log)
            verification.events = report.events
            verification.replicas = report.replicas.map { ($0.replica, $0.events, $0.root) }
            verification.missing = report.missing
            verification.damage = report.damage.map { StoreVerification.Damage($0) }
            // A log that others change too fast to be read is not damaged.
            if report.isSettled, report.damage.contains(where: { $0.what != .lostRange }) {
                OpenMark.suspect(files.folder, in: stateFolder ?? Incarnation.defaultStateFolder)
            }
        } catch let error as PageFileError {
            throw StoreError(pageFile: error, path: files.log)
        }
        if !files.isKeyOfAnotherProgram {
            do { _ = try files.readIdentity() } catch let error as StoreError {
                verification.damage.append(
                    .init(what: "identity", replica: nil, first: nil, last: nil, detail: error.message))
            }
        }
        let damagedViews = damagedViews(files)
        if !damagedViews.isEmpty {
            OpenMark.suspect(files.folder, in: stateFolder ?? Incarnation.defaultStateFolder)
        }
        // After any damage, the deeper checks would be meaningless.
        if isDeep, verification.isOK, damagedViews.isEmpty {
            try await verifyViews(
                url, Configuration(kinds: kinds, components: components, isReadOnly: true), &verification)
        }
        if verification.isOK, !archives.isEmpty {
            try await verify(
                url, files, archives,
                Configuration(kinds: kinds, components: components, isReadOnly: true, archives: archives), &verification
            )
        }
        verification.damage += damagedViews + damagedSnapshots(files)
        return verification
    }

    /// Checks a copy of the log that has the archived values too: each must match the hash in its event.
    private static func verify(
        _ url: URL, _ files: StoreFiles, _ archives: [String], _ configuration: Configuration,
        _ verification: inout StoreVerification
    ) async throws {
        let filled = try await describing(files) {
            var options = Environment.Options()
            options.isReadOnly = true
            let log = try EventLog(opening: files.log, options: options)
            var count = 0
            for path in archives {
                do {
                    let archive = try Archives([path], of: log.id)
                    try archive.verify()
                    count += archive.eventCount
                } catch let error as StoreError
                    where error.code == .damaged
                {
                    verification.damage += StoreVerification.Damage.all(ofArchive: error)
                }
            }
            guard verification.isOK else { return nil as FilledLog? }
            verification.archivedEvents = count
            return try FilledLog(log, from: archives)
        }
        guard let filled else { return }
        let report = try LogVerifier.verify(path: filled.path)
        verification.damage += report.damage.map { StoreVerification.Damage($0) }
        guard verification.comparison != nil, case .ready(let store) = try await open(at: url, configuration) else {
            return
        }
        let digest = try store.digest().views
        try store.close()
        if digest != verification.comparison?.after.hash {
            verification.damage.append(
                .init(
                    what: LogDamage.What.base.rawValue, replica: nil, first: nil, last: nil,
                    detail: "the snapshot of archived history does not match the archived events"))
        }
    }

    private static func damagedViews(_ files: StoreFiles) -> [StoreVerification.Damage] {
        guard Views.areOfThisBoot(at: files.views), let words = Views.damage(at: files.views) else { return [] }
        let detail = "the views are damaged: \(words); no event is lost, and the next command rebuilds them"
        return [.init(what: "views", replica: nil, first: nil, last: nil, detail: detail)]
    }

    private static func damagedSnapshots(_ files: StoreFiles) -> [StoreVerification.Damage] {
        files.snapshots.compactMap { path in
            do {
                _ = try Snapshot.verify(at: path)
            } catch {
                // Another process may meanwhile delete a snapshot that is no longer needed.
                guard FileManager.default.fileExists(atPath: path) else { return nil }
                let detail =
                    "the snapshot \(URL(filePath: path).lastPathComponent) is \(words(for: error)); no event is lost: "
                    + "delete the snapshot, and replays start earlier"
                return .init(what: "snapshot", replica: nil, first: nil, last: nil, detail: detail)
            }
            return nil
        }
    }

    /// Call only for a log and views that were found intact, since this uses liblmdb.
    private static func verifyViews(
        _ url: URL, _ configuration: Configuration, _ verification: inout StoreVerification
    ) async throws {
        let store = try await open(at: url, configuration).whole
        let report = try store.compareWithReplay()
        let isErasing = try store.erasing.isPending()
        try store.close()
        if isErasing {
            verification.damage.append(
                .init(
                    what: LogDamage.What.withheld.rawValue, replica: nil, first: nil, last: nil,
                    detail: "values that were erased are still in the log; the next write removes them"))
        }
        verification.comparison = report
        if report.isSame { return }
        let detail =
            report.trouble.map { "the views are \($0)" }
            ?? (report.before == report.after
                ? "\(report.differing.joined(separator: ", ")) differ from those of a replay: replay makes them anew"
                : nil)
            ?? "the views do not match the log: their digest differs from that of a replay"
        verification.damage.append(.init(what: "views", replica: nil, first: nil, last: nil, detail: detail))
    }
}
