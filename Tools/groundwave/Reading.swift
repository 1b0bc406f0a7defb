import ArgumentParser
import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

extension StoreOptions {
    /// Opens the store for reading as a whole; fails while recovery is waiting.
    func openWholeForReading() async throws -> Store {
        try await opening(Configuration(components: .all, isReadOnly: true)).whole
    }

    /// Opens the store for reading. Not a byte of it changes, except in the lock file.
    ///
    /// - Parameter archives: Files whose events are read as if they had never left the log.
    func openForReading(_ archives: ArchiveOptions? = nil) async throws -> Store {
        switch try await opening(Configuration(components: .all, isReadOnly: true, archives: archives?.files ?? [])) {
        case .ready(let store): return store
        case .recovering(let recovery):
            RecoveryRemark.print(of: recovery)
            return recovery.temporary
        }
    }
}

/// The options of every command that reads: the store, and the point in time.
struct ReadOptions: ParsableArguments {
    @OptionGroup var store: StoreOptions
    @OptionGroup var archives: ArchiveOptions

    @Option(
        help: ArgumentHelp(
            "Show the store as it was at this point: a time, @position, before:EVENT, after:EVENT, known:REPLICA@n, "
                + "snapshot:ID, vector:REPLICA=n,… See groundwave diff --help.",
            valueName: "point"))
    var at: String?

    var json: Bool { store.json }
    var url: URL { store.url }

    /// Opens the store for reading, as it is or as it was; while it is being joined, as a snapshot shows it.
    ///
    /// - Parameter needsHistory: Whether the events are read too, so that a snapshot does not do.
    func open(needsHistory: Bool = false) async throws -> any Reading {
        let store: Store
        do { store = try await self.store.openForReading(archives) } catch let error as StoreError
            where error.code == .joining && !needsHistory && at == nil && archives.files.isEmpty
        {
            guard let joining = try Store.whileJoining(at: url, Configuration(components: .all)) else { throw error }
            JoiningRemark.print(of: joining)
            return joining
        }
        guard let at else { return store }
        let point = try store.resolve(try store.point(at, now: Clock.now))
        if point.laterCount > 0 {
            Terminal.remark(
                "Also included: \(NumberText.count(point.laterCount, "event")) stamped later, already seen by then.")
        }
        let missing = point.missing.reduce(0) { $0 + $1.count }
        if missing > 0 {
            Terminal.remark("Missing in this store: \(NumberText.count(missing, "event")) of that point.")
        }
        return try await store.at(point)
    }
}

/// A value in JSON: text, or `{"base64":…}` if its bytes are not UTF-8.
struct JSONBytes: Encodable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let text = String(validating: bytes, as: UTF8.self) {
            try container.encode(text)
        } else {
            try container.encode(["base64": Data(bytes).base64EncodedString()])
        }
    }
}
