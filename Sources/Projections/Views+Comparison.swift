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
    /// What was derived from records and is not what the newly folded views have, such as `the indexes of qso`; none if the
    /// present views could not be read.
    public let differing: [String]

    /// Whether the views matched the log.
    public var isSame: Bool { before == after && differing.isEmpty }
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
        var differing: [String] = []
        let after = try environment.read { transaction in
            try ViewReader.lend(transaction, kinds: kinds) { folded in
                guard let before else { return try folded.digest() }
                differing = try self.differing(from: folded, before)
                return try hasRows(of: folded, before) ? before.digest : folded.digest()
            }
        }
        return (
            environment,
            ViewComparison(
                events: events, before: before?.digest, trouble: trouble, after: after, differing: differing)
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

    /// What this program derives from records and has other rows in the present views than in `folded`; none if the present
    /// views are no longer those that were digested, since then they went on, and are compared at the next time.
    private func differing(from folded: borrowing ViewReader, _ digested: DigestedViews) throws -> [String] {
        try present { view in
            guard view.position == digested.position, view.content == digested.content,
                folded.position == digested.position
            else { return [] }
            var differing: [String] = []
            for place in kinds.derivations.indices where try !view.hasDerived(place, of: folded) {
                differing.append(kinds.derivations[place].description)
            }
            return differing
        }.value ?? []
    }

    private typealias Present<Value> = (value: Value?, trouble: String?)

    /// Returns what `body` reads of the present views, or why they cannot be read.
    private func present<Value>(_ body: (borrowing ViewReader) throws -> Value) throws -> Present<Value> {
        do {
            do { return (try readOnce(body), nil) } catch ViewError.behind {
                return (try read(body), nil)
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

    /// Whether the rows of the derivation at `place` are those of `other`, which may have it under another number.
    fileprivate func hasDerived(_ place: Int, of other: borrowing ViewReader) throws -> Bool {
        let (ours, theirs) = (derivations.numbers[place], other.derivations.numbers[place])
        return try hasRows(of: other, tables.index, other.tables.index, numbered: (ours, theirs))
            && hasRows(of: other, tables.cells, other.tables.cells, numbered: (ours, theirs))
    }

    /// Compares two tables row by row: all of them, or those of a derivation, without its number and the checksum that
    /// depends on it.
    private func hasRows(
        of other: borrowing ViewReader, _ table: Table<[UInt8]>, _ otherTable: Table<[UInt8]>,
        numbered numbers: (ours: UInt16, theirs: UInt16)? = nil
    ) throws -> Bool {
        let (prefix, otherPrefix) = (
            numbers.map { DerivedKey.prefix(of: $0.ours) } ?? [], numbers.map { DerivedKey.prefix(of: $0.theirs) } ?? []
        )
        let skipped = numbers == nil ? 0 : 4
        func isSame(_ key: RawSpan, _ row: RawSpan, _ otherKey: RawSpan, _ otherRow: RawSpan) -> Bool {
            key.extracting(prefix.count..<key.byteCount).elementsEqual(
                otherKey.extracting(otherPrefix.count..<otherKey.byteCount))
                && row.byteCount >= skipped && otherRow.byteCount >= skipped
                && row.extracting(skipped..<row.byteCount).elementsEqual(
                    otherRow.extracting(skipped..<otherRow.byteCount))
        }
        return try other.transaction.withCursor(otherTable) { theirs in
            func isTheirs() throws -> Bool { try theirs.withEntry { key, _ in Self.key(key, hasPrefix: otherPrefix) } }
            var isSoFarSame = true
            var isThere = try otherPrefix.isEmpty ? theirs.first() : theirs.seek(atOrAfter: otherPrefix)
            if isThere { isThere = try isTheirs() }
            try transaction.withCursor(table) { ours in
                try ours.forEach(from: prefix.isEmpty ? nil : prefix) { key, row in
                    guard Self.key(key, hasPrefix: prefix) else { return false }
                    isSoFarSame = try isThere && theirs.withEntry { isSame(key, row, $0, $1) }
                    if isSoFarSame, try theirs.next() { isThere = try isTheirs() } else { isThere = false }
                    return isSoFarSame
                }
            }
            return isSoFarSame && !isThere
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
