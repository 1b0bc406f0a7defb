import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// What can be read: a ``Store`` as it is, or a ``PastStore`` as it was. Only a `Store` can be written.
///
/// All questions about contacts, sessions, settings and history are asked through it, so they can be asked of any
/// moment.
public protocol Reading: Sendable {
    /// The folder of the store.
    var url: URL { get }
    /// The replica that this device writes as; `nil` where the store is read without its key.
    var replica: ReplicaID? { get }
    /// The kinds that are known.
    var kinds: Kinds { get }
    /// The parts of the library that the store was opened with.
    var components: [StoreComponent] { get }
    /// Who did what when, as far as it belongs to what is read.
    var audit: Audit { get }

    /// Reads from one state of the views: all answers within `body` belong together.
    ///
    /// Synchronous, on any thread; never blocks a writer. What `body` throws of its own comes back as it is.
    func read<Result>(_ body: (borrowing ViewReader) throws -> Result) throws -> Result

    /// One record, hidden or not; `nil` where there is none.
    func record(_ kind: String, _ id: RecordID) throws -> Record?

    /// The positions of the events of one record, ascending; none where there is no such record.
    func positions(of kind: String, _ id: RecordID) throws -> [Position]
}

extension Reading {
    /// One record, hidden or not; `nil` where there is none. Cost: a look-up.
    public func record(_ kind: String, _ id: RecordID) throws -> Record? { try read { try $0.record(kind, id) } }

    /// The positions of the events of one record, ascending; none where there is no such record. Cost: a look-up.
    public func positions(of kind: String, _ id: RecordID) throws -> [Position] {
        try read { try $0.state(of: kind, id)?.history.positions ?? [] }
    }
}

extension Reading {
    /// The name of the log, the same in every store that shares it.
    public var logID: LogID { log.id }

    package var log: EventLog { audit.log }

    package func describing<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw StoreError.wrapping(error, file: StoreFiles(url).log) }
    }

    /// As `describing`, around a closure of the caller: what that throws of its own comes back as it is.
    package func passing<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch {
            throw StoreError.translating(error, file: StoreFiles(url).log) ?? error
        }
    }
}
