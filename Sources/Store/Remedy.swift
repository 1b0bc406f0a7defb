/// What a person can do about an error. Each application names it in its own way: see ``Hint/text(naming:)``.
///
/// The arguments are what the error is about, as text.
public enum Remedy: Hashable, Sendable {
    /// What can be listed, to find a name.
    public enum Listing: Hashable, Sendable {
        /// The events of the log.
        case events
        /// The kinds of record.
        case kinds
        /// The snapshots.
        case snapshots
        /// The imports.
        case imports
        /// The devices.
        case devices
        /// The histories of a replica that forked.
        case histories
        /// The known meters.
        case meters
        /// The traces.
        case traces
        /// The calibrations of meters.
        case calibrations
        /// The contests of the contacts.
        case contests
        /// The damaged events of an archive.
        case damageOfArchive
        /// The records of a kind, or its hidden ones.
        case records(kind: String, areHidden: Bool)
    }

    /// What a store that was found damaged can be restored from.
    public enum Source: String, Hashable, Sendable, CaseIterable {
        /// The log that was salvaged.
        case salvage
        /// The newest snapshot.
        case snapshot
        /// A remote.
        case remote
    }

    // Stores
    /// Create a store.
    case create
    /// Choose another folder for the store.
    case chooseFolder
    /// Open the store of the log in question.
    case chooseStoreOfLog
    /// Join a log, or continue to join it.
    case join(address: String)
    /// Join another log, in a new folder.
    case joinElsewhere(address: String)
    /// Verify the store.
    case verify
    /// Replay the log into a new store.
    case replayElsewhere
    /// List what can be named.
    case list(Listing)

    // Archives
    /// Archive old history.
    case archive
    /// Read with an archive, without restoring it.
    case readArchive
    /// Move the values of an archive back into the log.
    case restoreArchive
    /// Say that a device will never synchronise again.
    case excludeDevice(String)

    // Recovery
    /// Look at the state of the recovery.
    case showRecovery
    /// Restore a damaged store.
    case restore(Source)
    /// Begin with an empty store.
    case reset
    /// Create a store from what a damaged log file has.
    case salvage(file: String)
    /// Write diagnostics that are not anonymised.
    case keepCallsInDiagnostics

    // Remotes and bundles
    /// Add a remote.
    case addRemote(address: String?)
    /// Remove a remote.
    case removeRemote(String)
    /// Seal the log.
    case sealLog
    /// Seal what lies at a remote.
    case sealRemote(String)
    /// Open what lies at a remote.
    case unsealRemote(String)
    /// Approve a device, on another one.
    case approveDevice(String)
    /// Accept that the log is sealed, as a remote shows.
    case acceptSeal(String)
    /// Give the passphrase or the recovery phrase of a sealed log.
    case unlock
    /// Give a code that the device at the other end has shown.
    case giveCode
    /// Synchronise.
    case synchronise
    /// Synchronise without the restriction to pushing or pulling.
    case synchroniseBothWays
    /// Switch synchronising on.
    case switchSyncOn
    /// Serve the store to other devices.
    case serve
    /// Write a bundle of events.
    case createBundle
    /// Clear the store although not all of it can be saved.
    case clearWithoutSaving

    // Records
    /// Show a hidden contact again.
    case restoreContact(id: String)
    /// Hide a record.
    case removeRecord(kind: String, id: String)
    /// Use what is made for a kind, instead of what is for any record.
    case useFunctions(kind: String)
    /// Say that two contacts are no duplicates.
    case dismissDuplicate
    /// Look at the values of a conflict.
    case showConflict(kind: String, id: String)
    /// End the open session.
    case endSession
    /// End the open session where another one starts.
    case replaceSession

    // Settings
    /// Set a setting; the example stands for its value.
    case set(key: String, example: String)
    /// Unset a setting.
    case unsetSetting
    /// Write a file of settings.
    case exportSettings
    /// Choose the folder of the mirror.
    case setMirror

    // Files
    /// Trust a source, by name.
    case trustSource(String)
    /// Let an export replace files.
    case replaceFiles
    /// Export without splitting.
    case exportAsOneFile
    /// Export all contacts, not only new ones.
    case exportAll
    /// Name the contest.
    case nameContest
    /// Give the contacts of a file their contest.
    case importWithContest
    /// Compare a head with the store.
    case checkHead

    // Meters and traces
    /// Connect to the serial device of the meter.
    case useSerialDevice
    /// Choose one of several devices, by its path.
    case chooseDevice(String)
    /// Choose another model of meter.
    case chooseModel(String)
    /// Disconnect a meter, on the device that holds it.
    case disconnectMeter(String)
    /// Keep the bytes of the meter with a recording.
    case recordBytes
    /// Let the samples of a trace be synchronised.
    case shareSamples(trace: String)
    /// Look at a trace.
    case showTrace(String)
    /// Verify a trace.
    case verifyTrace(String)
    /// Compare traces from their first rows on.
    case compareWholeTraces
    /// Look at the options of a plot.
    case showPlotOptions
    /// Look at the options of an export.
    case showExportOptions
}

extension Remedy: CustomStringConvertible {
    /// The remedy as an instruction in plain words, such as “restore the archive”.
    public var description: String {
        switch self {
        case .create: "create one"
        case .chooseFolder: "choose another folder"
        case .chooseStoreOfLog: "choose the store of that log"
        case .join(let address): "join \(address) again"
        case .joinElsewhere: "join that log in a new folder"
        case .verify: "verify the store"
        case .replayElsewhere: "replay it into a new store"
        case .list(let listing): "list \(listing)"
        case .archive: "archive the history"
        case .readArchive: "read with the archive"
        case .restoreArchive: "restore the archive"
        case .excludeDevice: "leave it out of account"
        case .showRecovery: "look at the state of the recovery"
        case .restore(.salvage): "restore what was salvaged"
        case .restore(.snapshot): "restore a snapshot"
        case .restore(.remote): "restore from a remote"
        case .reset: "reset the store"
        case .salvage(let file): "salvage \(file) into a new store"
        case .keepCallsInDiagnostics: "do not anonymise them"
        case .addRemote(let address): "add \(address ?? "a remote")"
        case .removeRemote(let name): "remove \(name)"
        case .sealLog: "seal it"
        case .sealRemote(let name): "seal the remote \(name)"
        case .unsealRemote(let name): "open the remote \(name)"
        case .approveDevice(let device): "approve the device \(device)"
        case .acceptSeal(let remote): "accept that the log is sealed, as \(remote) shows"
        case .unlock: "give one of them"
        case .giveCode: "give the code"
        case .synchronise: "synchronise"
        case .synchroniseBothWays: "synchronise both ways"
        case .switchSyncOn: "switch synchronising on"
        case .serve: "serve the store"
        case .createBundle: "create a bundle"
        case .clearWithoutSaving: "clear without saving them"
        case .restoreContact: "restore the contact"
        case .removeRecord: "remove this one"
        case .useFunctions(let kind): "use what is there for the kind \(kind)"
        case .dismissDuplicate: "dismiss the duplicate"
        case .showConflict: "look at the conflict"
        case .endSession: "end it"
        case .replaceSession: "replace it"
        case .set(let key, _): "set \(key)"
        case .unsetSetting: "unset it"
        case .exportSettings: "export the settings"
        case .setMirror: "set a folder for the mirror"
        case .trustSource(let name): "trust \(name)"
        case .replaceFiles: "replace existing files"
        case .exportAsOneFile: "export one file"
        case .exportAll: "export all contacts"
        case .nameContest: "name one of them"
        case .importWithContest: "set CONTEST_ID when the file is imported"
        case .checkHead: "check the head"
        case .useSerialDevice: "use its serial device"
        case .chooseDevice(let path): "choose \(path)"
        case .chooseModel(let model): "choose the model \(model)"
        case .disconnectMeter: "disconnect the meter"
        case .recordBytes: "record the bytes that the meter sends"
        case .shareSamples: "synchronise the samples of the trace"
        case .showTrace: "look at the trace"
        case .verifyTrace: "verify the trace"
        case .compareWholeTraces: "compare the whole traces"
        case .showPlotOptions: "look at the options of a plot"
        case .showExportOptions: "look at the options of an export"
        }
    }
}

extension Remedy.Listing: CustomStringConvertible {
    /// What is listed, in plain words.
    public var description: String {
        switch self {
        case .events: "the events"
        case .kinds: "the kinds of record"
        case .snapshots: "the snapshots"
        case .imports: "the imports"
        case .devices: "the devices"
        case .histories: "the histories"
        case .meters: "the known meters"
        case .traces: "the traces"
        case .calibrations: "the calibrations"
        case .contests: "the contests"
        case .damageOfArchive: "the damaged events of the archive"
        case .records(let kind, let areHidden): "the \(areHidden ? "hidden " : "")records of the kind \(kind)"
        }
    }
}
