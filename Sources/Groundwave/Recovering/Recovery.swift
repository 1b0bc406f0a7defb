import Events
import Foundation
import Recovery

/// A store that cannot be opened, and what can be done about it.
///
/// The damaged file is preserved. ``temporary`` is a store like any other; what is logged there joins whatever is chosen.
/// The store stays in recovery, across launches, until it is restored or reset.
public final class Recovery: Sendable {
    /// Why the store cannot be opened.
    public struct Failure: Hashable, Sendable {
        /// When that was found.
        public let at: Date
        /// The word for scripts.
        public let code: String
        /// What is wrong, in plain words.
        public let message: String
        /// Which file of the store.
        public let file: String
        /// Where its bytes were put, in the store's folder; empty where there were none.
        public let backup: String
        /// Whether the file itself was moved there, in place of a copy.
        public let isMoved: Bool
    }

    /// The newest snapshot of the store.
    public struct SnapshotContents: Hashable, Sendable {
        /// Its id.
        public let id: String
        /// When it was made.
        public let at: Date
        /// How many contacts show in it.
        public let contacts: Int
    }

    /// What a store is restored from.
    public enum Source: Hashable, Sendable {
        /// What could be got out of the damaged file.
        case salvage
        /// The same, with the newest snapshot standing for what came before it.
        case snapshot
        /// What others have: an empty store, into which everything is fetched.
        case remote
    }

    /// Why the store cannot be opened.
    public let failure: Failure
    /// The newest snapshot; `nil` where there is none that can be read.
    public let snapshot: SnapshotContents?
    /// What could be got out of the damaged file, and what is lost; `nil` where nothing could be prepared.
    public let receipt: RecoveryReceipt?
    /// Why nothing could be prepared.
    public let trouble: String?
    /// The store that is used meanwhile.
    public let temporary: Store
    /// What was decided already, and will be carried out when the store is opened next.
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
    /// Makes the log once more, with the newest snapshot in it.
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

    /// Has the store restored when it is opened next: close ``temporary`` first, then open the store again.
    ///
    /// - Throws: ``StoreError`` with code `notFound` where there is nothing to restore from; then nothing was decided.
    public func stageRestore(from source: Source) async throws {
        switch source {
        case .salvage:
            guard receipt != nil else {
                throw StoreError(
                    .notFound, "Nothing could be salvaged from the damaged file\(trouble.map { ": \($0)" } ?? ".")",
                    hint: "Use groundwave recover restore --from snapshot or remote, or groundwave recover reset.")
            }
            try stage(.salvage)
        case .snapshot:
            guard snapshot != nil else {
                throw StoreError(
                    .notFound, "There is no snapshot that can be read.",
                    hint: "Use groundwave recover restore --from salvage.")
            }
            try prepareWithSnapshot()
            try stage(.snapshot)
        case .remote:
            guard try !SyncFile.file(of: StoreFiles(files.folder)).read().remotes.isEmpty else {
                throw StoreError(
                    .notFound, "No remote is known.",
                    hint: "Add one: groundwave remote add NAME URL; or use groundwave recover restore --from salvage.")
            }
            try stage(.remote)
        }
    }

    /// Has the store begin anew, empty but for what was logged meanwhile, when it is opened next. Synchronising is switched
    /// off until it is switched on. The damaged file stays where it was put.
    ///
    /// - Parameter confirmation: The word RESET, as a person has typed it.
    /// - Throws: ``StoreError`` with code `usage` where it is another word; then nothing was decided.
    public func reset(confirmation: String) throws {
        guard confirmation == "RESET" else {
            throw StoreError(.usage, "“\(confirmation)” is not the word RESET.", hint: "Nothing was changed.")
        }
        try stage(.reset)
    }

    private func stage(_ way: Choice.Way) throws {
        let now = Date(timeIntervalSince1970: Double(surroundings.now().wallMilliseconds / 1000))
        var generator = surroundings.generator
        let record = RecordID.random(using: &generator)
        let choice = Choice(way, at: now, record: record)
        do { try choice.write(files) } catch let error as FileFailure { throw StoreError(file: error) }
    }
}

/// What was got out of a damaged store: recovered + lost = appended.
public struct RecoveryReceipt: Hashable, Sendable {
    /// When the log was made anew.
    public let at: Date
    /// How many events the log is known to have had.
    public let appended: UInt64
    /// How many of these are there again.
    public let recovered: UInt64
    /// Which are lost, in order of replica and number.
    public let lost: [EventRange]
    /// How many more are lost of which not even the name is left.
    public let unnamed: UInt64
    /// Whether there may have been more than anything here knows of: then the numbers are the least.
    public let isAtLeast: Bool
    /// Who told how many events there were: `file`, and where they knew, `token`, `views`, `snapshots`, `peers`.
    public let witnesses: [String]
    /// How long it took.
    public let seconds: Double

    /// How many events are lost.
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
