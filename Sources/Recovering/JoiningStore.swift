import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveRemotes
import GroundwaveStore
import GroundwaveSyncing

/// A store that is still being joined, as the newest snapshot at the remote shows it. It is read-only.
///
/// It has the records of that moment and none of their history: no events, no proofs, no points in time. It shows the same
/// state for as long as it exists, while the events arrive. When all are here, ``Store/open(at:_:)`` opens the store.
public final class JoiningStore: Reading {
    /// The folder of the store.
    public let url: URL
    /// The address that the store is being joined from.
    public let address: String
    /// The snapshot that is shown.
    public let snapshot: SnapshotInformation
    /// The number of its events that have arrived in the log so far, when this was opened.
    public let receivedEvents: UInt64
    /// The parts of the library that the store was opened with.
    public let components: [StoreComponent]
    /// The known kinds.
    public var kinds: Kinds { views.kinds }
    /// Nothing: no event is here yet that can be shown whole.
    public var audit: Audit { Audit(of: views) }
    /// `nil`: this device writes only once everything is here.
    public var replica: ReplicaID? { nil }

    private let views: Views
    private let scratch: ScratchFolder

    fileprivate init(_ files: StoreFiles, address: String, _ configuration: Configuration) throws {
        let kinds = try RegisteredKinds.kinds(configuration)
        let path = JoinedSnapshot(files).path
        url = files.folder
        self.address = address
        components = configuration.components
        snapshot = try Snapshot.information(at: path)
        scratch = try ScratchFolder()
        // The log that is being fetched has some of the events; one without any says the same of all records.
        let log = try EventLog.create(
            at: scratch.path(of: "log.mdb"), id: snapshot.log, epoch: 0, options: configuration.logOptions)
        views = try Views.ofSnapshot(path, in: log, kinds: kinds, at: scratch.path(of: "views.mdb"))
        receivedEvents = (try? Self.receivedEvents(files, of: snapshot)) ?? 0
    }

    private static func receivedEvents(_ files: StoreFiles, of snapshot: SnapshotInformation) throws -> UInt64 {
        var options = Configuration().logOptions
        options.isReadOnly = true
        let log = try EventLog(opening: files.log, options: options)
        defer { try? log.close() }
        let here = try log.vector()
        return snapshot.vector.entries.reduce(0) { $0 + min($1.sequence, here[$1.replica]) }
    }

    /// Reads from this state: all answers within `body` belong together, and are the same at every call.
    ///
    /// - Throws: As ``Store/read(_:)``; ``StoreError`` with code `damaged` if the temporary file of this state is.
    public func read<Result>(_ body: (borrowing ViewReader) throws -> Result) throws -> Result {
        try passing { try views.readOnce(body) }
    }

    /// Returns nothing: the events of the records are not here.
    public func positions(of kind: String, _ id: RecordID) -> [Position] { [] }

    deinit {
        views.close()
        try? views.log.close()
    }
}

extension Store {
    /// Returns the store in a folder as the newest snapshot shows it, if it is being joined and the snapshot is here;
    /// otherwise `nil`.
    ///
    /// It can be read from another process than the one that joins, or while nothing joins it any more.
    ///
    /// - Throws: ``StoreError`` if the folder cannot be read.
    /// - Complexity: O(records), about 2 us each.
    public static func whileJoining(
        at url: URL, _ configuration: Configuration = Configuration()
    ) throws -> JoiningStore? {
        let files = StoreFiles(url)
        guard let address = try Joining.address(in: files), JoinedSnapshot(files).isThere else { return nil }
        do { return try JoiningStore(files, address: address, configuration) } catch is SnapshotError {
            // It was damaged since it was checked, or has just been removed because all events are here.
            return nil
        } catch { throw StoreError.wrapping(error, file: JoinedSnapshot(files).path) }
    }

    /// Returns the address that the store in a folder is being joined from; `nil` if it is not being joined.
    ///
    /// - Throws: ``StoreError`` if the folder cannot be read.
    public static func addressJoined(at url: URL) throws -> RemoteAddress? {
        try Joining.address(in: StoreFiles(url)).map { try RemoteAddress($0) }
    }
}
