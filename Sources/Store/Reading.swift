import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// A state that can be read: a ``Store`` at present, or a ``PastStore`` at some point. Only a `Store` can be written.
///
/// All queries for contacts, sessions, settings and history go through it, so that they work for any moment.
public protocol Reading: Sendable {
    /// The folder of the store.
    var url: URL { get }
    /// The replica that this device writes as; `nil` if the store is opened without its key.
    var replica: ReplicaID? { get }
    /// The known kinds.
    var kinds: Kinds { get }
    /// The parts of the library that the store was opened with.
    var components: [StoreComponent] { get }
    /// The history of the events that belong to this state: who did what when.
    var audit: Audit { get }

    /// Reads from one state of the views: all answers within `body` belong together.
    ///
    /// Synchronous, on any thread; never blocks a writer. The errors that `body` itself throws pass unchanged.
    ///
    /// - Throws: ``StoreError`` as ``Store/read(_:)``; what `body` throws.
    func read<Result>(_ body: (borrowing ViewReader) throws -> Result) throws -> Result

    /// Returns one record, hidden or not; `nil` if there is none.
    ///
    /// - Throws: As ``read(_:)``.
    func record(_ kind: String, _ id: RecordID) throws -> Record?

    /// Returns the positions of the events of one record, ascending; empty if there is no such record.
    ///
    /// - Throws: As ``read(_:)``.
    func positions(of kind: String, _ id: RecordID) throws -> [Position]
}

extension Reading {
    /// Returns one record, hidden or not; `nil` if there is none. Cost: a look-up.
    ///
    /// - Throws: As ``read(_:)``.
    public func record(_ kind: String, _ id: RecordID) throws -> Record? { try read { try $0.record(kind, id) } }

    /// Returns the positions of the events of one record, ascending; empty if there is no such record. Cost: a
    /// look-up.
    ///
    /// - Throws: As ``read(_:)``.
    public func positions(of kind: String, _ id: RecordID) throws -> [Position] {
        try read { try $0.state(of: kind, id)?.history.positions ?? [] }
    }
}

extension Reading {
    /// Returns the schema by which records of `kind` are read: the registered one, or else what the log says about the kind,
    /// if a program with its code has written it; `nil` if neither is there. Cost: nothing, or a look-up.
    ///
    /// - Throws: ``StoreError`` if the views cannot be read.
    public func schema(of kind: String) throws -> KindSchema? {
        try kinds[kind] ?? describing { try audit.schema(of: kind) }
    }

    /// The ID of the log, the same in every store that shares it.
    public var logID: LogID { log.id }

    package var log: EventLog { audit.log }

    package func describing<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try using(body) } catch { throw StoreError.wrapping(error, file: StoreFiles(url).log) }
    }

    /// As `describing`, for a closure of the caller: errors that are not of the store pass unchanged.
    package func passing<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try using(body) } catch {
            throw StoreError.translating(error, file: StoreFiles(url).log) ?? error
        }
    }

    /// Runs `body` as one use of the store: it is not suspended meanwhile.
    private func using<Result>(_ body: () throws -> Result) throws -> Result {
        // The first cast costs nothing.
        guard let usage = (self as? Store)?.usage ?? (self as? any StoreUser)?.usage else { return try body() }
        return try usage.using(body)
    }
}

/// What reads the files of a store.
package protocol StoreUser {
    /// Counts the uses of the files.
    var usage: Usage { get }
}
