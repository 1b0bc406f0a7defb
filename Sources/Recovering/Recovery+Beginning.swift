import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveProjections
import GroundwaveRecovery
import GroundwaveReplication
import GroundwaveStore

extension Recovery {
    /// Puts a store with a damaged log into recovery: preserves the file, records the reason, prepares a restore, and
    /// opens the temporary store.
    static func begin(
        _ finding: Incident.Finding, _ files: StoreFiles, _ configuration: Configuration
    ) async throws -> Recovery {
        let incident = incident(files, configuration)
        Subsystem.recovery.logger.error("the store is damaged", metadata: ["code": "\(finding.code)"])
        let record: FailureRecord
        do { record = try incident.begin(finding) } catch let error as Incident.NotWrittenDown {
            throw StoreError(
                .damaged,
                "\(files.log) is damaged: \(finding.message). It is now in \(error.backup), byte for byte, but that "
                    + "could not be recorded: \(error.cause.description)",
                hint: "Nothing was lost by this. Free some space, and open the store again: recovery then continues.",
                cause: error)
        } catch {
            let cause = (error as? Incident.NotPreserved)?.cause ?? error
            guard let refused = StoreError(systemError: cause) else { throw error }
            throw StoreError(
                .damaged,
                "\(files.log) is damaged: \(finding.message). It could not be preserved there: \(refused.message)",
                hint: """
                    Free some disk space or make the folder writable, and open the store again. To create a store \
                    elsewhere from what is left: \(.salvage(file: files.log))
                    """, cause: cause)
        }
        return try await resume(record, files, configuration)
    }

    /// Opens the temporary store while the recovery of a store waits for a decision.
    static func resume(
        _ record: FailureRecord, _ files: StoreFiles, _ configuration: Configuration
    ) async throws -> Recovery {
        let incident = incident(files, configuration)
        let recovery = RecoveryFiles(files.folder)
        var receipt: Receipt?
        var trouble: String?
        do { receipt = try incident.prepare(record) } catch {
            // A failed preparation is tried again later; logging continues meanwhile.
            trouble = StoreError.wrapping(error, file: recovery.restoredLog).message
        }
        let temporary = try await temporaryStore(
            recovery, log: { try incident.logName(record) }, former: try? files.readIdentity().replica, configuration)
        return Recovery(
            record, receipt, trouble: trouble, temporary: temporary, recovery, configuration.surroundings
        ) {
            let witnesses = Witnesses(files: files, stateFolder: configuration.stateFolder)
            guard let path = witnesses.newestSnapshot else { throw Recovery.noSnapshot }
            do { _ = try incident.prepare(record, snapshot: path) } catch let finding as Incident.Finding {
                throw StoreError(
                    .archived, "The snapshot cannot be used: \(finding.message).",
                    hint: "Instead: \(.restore(.salvage))", cause: finding)
            }
        }
    }

    /// Opens the temporary store: the present one, else a new one of the same log, as a replica of its own.
    private static func temporaryStore(
        _ files: RecoveryFiles, log: () throws -> LogID, former: ReplicaID?, _ configuration: Configuration
    ) async throws -> Store {
        var configuration = configuration
        configuration.archives = []
        let store = StoreFiles(files.temporary)
        if try !store.exists || store.isUnfinished() {
            if let former, let name = deviceName(of: former, in: files.restoredLog, configuration) {
                configuration.deviceName = name
            }
            do {
                let made = try await Store.create(at: files.temporary, log: try log(), former: former, configuration)
                if !configuration.isReadOnly { return made }
                try made.close()
            } catch let error as StoreError where error.code == .exists {}
        }
        switch try await Store.open(at: files.temporary, configuration) {
        case .ready(let store): return store
        case .recovering(let nested):
            // The temporary store is damaged too: it is restored from salvage, and its losses are reported like the
            // others.
            try await nested.stageRestore(from: .salvage)
            try nested.temporary.close()
            guard case .ready(let store) = try await Store.open(at: files.temporary, configuration) else {
                throw StoreError(.damaged, "The temporary store, in use while recovery waits, is damaged as well.")
            }
            return store
        }
    }

    /// Returns the name of a replica's device from the log at `path`; `nil` if it cannot be read there: a missing
    /// name must not stop the recovery.
    private static func deviceName(of replica: ReplicaID, in path: String, _ configuration: Configuration) -> String? {
        do {
            var options = Environment.Options()
            options.isReadOnly = true
            let log = try EventLog(opening: path, options: options)
            let folder = try ScratchFolder()
            let views = Views(
                of: log, kinds: try RegisteredKinds.kinds(configuration), at: folder.path(of: "views.mdb"),
                isReadOnly: false)
            defer {
                views.close()
                try? log.close()
            }
            try views.catchUp()
            return try views.read { try $0.deviceName(of: replica) }
        } catch { return nil }
    }

    private static func incident(_ files: StoreFiles, _ configuration: Configuration) -> Incident {
        let surroundings = configuration.surroundings
        let witnesses = Witnesses(files: files, stateFolder: configuration.stateFolder)
        return Incident(
            RecoveryFiles(files.folder),
            Incident.Surroundings(
                arrival: surroundings.now(), random: surroundings.randomNumber, logName: { witnesses.logName },
                witnesses: { witnesses.all }, snapshot: { witnesses.snapshot },
                patience: configuration.writerPatience))
    }
}

/// The sources that know about a log beside its file.
struct Witnesses: Sendable {
    let files: StoreFiles
    let stateFolder: URL

    /// The snapshots that can be read, newest first.
    private var snapshots: [SnapshotInformation] {
        files.snapshots.compactMap { try? Snapshot.information(at: $0) }.sorted { $0.created > $1.created }
    }

    /// The path of the newest snapshot.
    var newestSnapshot: String? {
        files.snapshots.compactMap { path in (try? Snapshot.information(at: path)).map { (path, $0.created) } }
            .max { $0.1 < $1.1 }?.0
    }

    /// A description of the newest snapshot.
    var snapshot: FailureRecord.Snapshot? {
        snapshots.first.map { snapshot in
            FailureRecord.Snapshot(
                id: "\(snapshot.id)", at: Date(timeIntervalSince1970: Double(snapshot.created / 1000)),
                qsos: snapshot.kinds.first { $0.name == FailureRecord.contactKind }?.visible ?? 0)
        }
    }

    /// The ID of the log, from a snapshot or from the folder of this device's tokens.
    var logName: LogID? { snapshots.first?.log ?? Incarnation.log(of: files, stateFolder: stateFolder) }

    /// Returns the last manifest of each store, from any remote.
    static func manifests(_ files: StoreFiles) -> [Manifest] {
        var latest: [ReplicaID: Manifest] = [:]
        for manifest in files.remoteNames.flatMap({ files.readCache(of: $0).manifests.values })
        where manifest.milliseconds > latest[manifest.store]?.milliseconds ?? .min {
            latest[manifest.store] = manifest
        }
        return latest.values.sorted { $0.store < $1.store }
    }

    /// The witnesses of which events the log had: snapshots, the heads recorded in the state folder, and the remote
    /// caches.
    var all: [Rebuild.Witness] {
        var witnesses: [Rebuild.Witness] = []
        var vector = VersionVector()
        for snapshot in snapshots { vector.join(snapshot.vector) }
        if !vector.entries.isEmpty { witnesses.append(Rebuild.Witness(name: "snapshots", vector: vector)) }
        if let heads = Incarnation.heads(of: files, stateFolder: stateFolder) {
            // Each process records the heads when it closes the store; a process that did not close it may have
            // written more.
            let wasClosed = OpenMark.left(by: files.folder, in: stateFolder).isEmpty
            witnesses.append(Rebuild.Witness(name: "token", vector: heads, isFinal: wasClosed))
        }
        // The remote caches record what this log had at the last sync pass; what other stores merely have does not
        // count.
        let pulled = files.remoteNames.reduce(into: VersionVector()) { $0.join(files.readCache(of: $1).pulled) }
        if !pulled.entries.isEmpty { witnesses.append(Rebuild.Witness(name: "peers", vector: pulled)) }
        return witnesses
    }
}
