import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords

extension Replayer {
    /// Makes what this program derives from records and the view lacks, and brings the rest up to date with changes that
    /// programs without its code have folded. Returns whether there was anything to do.
    ///
    /// - Complexity: About a microsecond for each record of the kinds concerned, if something is missing; O(changed records),
    ///   at most ``DerivationsLeftBehind/limit``, if something is behind.
    func foldDerivations(into environment: Environment) throws -> Bool {
        let (start, isComplete) = try environment.read { transaction in
            let tables = try ViewTables(in: transaction)
            let directory = try SliceWriter.directory(in: transaction, tables)
            return (
                try Self.checkpoint(in: transaction, tables), KnownDerivations(directory, kinds).isComplete
            )
        }
        try check(start)
        if isComplete { return false }
        let archived = try log.base()?.vector ?? VersionVector()
        try environment.write { transaction in
            // If another process has advanced the view meanwhile, keep its result, and look again.
            guard try Self.checkpoint(in: transaction, ViewTables(in: transaction)) == start else { return }
            var writer = try DerivationCatchUp(transaction, kinds)
            try writer.makeMissing(transaction)
            try writer.follow(transaction)
            try writer.finish(start, archived: archived, transaction)
        }
        return true
    }
}

/// Brings the derivations of one program up to date with the records, inside one write transaction of the view.
private struct DerivationCatchUp {
    private let kinds: Kinds
    private var rows: RowWriter
    private var directory: DerivationDirectory
    /// The derivations that lacked rows, by their places.
    private let missing: [Int]
    private let derivations: KnownDerivations
    private let names: Names
    private var derived = DerivedRowWriter()
    private var blocks: BlockWriter
    private var state = RecordState()
    private var before = IndexEntries()
    private var after = IndexEntries()

    init(_ transaction: borrowing WriteTransaction, _ kinds: Kinds) throws {
        self.kinds = kinds
        rows = try RowWriter(transaction)
        names = try SliceWriter.names(in: transaction, rows.tables)
        directory = try SliceWriter.directory(in: transaction, rows.tables)
        var missing: [Int] = []
        for (place, derivation) in kinds.derivations.enumerated() where directory.place(of: derivation) == nil {
            directory.add(derivation)
            missing.append(place)
        }
        self.missing = missing
        derivations = KnownDerivations(directory, kinds)
        blocks = BlockWriter(kinds: kinds, derivations)
    }

    private mutating func decode(_ row: RawSpan, under key: RawSpan) throws {
        do { try state.decode(row, names: names, keyChecksum: CRC32C.checksum(key)) } catch {
            throw ViewError.damaged("the checksum of a record is wrong")
        }
    }

    /// Makes the rows of the derivations that the view lacks from all records of their kinds.
    mutating func makeMissing(_ transaction: borrowing WriteTransaction) throws {
        for place in missing {
            let derivation = kinds.derivations[place]
            for kind in derivation.kinds {
                let prefix = RecordKey.prefix(kind: kind)
                if derivation.role == .cells {
                    try noteCells(ofRecordsBeginningWith: prefix, transaction)
                    continue
                }
                try transaction.withCursor(rows.tables.records) { cursor in
                    try cursor.forEach(from: prefix, confirming: CheckedRow.check) { key, row in
                        try decode(row, under: key)
                        guard ViewReader.key(key, hasPrefix: prefix), let (_, record) = RecordKey.parse(key) else {
                            return false
                        }
                        derivation.makeRows(of: record, kind, state, names, kinds[kind], into: &after)
                        derived.add(after, of: derivations.numbers[place], record)
                        return true
                    }
                }
            }
        }
    }

    /// Has the cells of the blocks under `prefix` computed anew.
    private mutating func noteCells(
        ofRecordsBeginningWith prefix: [UInt8], _ transaction: borrowing WriteTransaction
    ) throws {
        try transaction.withCursor(rows.tables.blocks) { cursor in
            try cursor.forEach(from: prefix, confirming: CheckedRow.check) { key, row in
                try CheckedRow.check(key, row)
                guard ViewReader.key(key, hasPrefix: prefix) else { return false }
                guard key.byteCount > 32,
                    let (kind, record) = RecordKey.parse(key.extracting(0..<(key.byteCount - 32))),
                    let block = BlockRow.block(key, row, of: RecordKey.of(kind: kind, record))
                else { throw ViewError.damaged("the key of a block is malformed") }
                blocks.noteCells(of: block, kind, record)
                return true
            }
        }
    }

    /// Brings the derivations that are behind up to date with the records that changed.
    mutating func follow(_ transaction: borrowing WriteTransaction) throws {
        for (place, derivation) in kinds.derivations.enumerated() {
            let number = derivations.numbers[place]
            guard directory.items.contains(where: { $0.number == number && $0.behind > 0 }) else { continue }
            let prefix = DerivedKey.prefix(of: number)
            var kept: [(record: [UInt8], row: [UInt8])] = []
            try transaction.withCursor(rows.tables.behind) { cursor in
                try cursor.forEach(from: prefix, confirming: CheckedRow.check) { key, row in
                    try CheckedRow.check(key, row)
                    guard ViewReader.key(key, hasPrefix: prefix) else { return false }
                    kept.append(
                        (key.extracting(2..<key.byteCount).toArray(), row.extracting(4..<row.byteCount).toArray()))
                    return true
                }
            }
            for (record, row) in kept {
                if derivation.role == .cells {
                    try removeCells(of: number, record, transaction)
                    try noteCells(ofRecordsBeginningWith: record, transaction)
                } else {
                    try follow(record, from: row, place, transaction)
                }
            }
            try rows.removeRows(of: .behind, from: rows.tables.behind, beginningWith: prefix, transaction)
            directory.setBehind(number, 0)
        }
    }

    private mutating func removeCells(
        of number: UInt16, _ record: [UInt8], _ transaction: borrowing WriteTransaction
    ) throws {
        let prefix = DerivedKey.prefix(of: number) + record.suffix(16)
        try rows.removeRows(of: .cells, from: rows.tables.cells, beginningWith: prefix, transaction)
    }

    /// Replaces the rows that were made of `row`, which the record under `key` had, by those of its present one.
    private mutating func follow(
        _ key: [UInt8], from row: [UInt8], _ place: Int, _ transaction: borrowing WriteTransaction
    ) throws {
        let derivation = kinds.derivations[place]
        guard let (kind, record) = key.withSpan({ RecordKey.parse($0) }) else {
            throw ViewError.damaged("the key of a record is malformed")
        }
        before.removeAll()
        if !row.isEmpty {
            try decode(row.span.bytes, under: key.span.bytes)
            derivation.makeRows(of: record, kind, state, names, kinds[kind], into: &before)
        }
        after.removeAll()
        let isThere =
            try transaction.withValue(key, in: rows.tables.records, confirming: CheckedRow.check) { row in
                try decode(row, under: key.span.bytes)
                return true
            } ?? false
        if isThere { derivation.makeRows(of: record, kind, state, names, kinds[kind], into: &after) }
        try derived.replace(before, by: after, of: derivations.numbers[place], record, &rows, transaction)
    }

    /// Writes the rows in order, the directory and the checkpoint.
    mutating func finish(
        _ checkpoint: Checkpoint, archived: VersionVector, _ transaction: borrowing WriteTransaction
    ) throws {
        try derived.finish(isEmpty: false, &rows, transaction)
        try blocks.finish(&rows, archived: archived, transaction)
        try rows.put(directory, transaction)
        try rows.put(checkpoint, transaction)
    }
}
