import EventLog
import Events
import Foundation
import LMDB

/// The present views beside those that the log folds to anew.
public struct ViewComparison: Hashable, Sendable {
    /// How many events were folded.
    public let events: Int
    /// Up to which event both were compared.
    public let position: Position
    /// The digest of the views as they were; `nil` where they could not be read.
    public let before: ViewDigest?
    /// Why they could not be read.
    public let trouble: String?
    /// The digest of the views that were folded anew.
    public let after: ViewDigest

    /// Whether the views were what the log says.
    public var isSame: Bool { before == after }
}

extension Views {
    /// Folds the log anew in a file at `path`, as far as the present views are, and compares the two.
    ///
    /// Nothing of the store is written; the file at `path` stays and is the caller's to remove. Where the present
    /// views cannot be read, the whole log is folded.
    ///
    /// - Complexity: One replay and two passes over the records.
    public func compare(foldingInto path: String) throws -> ViewComparison {
        let (environment, comparison) = try compared(foldingInto: path)
        environment.close()
        return comparison
    }

    /// Builds the views anew beside the present ones, compares the two, and lets the new ones take their place.
    ///
    /// What is written meanwhile is in the new ones too, and not in the comparison.
    public func rebuildComparing() throws -> ViewComparison {
        guard !isReadOnly else { throw ViewError.readOnly }
        return try replaceFile { aside in
            let (environment, comparison) = try compared(foldingInto: aside)
            defer { environment.close() }
            _ = try replayer.catchUp(environment)
            try environment.synchronise()
            let checkpoint = try environment.read { try Replayer.checkpoint(in: $0, ViewTables(in: $0)) }
            return (comparison, Rebuild(reason: "requested", events: comparison.events, isRepair: false), checkpoint)
        }
    }

    private func compared(foldingInto path: String) throws -> (Environment, ViewComparison) {
        var before: (digest: ViewDigest, position: Position)?
        var trouble: String?
        do {
            do { before = try readOnce { (try $0.digest(), $0.position) } } catch ViewError.behind {
                try catchUp()
                before = try readOnce { (try $0.digest(), $0.position) }
            }
        } catch let error as ViewError {
            trouble = error.explanation
        } catch let error as LMDBError where error.meansDamage { trouble = "\(error)" }
        let end = try before?.position ?? log.lastPosition()
        let (environment, events) = try Self.build(at: path, of: log, kinds: kinds, through: end)
        let after = try environment.read { transaction in
            try ViewReader.lend(transaction, kinds: kinds) { try $0.digest() }
        }
        return (
            environment,
            ViewComparison(
                events: events, position: end, before: before?.digest, trouble: trouble, after: after)
        )
    }
}

extension ViewError {
    /// What is wrong with the views, in words.
    public var explanation: String {
        switch self {
        case .damaged(let what): "damaged: \(what)"
        case .stale: "from another version or history"
        case .behind, .readOnly: "behind the log"
        }
    }
}

extension Views {
    /// The digest of the state after the event at `position`: of these views where they are there, else of a fold into
    /// a file at `path`, which is then the caller's to remove.
    public func digest(at position: Position, foldingInto path: String) throws -> ViewDigest {
        let present = try read { view in view.position == position ? try view.digest() : nil }
        if let present { return present }
        let environment = try Self.build(at: path, of: log, kinds: kinds, through: position).environment
        defer { environment.close() }
        return try environment.read { transaction in
            try ViewReader.lend(transaction, kinds: kinds) { try $0.digest() }
        }
    }
}
