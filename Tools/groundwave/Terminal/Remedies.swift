import Groundwave
import GroundwaveStore

/// What the program calls the remedies of errors: its own commands and options, which stand between backticks.
extension Remedy {
    /// The command or the option, and the words around it.
    var words: String {
        switch self {
        case .create: "create one with `groundwave init`"
        case .chooseFolder: "choose another folder with `--store`"
        case .chooseStoreOfLog: "name the store of that log with `--store`"
        case .join(let address): "`groundwave join \(address)`"
        case .joinElsewhere(let address): "`groundwave join \(address) --store NEW-FOLDER`"
        case .verify: "`groundwave verify`"
        case .replayElsewhere: "`groundwave replay --to PATH`"
        case .list(let listing): "`groundwave \(listing.command)`"
        case .archive: "`groundwave archive --before POINT -o FILE`"
        case .readArchive: "add `--archive FILE`"
        case .restoreArchive: "`groundwave archive --restore FILE`"
        case .excludeDevice(let replica): "add `--gone \(replica)`"
        case .showRecovery: "`groundwave recover status`"
        case .restore(let source): "`groundwave recover restore --from \(source.rawValue)`"
        case .reset: "`groundwave recover reset`"
        case .salvage(let file): "`groundwave salvage \(file) --to PATH`"
        case .keepCallsInDiagnostics: "leave out `--anonymize`"
        case .addRemote(let address): "`groundwave remote add NAME \(address ?? "file:///path/to/folder")`"
        case .removeRemote(let name): "`groundwave remote remove \(name)`"
        case .sealLog: "`groundwave seal`"
        case .sealRemote(let name): "`groundwave remote seal \(name)`"
        case .unsealRemote(let name): "`groundwave remote unseal \(name)`"
        case .approveDevice(let device): "`groundwave replicas approve \(device)`"
        case .acceptSeal(let remote): "`groundwave seal accept --at \(remote)`"
        case .unlock: "add `--passphrase-file FILE` or `--phrase-file FILE`"
        case .giveCode: "add `--code-file FILE`"
        case .synchronise: "`groundwave sync`"
        case .synchroniseBothWays: "leave out `--push` and `--pull`"
        case .switchSyncOn: "`groundwave sync on`"
        case .serve: "`groundwave serve`"
        case .createBundle: "`groundwave bundle create -o FILE`"
        case .clearWithoutSaving: "clear with `--discard`"
        default: wordsOfRecords
        }
    }

    /// The words for remedies of records, files and meters.
    private var wordsOfRecords: String {
        switch self {
        case .restoreContact(let id): "`groundwave qso restore \(id)`"
        case .removeRecord(let kind, let id): "remove this one: `groundwave record remove \(kind) \(id)`"
        case .useFunctions(let kind): "`groundwave \(Self.noun(of: kind)) --help`"
        case .dismissDuplicate: "`groundwave duplicates dismiss A B`"
        case .showConflict(let kind, let id): "`groundwave conflicts show \(id) --kind \(kind)`"
        case .endSession: "`groundwave session end`"
        case .replaceSession: "add `--replace`"
        case .set(let key, let example): "`groundwave settings set \(key) \(example)`"
        case .unsetSetting: "`groundwave settings unset KEY`"
        case .exportSettings: "`groundwave settings export`"
        case .setMirror: "`groundwave backup mirror FOLDER`"
        case .trustSource(let name): "`--trust \"\(name)\"`"
        case .replaceFiles: "`--force`"
        case .exportAsOneFile: "leave out `--split`"
        case .exportAll: "leave out `--new`"
        case .nameContest: "name it with `--contest`"
        case .importWithContest: "`groundwave import FILE --set CONTEST_ID=CQ-WW-CW`"
        case .checkHead: "`groundwave head check FILE`"
        case .useSerialDevice: "use `--device` with its serial device"
        case .chooseDevice(let path): "`--device \(path)`"
        case .chooseModel(let model): "`--model \(model)`"
        case .disconnectMeter(let address): "`groundwave meter disconnect \(address)`"
        case .recordBytes: "record with `--raw`"
        case .shareSamples(let trace): "`groundwave trace set \(trace) --samples synced`"
        case .showTrace(let trace): "`groundwave trace show \(trace)`"
        case .verifyTrace(let trace): "`groundwave trace verify \(trace)`"
        case .compareWholeTraces: "leave out `--align`, `--from` and `--to`"
        case .showPlotOptions: "`groundwave trace plot --help`"
        case .showExportOptions: "`groundwave trace export --help`"
        default: description
        }
    }

    /// The noun of the program for records of a kind, if it has one.
    fileprivate static func noun(of kind: String) -> String { kind == "setting" ? "settings" : kind }
}

extension Remedy.Listing {
    /// The command that lists it, without the name of the program.
    fileprivate var command: String {
        switch self {
        case .events: "history --json"
        case .kinds: "record kinds"
        case .snapshots: "snapshot list"
        case .imports: "record list import"
        case .devices: "replicas"
        case .histories: "forks"
        case .meters: "meter list"
        case .traces: "trace list"
        case .calibrations: "trace calibrate"
        case .contests: "qso count --by CONTEST_ID"
        case .damageOfArchive: "verify --archive FILE"
        case .records(let kind, let areHidden):
            (["qso", "session", "trace"].contains(kind) ? "\(kind) list" : "record list \(kind)")
                + (areHidden ? " --hidden" : "")
        }
    }
}

extension StoreError {
    /// The hint in the words of the program.
    var hintOfProgram: String? { advice?.text { $0.words.filter { $0 != "`" } } }
}
