import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveLogRepair
import GroundwaveMDBPages
import GroundwaveRecovery
import GroundwaveStore

/// Whether a store waits in recovery, and what was recovered last.
public struct RecoveryStatus: Sendable {
    /// The state of a store with respect to recovery.
    public enum State: String, Sendable {
        /// The store was never damaged, as far as is known.
        case whole
        /// Its log is damaged; the next open preserves the damaged file and begins the recovery.
        case damaged
        /// It waits for a decision.
        case waiting
        /// A decision was made; the next open carries it out.
        case staged
        /// It was damaged once, and was recovered or reset.
        case recovered

        /// Whether its log is damaged and not restored yet.
        public var isDamaged: Bool {
            switch self {
            case .damaged, .waiting, .staged: true
            case .whole, .recovered: false
            }
        }
    }

    /// The state of the store.
    public let state: State
    /// Why it waits, or what is wrong; `nil` if nothing is.
    public internal(set) var failure: Recovery.Failure?
    /// The newest snapshot, while the store waits.
    public let snapshot: Recovery.SnapshotContents?
    /// The decision that was made; `nil` if none was.
    public let staged: String?
    /// What was recovered from the damaged file: as prepared while the store waits, else by the last recovery.
    public let receipt: RecoveryReceipt?
    /// The events that are still lost: after a recovery, those that no store has brought back yet.
    public let lost: [EventRange]
    /// The stores known to have such events, by their last manifests.
    public internal(set) var peers: [EventRange: [ReplicaID]] = [:]
}

extension RecoveryStatus {
    /// Creates the status of a store that waits, or for which a decision was made.
    fileprivate init(waiting record: FailureRecord?, choice: Choice?, _ files: StoreFiles) {
        let receipt = Receipt.read(RecoveryFiles(files.folder).restoredReceipt).map { RecoveryReceipt($0) }
        self.init(
            state: choice == nil ? .waiting : .staged, failure: record.map { Recovery.Failure($0) },
            snapshot: record?.snapshot.map { .init(id: $0.id, at: $0.at, contacts: $0.qsos) },
            staged: choice?.way.rawValue, receipt: receipt, lost: receipt?.lost ?? [])
        notePeers(files)
    }

    /// Creates a status with the results of the last recovery, if there was one.
    fileprivate init(lastOf files: StoreFiles, state: State) {
        let receipt = RecoveryFiles(files.folder).lastReceipt
        let lost = receipt.map { receipt in
            (try? LogVerifier.lostRanges(path: files.log)) ?? receipt.lost.compactMap(\.events)
        }
        self.init(
            state: state, failure: nil, snapshot: nil, staged: nil, receipt: receipt.map { RecoveryReceipt($0) },
            lost: lost ?? [])
        notePeers(files)
    }

    /// Adds the stores that have the lost events, by their manifests.
    fileprivate mutating func notePeers(_ files: StoreFiles) {
        let manifests = Witnesses.manifests(files)
        let own = try? files.readIdentity().replica
        for range in lost {
            peers[range] = manifests.filter {
                $0.store != range.replica && $0.store != own && $0.vector[range.replica] >= range.last
            }.map(\.store)
        }
    }
}

extension Store {
    /// Returns whether the store in the folder at `url` is damaged or waits in recovery, and what was recovered last.
    /// Nothing is changed.
    ///
    /// - Parameter stateFolder: The state folder of this device; the default one if not given.
    /// - Throws: ``StoreError`` with code `notFound` if there is no store.
    /// - Complexity: That of a check of every page, if there is a reason for one.
    public static func recoveryStatus(at url: URL, stateFolder: URL? = nil) throws -> RecoveryStatus {
        try recoveryStatus(of: StoreFiles(url), stateFolder: stateFolder ?? Incarnation.defaultStateFolder)
    }

    private static func recoveryStatus(of files: StoreFiles, stateFolder: URL) throws -> RecoveryStatus {
        let recovery = RecoveryFiles(files.folder)
        guard files.exists || recovery.isWaiting else { throw StoreFiles.noStore(in: files.folder) }
        let now = Surroundings.system.now().wallMilliseconds
        let condition: StoreCondition
        do {
            condition = try StoreCondition(of: files.folder, stateFolder: stateFolder, now: now)
        } catch { throw StoreError.wrapping(error, file: files.log) }
        switch condition {
        case .waiting(let record): return RecoveryStatus(waiting: record, choice: nil, files)
        case .staged(let record, let choice): return RecoveryStatus(waiting: record, choice: choice, files)
        case .damaged(let finding):
            var status = RecoveryStatus(lastOf: files, state: .damaged)
            status.failure = Recovery.Failure(
                FailureRecord(
                    at: Date(timeIntervalSince1970: Double(now / 1000)), code: finding.code, message: finding.message,
                    file: finding.file, backup: ""))
            return status
        case .inUse: return RecoveryStatus(lastOf: files, state: recovery.hasBackups ? .recovered : .whole)
        }
    }

    /// As ``recoveryStatus(at:stateFolder:)``, for this store: a long-running program calls this when something
    /// fails.
    ///
    /// - Throws: As ``recoveryStatus(at:stateFolder:)``.
    /// - Complexity: As ``recoveryStatus(at:stateFolder:)``.
    public func recoveryStatus() throws -> RecoveryStatus {
        try Self.recoveryStatus(of: files, stateFolder: stateFolder)
    }

    /// Returns the recovery of the store in the folder at `url`, also if a decision was made already. If the store is
    /// damaged, its recovery begins now. `nil` if the store is in use.
    ///
    /// - Throws: As ``recoveryStatus(at:stateFolder:)`` and ``open(at:_:)``.
    /// - Complexity: As ``open(at:_:)`` of a damaged store: every page is read.
    public static func recovery(
        at url: URL, _ configuration: Configuration = Configuration()
    ) async throws -> Recovery? {
        let files = StoreFiles(url, configuration.keychain)
        return try await describing(files) {
            if let record = FailureRecord.read(RecoveryFiles(url).failure) {
                return try await Recovery.resume(record, files, configuration)
            }
            // Known damage begins the recovery.
            guard files.exists, try recoveryStatus(at: url, stateFolder: configuration.stateFolder).state == .damaged,
                case .recovering(let recovery) = try await open(at: url, configuration)
            else { return nil }
            return recovery
        }
    }

    /// Creates a store at `url` from what can be recovered from a damaged log file, which is only read.
    ///
    /// The new store has the events of that log, and writes as a new replica. If this throws, nothing is left behind.
    ///
    /// - Parameter file: The damaged log of any Groundwave store, wherever it is now.
    /// - Returns: What was recovered, and what was not.
    /// - Throws: ``StoreError`` with code `exists` if a store is there; `damaged` if the file holds no event.
    public static func salvage(
        _ file: URL, to url: URL, _ configuration: Configuration = Configuration()
    ) async throws -> RecoveryReceipt {
        let target = StoreFiles(url, configuration.keychain)
        guard !target.exists else {
            throw StoreError(
                .exists, "There is already a store in \(target.folder.path).", hint: "Choose another folder.")
        }
        return try await describing(target) {
            let salvage: Salvage
            do { salvage = try Salvage(path: file.path) } catch let error as PageFileError {
                throw StoreError(pageFile: error, path: "The file \(error.path)")
            }
            guard salvage.count > 0 else {
                throw StoreError(
                    .damaged, "There is no event in \(file.path).",
                    hint: "Check that it is the log of a store: it is called log.mdb, or is in EmergencyBackup.")
            }
            var generator = configuration.surroundings.generator
            let name = salvage.log ?? LogID.random(using: &generator)
            try target.makeFolder()
            let rebuild = Rebuild(
                log: name, witnesses: [], arrival: configuration.surroundings.now(), epoch: generator.next())
            do {
                let receipt = try rebuild.run(salvage, source: file.lastPathComponent, to: target.log)
                let identity = Identity.random(using: &generator)
                try target.write(identity)
                let log = try EventLog(opening: target.log)
                try Incarnation(
                    files: target, log: log, surroundings: configuration.surroundings,
                    stateFolder: configuration.stateFolder
                ).claimNew(identity)
                try log.close()
                try await open(at: url, configuration).whole.close()
                return RecoveryReceipt(receipt)
            } catch {
                for path in [target.identity, target.log, target.log + "-lock", target.views, target.views + "-lock"] {
                    unlink(path)
                }
                throw error
            }
        }
    }
}
