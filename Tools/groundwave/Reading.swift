import ArgumentParser
import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords

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

/// Numbers as people read them.
enum NumberText {
    /// Bytes with a unit: `12 B`, `3.4 MB`; powers of 1000.
    static func bytes(_ count: Int) -> String {
        var value = Double(count)
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 1000 { return unit == "B" ? "\(count) B" : String(format: "%.1f \(unit)", value) }
            value /= 1000
        }
        return String(format: "%.1f TB", value)
    }

    /// `1 contact`, `2 contacts`.
    static func count(_ count: some BinaryInteger, _ word: String, _ plural: String? = nil) -> String {
        "\(count) \(count == 1 ? word : plural ?? word + "s")"
    }

    /// `12 events`, and how many of these had been lost here, where any had.
    static func received(_ count: Int, _ word: String = "event", returned: Int) -> String {
        returned == 0 ? Self.count(count, word) : "\(Self.count(count, word)), \(returned) of them previously lost here"
    }
}
