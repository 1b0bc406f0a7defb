import EventLog
import Events
import Foundation
import Recovery

/// Whether a store waits in recovery, and what was recovered last.
public struct RecoveryStatus: Sendable {
    /// How it stands.
    public enum State: String, Sendable {
        /// The store was never damaged, as far as it tells.
        case whole
        /// It is damaged; the next opening preserves the damaged file and has the store wait.
        case damaged
        /// It waits for a decision.
        case waiting
        /// It was decided what to do; the next opening does it.
        case staged
        /// It was damaged once, and recovered or begun anew.
        case recovered

        /// Whether its log is damaged and that was not dealt with yet.
        public var isDamaged: Bool {
            switch self {
            case .damaged, .waiting, .staged: true
            case .whole, .recovered: false
            }
        }
    }

    /// How it stands.
    public let state: State
    /// Why it waits, or what is wrong.
    public internal(set) var failure: Recovery.Failure?
    /// The newest snapshot, where it waits.
    public let snapshot: Recovery.SnapshotContents?
    /// What was decided.
    public let staged: String?
    /// What could be got out of the damaged file: as prepared while it waits, else as it was done last.
    public let receipt: RecoveryReceipt?
    /// The events that are still lost: after recovery, those that nobody has brought back yet.
    public let lost: [EventRange]
    /// Who was known to have such events: other stores, by what they said last.
    public internal(set) var peers: [EventRange: [ReplicaID]] = [:]
}

extension RecoveryStatus {
    /// What waits, or was decided.
    fileprivate init(waiting record: FailureRecord?, choice: Choice?, _ files: StoreFiles) {
        let receipt = Receipt.read(RecoveryFiles(files.folder).restoredReceipt).map { RecoveryReceipt($0) }
        self.init(
            state: choice == nil ? .waiting : .staged, failure: record.map { Recovery.Failure($0) },
            snapshot: record?.snapshot.map { .init(id: $0.id, at: $0.at, contacts: $0.qsos) },
            staged: choice?.way.rawValue, receipt: receipt, lost: receipt?.lost ?? [])
        notePeers(files)
    }

    /// What was recovered last, where anything was.
    fileprivate init(lastOf files: StoreFiles, state: State) {
        let receipt = RecoveryFiles(files.folder).lastReceipt
        let lost = receipt.map { receipt in
            (try? LogVerifier.holes(path: files.log)) ?? receipt.lost.compactMap(\.events)
        }
        self.init(
            state: state, failure: nil, snapshot: nil, staged: nil, receipt: receipt.map { RecoveryReceipt($0) },
            lost: lost ?? [])
        notePeers(files)
    }

    /// Notes who has said to have what is lost.
    fileprivate mutating func notePeers(_ files: StoreFiles) {
        let statements = Witnesses.statements(files)
        let own = try? files.readIdentity().replica
        for range in lost {
            peers[range] = statements.filter {
                $0.store != range.replica && $0.store != own && $0.vector[range.replica] >= range.last
            }.map(\.store)
        }
    }
}

extension Store {
    /// Whether the store in the folder at `url` is damaged or waits in recovery, and what was recovered last. Nothing is
    /// changed.
    ///
    /// - Parameter stateFolder: Where this device keeps what it knows of the store; its own where that is not given.
    /// - Throws: ``StoreError`` with code `notFound` where there is no store.
    /// - Complexity: That of the look at every page, where there is reason for one.
    public static func recoveryStatus(at url: URL, stateFolder: URL? = nil) throws -> RecoveryStatus {
        let (files, recovery) = (StoreFiles(url), RecoveryFiles(url))
        guard files.exists || recovery.isWaiting else { throw StoreFiles.noStore(in: files.folder) }
        let now = Surroundings.system.now().wallMilliseconds
        let condition: StoreCondition
        do {
            condition = try StoreCondition(
                of: files, stateFolder: stateFolder ?? Incarnation.defaultStateFolder, now: now)
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

    /// As ``recoveryStatus(at:stateFolder:)``, of this store: a program that runs for long asks it where something fails.
    public func recoveryStatus() throws -> RecoveryStatus { try Self.recoveryStatus(at: url, stateFolder: stateFolder) }

    /// Notes on the receipt of the last recovery what has come back since.
    func noteReturned() throws {
        let recovery = RecoveryFiles(files.folder)
        guard let (path, old) = recovery.lastReceiptFile else { return }
        let lost = EventSet(try log.holes())
        var receipt = old
        receipt.returned = EventSet(old.lost.compactMap(\.events)).subtracting(lost).count
        if receipt != old { try receipt.write(to: path) }
    }

    /// The recovery of the store in the folder at `url` that waits, also where it was decided what to do; of a damaged one
    /// it begins now. `nil` where the store is in use.
    public static func recovery(
        at url: URL, _ configuration: Configuration = Configuration()
    ) async throws -> Recovery? {
        let files = StoreFiles(url)
        return try await describing(files) {
            if let record = FailureRecord.read(RecoveryFiles(url).failure) {
                return try await Recovery.resume(record, files, configuration)
            }
            // Damage that is known begins it.
            guard files.exists, try recoveryStatus(at: url, stateFolder: configuration.stateFolder).state == .damaged,
                case .recovering(let recovery) = try await open(at: url, configuration)
            else { return nil }
            return recovery
        }
    }

    /// Makes a store at `url` from what can be got out of a damaged log file, which is only read.
    ///
    /// The new store has its events, and writes as a new replica. Nothing is left behind where this throws.
    ///
    /// - Parameter file: The damaged log, of any store of ours, also one that is not where it was.
    /// - Returns: What was got out, and what was not.
    /// - Throws: ``StoreError`` with code `exists` where a store is there; `damaged` where the file holds no event.
    public static func salvage(
        _ file: URL, to url: URL, _ configuration: Configuration = Configuration()
    ) async throws -> RecoveryReceipt {
        let target = StoreFiles(url)
        guard !target.exists else {
            throw StoreError(
                .exists, "There is a store in \(target.folder.path) already.", hint: "Choose another folder.")
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
