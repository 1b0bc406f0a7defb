import ArgumentParser
import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording
import Synchronization

/// The options that every command has.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the store; default: GROUNDWAVE_STORE, else the default folder (see groundwave --help).",
            valueName: "path"))
    var store: String?

    @Flag(help: "Print one JSON object: see Docs/JSON.md.")
    var json = false

    @Option(help: ArgumentHelp("How long to wait for another program that is writing.", valueName: "seconds"))
    var wait = 60

    @OptionGroup var output: OutputOptions

    /// Applies the output options before the command runs.
    func validate() throws {
        guard wait >= 0 else { throw ValidationError("--wait must be a number of seconds, 0 or more.") }
        Terminal.manner.withLock {
            $0.isJSON = json
            $0.isQuiet = output.quiet
            $0.color = output.color
        }
        LogLines.start(output)
    }

    /// The store's folder: from `--store`, the environment, or the default. Never searched for in parent folders.
    var url: URL {
        if let store { return URL(filePath: store) }
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["GROUNDWAVE_STORE"], !path.isEmpty { return URL(filePath: path) }
        #if os(macOS)
        let base = URL.applicationSupportDirectory
        #else
        let base =
            environment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/share")
        #endif
        return base.appending(path: "groundwave/default")
    }

    /// How the store is opened for reading and writing.
    func configuration(author: String? = nil) -> Configuration {
        var configuration = Configuration(
            author: author ?? ProcessInfo.processInfo.environment["GROUNDWAVE_AUTHOR"] ?? "",
            components: .all)
        configuration.patience = .seconds(wait)
        configuration.isWaiting = { other in
            Terminal.remark(
                "Waiting for \(other.program) (process \(other.process)), which has been writing since "
                    + "\(TimeText.date(other.since)).")
        }
        return configuration
    }

    /// Opens the store, with a progress line: checking every page or rebuilding the views may take seconds.
    func opening(_ configuration: Configuration) async throws -> Opening {
        try await Progress.during("Opening the store") { _ in try await Store.open(at: url, configuration) }
    }

    /// Opens the store for reading and writing.
    func open(author: String? = nil) async throws -> Store {
        let store: Store
        switch try await opening(configuration(author: author)) {
        case .ready(let whole): store = whole
        case .recovering(let recovery):
            RecoveryRemark.print(of: recovery)
            store = recovery.temporary
        }
        OpenedStore.remember(store)
        return store
    }

    /// Opens the store for a command that changes it as a whole; fails while recovery is waiting.
    func openWhole(author: String? = nil) async throws -> Store {
        switch try await opening(configuration(author: author)) {
        case .ready(let whole):
            OpenedStore.remember(whole)
            return whole
        case .recovering(let recovery):
            try recovery.temporary.close()
            throw StoreError(
                .recovering, "The store is waiting for recovery, and this command would change it as a whole.",
                hint: "Run groundwave recover status, then groundwave recover restore or groundwave recover reset.")
        }
    }
}

/// The store that a command opened for writing.
enum OpenedStore {
    private static let opened = Mutex<(store: Store, uncounted: UInt64)?>(nil)

    static func remember(_ store: Store) { opened.withLock { $0 = (store, uncounted(in: store)) } }

    /// The number of events of this device that do not count, since it does not belong to a sealed log.
    private static func uncounted(in store: Store) -> UInt64 {
        store.replica.flatMap { try? store.uncountedEvents(of: $0) } ?? 0
    }

    private static func sayWhetherWritesCount(in store: Store, _ before: UInt64) {
        guard uncounted(in: store) > before, let replica = store.replica else { return }
        let isRevoked = (try? store.membership(of: replica)) == .revoked
        Terminal.remark(
            "What was written does not count yet, and is not shown: this device \(isRevoked ? "was revoked" : "waits for approval"). "
                + "On a device that belongs to the log, or here with --phrase-file: groundwave replicas approve \(replica.short)"
        )
    }

    /// Runs maintenance after the command has answered, then closes the store.
    ///
    /// The verb has done its own work, and said so: where a snapshot cannot be written, the log says so and the next verb
    /// tries again; where the store cannot be closed in order, it is told, and the answer stands.
    static func finish() {
        guard let (store, before) = opened.withLock({ $0 }) else { return }
        sayWhetherWritesCount(in: store, before)
        Progress.during("Maintaining the store") { _ in _ = try? store.runMaintenance() }
        do { try store.close() } catch {
            let words = "\(error)"
            Terminal.remark("The command is done, but afterwards the store could not be closed cleanly: \(words)")
        }
    }
}

/// The options of every command that writes.
struct WriteOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The reason, which is kept with the change permanently.", valueName: "text"))
    var note: String?

    @Option(
        help: ArgumentHelp(
            "Who makes the change; default: GROUNDWAVE_AUTHOR, else the open session's operator, else the device.",
            valueName: "name"))
    var author: String?
}

extension Assignment {
    /// `FIELD=VALUE`, or `FIELD=` to clear the field; field names in any case.
    init(argument: String) throws {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
            throw ValidationError("“\(argument)” is not FIELD=VALUE.")
        }
        let value = argument[argument.index(after: equals)...]
        self.init(argument[..<equals].uppercased(), value.isEmpty ? nil : Array(value.utf8))
    }
}
