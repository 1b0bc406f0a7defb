import Foundation
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveRecovery
import GroundwaveStore
import GroundwaveSyncing

/// A store that cannot be opened, and the ways to proceed.
///
/// The damaged file is preserved. ``temporary`` is a store like any other; what is logged there is added to whatever
/// is chosen. The store stays in recovery, across launches, until it is restored or reset.
public final class Recovery: Sendable {
    /// Why the store cannot be opened.
    public struct Failure: Hashable, Sendable {
        /// When this was found.
        public let at: Date
        /// The code for scripts.
        public let code: String
        /// A description for people.
        public let message: String
        /// The affected file of the store.
        public let file: String
        /// Where its bytes were preserved, in the store's folder; empty if there were none.
        public let backup: String
        /// Whether the file itself was moved there, and not copied.
        public let isMoved: Bool
    }

    /// The newest snapshot of the store.
    public struct SnapshotContents: Hashable, Sendable {
        /// Its ID.
        public let id: String
        /// When it was made.
        public let at: Date
        /// The number of contacts that show in it.
        public let contacts: Int
    }

    /// The source of a restore.
    public enum Source: Hashable, Sendable {
        /// The events recovered from the damaged file.
        case salvage
        /// The same, with the newest snapshot in place of the history before it.
        case snapshot
        /// The remotes: the store is emptied, and everything is fetched.
        case remote
    }

    /// Why the store cannot be opened.
    public let failure: Failure
    /// The newest snapshot; `nil` if none can be read.
    public let snapshot: SnapshotContents?
    /// What was recovered from the damaged file, and what is lost; `nil` if nothing could be prepared.
    public let receipt: RecoveryReceipt?
    /// Why nothing could be prepared; `nil` if it could.
    public let trouble: String?
    /// The temporary store, used until the recovery ends.
    public let temporary: Store
    /// The source of the restore that the next open of the store will carry out; `nil` if none is staged, or a reset.
    public var staged: Source? {
        (try? Choice.read(files)).flatMap {
            switch $0.way {
            case .salvage: .salvage
            case .snapshot: .snapshot
            case .remote: .remote
            case .reset: nil
            }
        }
    }

    let files: RecoveryFiles
    private let surroundings: Surroundings
    /// Rebuilds the log with the newest snapshot in it.
    let prepareWithSnapshot: @Sendable () throws -> Void

    init(
        _ record: FailureRecord, _ receipt: Receipt?, trouble: String?, temporary: Store, _ files: RecoveryFiles,
        _ surroundings: Surroundings, prepareWithSnapshot: @escaping @Sendable () throws -> Void
    ) {
        failure = Failure(record)
        snapshot = record.snapshot.map { SnapshotContents(id: $0.id, at: $0.at, contacts: $0.qsos) }
        self.receipt = receipt.map { RecoveryReceipt($0) }
        self.trouble = trouble
        self.temporary = temporary
        self.files = files
        self.surroundings = surroundings
        self.prepareWithSnapshot = prepareWithSnapshot
    }

    /// Stages a restore, which the next open of the store carries out: close ``temporary`` first, then open the store
    /// again.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is nothing to restore from; then nothing was staged.
    public func stageRestore(from source: Source) async throws {
        switch source {
        case .salvage:
            guard receipt != nil else {
                throw StoreError(
                    .notFound, "Nothing could be salvaged from the damaged file\(trouble.map { ": \($0)" } ?? ".")",
                    hint: "Instead: \(.restore(.snapshot)), or \(.restore(.remote)), or \(.reset)")
            }
            try stage(.salvage)
        case .snapshot:
            guard snapshot != nil else { throw Self.noSnapshot }
            try prepareWithSnapshot()
            try stage(.snapshot)
        case .remote:
            guard try !SyncFile.file(of: StoreFiles(files.folder)).read().remotes.isEmpty else {
                throw StoreError(
                    .notFound, "This store has no remote.",
                    hint: "To add one: \(.addRemote(address: nil)). Or \(.restore(.salvage)).")
            }
            try stage(.remote)
        }
    }

    static let noSnapshot = StoreError(
        .notFound, "There is no snapshot that can be read.",
        hint: "To see what else can be restored: \(.showRecovery)")

    /// Stages a reset, which the next open of the store carries out: the store is then empty, except for what was
    /// logged meanwhile. Synchronisation is off until the user switches it on. The damaged file stays preserved.
    ///
    /// - Parameter confirmation: The word RESET, as a person has typed it.
    /// - Throws: ``StoreError`` with code `usage` if it is another word; then nothing was staged.
    public func reset(confirmation: String) throws {
        guard confirmation == "RESET" else {
            throw StoreError(.usage, "“\(confirmation)” is not the word RESET.", hint: "Nothing was changed.")
        }
        try stage(.reset)
    }

    private func stage(_ way: Choice.Action) throws {
        let now = Date(timeIntervalSince1970: Double(surroundings.now().wallMilliseconds / 1000))
        var generator = surroundings.generator
        let record = RecordID.random(using: &generator)
        let choice = Choice(way, at: now, record: record)
        do { try choice.write(files) } catch let error as FileFailure { throw StoreError(file: error) }
    }
}

/// The result of a recovery: recovered + lost = appended.
public struct RecoveryReceipt: Hashable, Sendable {
    /// When the log was rebuilt.
    public let at: Date
    /// The number of events that the log is known to have had.
    public let appended: UInt64
    /// The number of these that were recovered.
    public let recovered: UInt64
    /// The lost events, in order of replica and number.
    public let lost: [EventRange]
    /// The number of further lost events whose IDs are unknown.
    public let unnamed: UInt64
    /// Whether the log may have had more events, because neither its file nor another source shows where it ended.
    /// Then ``appended``, ``unnamed`` and ``lostCount`` are minimums; ``recovered`` is exact.
    public let isAtLeast: Bool
    /// The sources for the number of events: `file` and, if they had any, `token`, `views`, `snapshots`, `peers`.
    public let witnesses: [String]
    /// The duration in seconds.
    public let seconds: Double

    /// The number of lost events.
    public var lostCount: UInt64 { lost.reduce(0) { $0 + $1.count } + unnamed }
}

extension RecoveryReceipt {
    init(_ receipt: Receipt) {
        at = receipt.at
        appended = receipt.appended
        recovered = receipt.recovered
        lost = receipt.lost.compactMap(\.events)
        unnamed = receipt.unnamed
        isAtLeast = receipt.isAtLeast
        witnesses = receipt.witnesses
        seconds = receipt.seconds
    }
}

extension Recovery.Failure {
    init(_ record: FailureRecord) {
        at = record.at
        code = record.code
        message = record.message
        file = record.file
        backup = record.backup
        isMoved = record.isMoved
    }
}
