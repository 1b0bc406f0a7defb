import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMDBPages

/// A comparison of the present views with those folded from the log again.
public struct ViewComparison: Hashable, Sendable {
    /// The number of events folded.
    public let events: Int
    /// The digest of the present views; `nil` if they could not be read.
    public let before: ViewDigest?
    /// Why the present views could not be read.
    public let trouble: String?
    /// The digest of the newly folded views.
    public let after: ViewDigest

    /// Whether the views matched the log.
    public var isSame: Bool { before == after }
}

extension Views {
    /// Folds the log into a new file at `path`, as far as the present views go, and compares the two.
    ///
    /// Writes nothing to the store. The caller must remove the file at `path`. If the present views cannot be read,
    /// the whole log is folded.
    ///
    /// - Complexity: One replay and two passes over the records, one of them on another core; a third one if the rows are
    ///   not the same byte for byte.
    public func compare(foldingInto path: String) throws -> ViewComparison {
        let (environment, comparison) = try compared(foldingInto: path)
        environment.close()
        return comparison
    }

    /// Rebuilds the views in a new file, compares it with the present one, and replaces that.
    ///
    /// Events written meanwhile are in the new views, but not in the comparison.
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
        let start = try present { $0.position }.value
        // Another core reads the present views while this one folds.
        var reading = OrderedWork<Result<Present<DigestedViews>, any Error>>()
        reading.add {
            Result { try self.present { DigestedViews(digest: try $0.digest(), $0.position, $0.content) } }
        }
        var (environment, events) = try Self.build(
            at: path, of: log, kinds: kinds, through: start ?? log.lastPosition())
        guard let (before, trouble) = try reading.next()?.get() else {
            preconditionFailure("The result that was added is there.")
        }
        // The present views may have advanced meanwhile.
        events += try replayer.catchUp(environment, through: before?.position ?? log.lastPosition()).events
        let after = try environment.read { transaction in
            try ViewReader.lend(transaction, kinds: kinds) { folded in
                if let before, try hasRows(of: folded, before) { return before.digest }
                return try folded.digest()
            }
        }
        return (
            environment,
            ViewComparison(events: events, before: before?.digest, trouble: trouble, after: after)
        )
    }

    /// The digest of views, and what they were of.
    private struct DigestedViews {
        let digest: ViewDigest
        let position: Position
        let content: LogContent

        init(digest: ViewDigest, _ position: Position, _ content: LogContent) {
            (self.digest, self.position, self.content) = (digest, position, content)
        }
    }

    /// Whether the present views are still those that were digested, and have the rows of `folded`.
    private func hasRows(of folded: borrowing ViewReader, _ digested: DigestedViews) throws -> Bool {
        try present { view in
            try view.position == digested.position && view.content == digested.content
                && folded.position == digested.position && view.hasRows(of: folded)
        }.value ?? false
    }

    private typealias Present<Value> = (value: Value?, trouble: String?)

    /// Returns what `body` reads of the present views, or why they cannot be read.
    private func present<Value>(_ body: (borrowing ViewReader) throws -> Value) throws -> Present<Value> {
        do {
            do { return (try readOnce(body), nil) } catch ViewError.behind {
                try catchUp()
                return (try readOnce(body), nil)
            }
        } catch let error as ViewError {
            return (nil, error.explanation)
        } catch let error as LMDBError where error.meansDamage { return (nil, "\(error)") }
    }
}

extension ViewReader {
    /// Whether all that a digest is made of is in `other` byte for byte. Views with the same digest may have other rows,
    /// since local numbers follow the order in which events came.
    fileprivate func hasRows(of other: borrowing ViewReader) throws -> Bool {
        guard names.encode() == other.names.encode() else { return false }
        return try hasRows(of: other, tables.records, other.tables.records)
            && hasRows(of: other, tables.blocks, other.tables.blocks)
    }

    private func hasRows(
        of other: borrowing ViewReader, _ table: Table<[UInt8]>, _ otherTable: Table<[UInt8]>
    ) throws -> Bool {
        try other.transaction.withCursor(otherTable) { theirs in
            var isSame = true
            var isThere = try theirs.first()
            try transaction.withCursor(table) { ours in
                try ours.forEach { key, row in
                    isSame =
                        try isThere
                        && theirs.withEntry { $0.elementsEqual(key) && $1.elementsEqual(row) }
                    if isSame { isThere = try theirs.next() }
                    return isSame
                }
            }
            return isSame && !isThere
        }
    }
}

extension ViewError {
    /// A description of what is wrong with the views.
    public var explanation: String {
        switch self {
        case .damaged(let what): "damaged: \(what)"
        case .stale: "from another version or history"
        case .behind, .readOnly: "behind the log"
        }
    }
}

extension Views {
    /// Returns the digest of the state after the event at `position`: from these views if they are at that position,
    /// otherwise from a fold into a new file at `path`, which the caller must then remove.
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
