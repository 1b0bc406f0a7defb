import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// What an author saw before a write, if it must still be so: see
/// ``Store/write(note:author:expecting:id:correlation:causation:_:)``.
///
/// ```swift
/// let seen = try store.record("inspection", id)
/// try await store.write(expecting: .unchanged([seen])) { … }
/// ```
public struct Expectation: Hashable, Sendable {
    private enum Basis: Hashable, Sendable {
        case log(ChangeToken)
        case records([Record])
    }

    private let basis: Basis

    /// No event touched these records since they were read, by whomever; not even one that changes nothing that shows.
    public static func unchanged(_ records: [Record]) -> Expectation { Expectation(basis: .records(records)) }

    /// Nothing was appended to the log since `token`, from this device or another one. The event with which a copied or
    /// restored store introduces itself does not count.
    public static func unchanged(since token: ChangeToken) -> Expectation { Expectation(basis: .log(token)) }

    /// Throws unless the state that `batch` reads is the expected one.
    ///
    /// - Throws: ``StoreError`` with code `conflict`.
    func check(_ batch: inout WriteBatch) throws {
        switch basis {
        case .records(let records):
            for seen in records where try batch.record(seen.kind, seen.id) != seen {
                throw Self.conflict("The \(seen.kind) with the id \(seen.id.short) has changed since it was read.")
            }
        case .log(let token):
            guard try batch.isUnchanged(since: token) else {
                throw Self.conflict("The log has changed since \(token).")
            }
        }
    }

    private static func conflict(_ message: String) -> StoreError {
        StoreError(
            .conflict, message, hint: "Nothing was written. Read again what was written meanwhile, and decide anew.")
    }
}

extension WriteBatch {
    /// Whether nothing was appended to the log since `token`, but for the introduction of this replica.
    fileprivate mutating func isUnchanged(since token: ChangeToken) throws -> Bool {
        try read { _ in }
        let log = views.log
        guard try log.hasHistory(of: token) else { return false }
        var position = token.position
        while let (event, change) = try log.change(at: position + 1) {
            guard change.kind == ReplicaKind.name, event.replica == replica else { return false }
            position += 1
        }
        return try position == log.lastPosition()
    }
}
