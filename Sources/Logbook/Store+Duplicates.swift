import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// The rule for which of several duplicates to keep.
public enum DuplicateRule: Hashable, Sendable {
    /// The one with more fields; if equal, the one that was written down first.
    case more
    /// The one that the import of this file wrote, by the file's name or that of its source; else as `more`.
    case file(String)
}

extension Reading {
    /// Returns the pairs of contacts that may be duplicates, in order of time. Nothing is ever merged without a
    /// request.
    ///
    /// See ``DuplicatePair`` for what makes a pair. Hidden contacts, notes of an activation and dismissed pairs
    /// are left out.
    ///
    /// - Parameter window: The maximum number of seconds between two starts, from 0 to
    ///   ``DuplicatePair/maximumWindow``.
    /// - Throws: ``StoreError`` with code `usage` if the window is out of this range.
    /// - Complexity: One pass over all contacts.
    public func duplicates(within window: Int64 = DuplicatePair.defaultWindow) throws -> [DuplicatePair] {
        try Self.check(window)
        return try read { try $0.duplicatePairs(within: window) }
    }

    /// Returns the groups that the pairs of ``duplicates(within:)`` form, each with the contact that `rule` keeps; in
    /// the order of ``DuplicateGroup/all(of:ranks:isDismissed:)``.
    ///
    /// - Throws: ``StoreError`` with code `usage` as above, and `notFound` if the file of `rule` was not imported.
    /// - Complexity: As ``duplicates(within:)``, and a look-up for each contact of a pair.
    public func duplicateGroups(
        within window: Int64 = DuplicatePair.defaultWindow, keeping rule: DuplicateRule = .more
    ) throws -> [DuplicateGroup] {
        try Self.check(window)
        return try read { view in
            let pairs = try view.duplicatePairs(within: window)
            let wanted: Set<RecordID>
            if case .file(let name) = rule { wanted = try Self.imports(of: name, in: view) } else { wanted = [] }
            let imports = ImportsOfContacts(log)
            var ranks: [RecordID: DuplicateRank] = [:]
            for id in Set(pairs.flatMap { [$0.first.id, $0.second.id] }) {
                guard let record = try view.record(QSOKind.name, id) else { continue }
                let isPreferred = try !wanted.isEmpty && !imports.imports(of: record).isDisjoint(with: wanted)
                ranks[id] = DuplicateRank(record, isPreferred: isPreferred)
            }
            return try DuplicateGroup.all(of: pairs, ranks: ranks) { try view.isDismissed($0, $1) }
        }
    }

    private static func check(_ window: Int64) throws {
        guard 0...DuplicatePair.maximumWindow ~= window else {
            throw StoreError(
                .usage, "A window of \(window) seconds is not possible.",
                hint: "Use 0 to \(DuplicatePair.maximumWindow) seconds.")
        }
    }

    /// Returns the imports of a file with this name, with or without its folder, or of this source; upper and lower
    /// case are equal.
    private static func imports(of name: String, in view: borrowing ViewReader) throws -> Set<RecordID> {
        func text(_ field: String, _ record: Record) -> String? {
            ImportKind.schema.value(of: field, in: record).map { String(decoding: $0, as: UTF8.self).lowercased() }
        }
        let wanted = name.lowercased()
        var found: Set<RecordID> = []
        try view.forEachRecord(of: ImportKind.name) { record in
            let file = text("FILE", record) ?? ""
            let names = [file, URL(filePath: file).lastPathComponent, text("SOURCE", record) ?? ""]
            if names.contains(wanted) { found.insert(record.id) }
            return true
        }
        guard !found.isEmpty else {
            throw StoreError(
                .notFound, "No file or source called \(name) was imported.",
                hint: "To see the imports: \(.list(.imports))")
        }
        return found
    }
}

/// Finds the imports that wrote what contacts show, at the ends of their batches. Each batch end is read once.
private final class ImportsOfContacts {
    private let log: EventLog
    private var known: [Position: RecordID?] = [:]

    init(_ log: EventLog) { self.log = log }

    /// Returns the imports that wrote a value which still counts.
    func imports(of record: Record) throws -> Set<RecordID> {
        var found: Set<RecordID> = []
        for position in Set(record.fields.flatMap(\.heads).filter { $0.source != nil }.map(\.position)) {
            guard let closing = try log.withEvent(at: position, { frame, _ in position + UInt64(frame.rest) }) else {
                continue
            }
            if known[closing] == nil {
                let change = try log.change(at: closing)?.change
                known[closing] = .some(change?.kind == ImportKind.name ? change?.record : nil)
            }
            if let id = known[closing] ?? nil { found.insert(id) }
        }
        return found
    }
}
