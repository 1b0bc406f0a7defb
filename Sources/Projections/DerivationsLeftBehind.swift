import GroundwaveByteCoding
import GroundwaveLMDB

/// Keeps what the derivations of other programs need to follow later: the rows that changed records had before.
///
/// A derivation that would be behind on more than ``limit`` records is removed: making it anew costs no more.
struct DerivationsLeftBehind {
    private let kinds: [String: [UInt16]]
    private let cells: [String: [UInt16]]
    /// The number of records that each is behind on, of those that changed.
    private var behind: [UInt16: Int] = [:]
    private var known: [UInt16: Int] = [:]
    /// The records whose blocks were seen already.
    private var seen: Set<[UInt8]> = []

    /// The greatest number of records that a derivation may be behind on.
    static let limit = 4096

    init(_ derivations: KnownDerivations) {
        (kinds, cells) = (derivations.others, derivations.otherCells)
        if kinds.isEmpty && cells.isEmpty { return }
        for item in derivations.directory.items { known[item.number] = item.behind }
    }

    /// Whether rows of records of `kind` are to be kept.
    func concern(_ kind: String) -> Bool { !kinds.isEmpty && kinds[kind] != nil }

    /// Keeps `row`, that of the record under `key` before it changes; an empty one for a new record.
    mutating func keep(
        _ row: RawSpan, of key: [UInt8], _ kind: String, _ rows: inout RowWriter,
        _ transaction: borrowing WriteTransaction
    ) throws {
        for number in kinds[kind] ?? [] { try keep(row, of: key, for: number, &rows, transaction) }
    }

    /// Notes that the series of the record under `key` changes.
    mutating func keepCells(
        of key: [UInt8], _ kind: String, _ rows: inout RowWriter, _ transaction: borrowing WriteTransaction
    ) throws {
        guard !cells.isEmpty, let numbers = cells[kind], seen.insert(key).inserted else { return }
        for number in numbers {
            try [UInt8]().withSpan { try keep($0, of: key, for: number, &rows, transaction) }
        }
    }

    private mutating func keep(
        _ row: RawSpan, of key: [UInt8], for number: UInt16, _ rows: inout RowWriter,
        _ transaction: borrowing WriteTransaction
    ) throws {
        let count = behind[number] ?? known[number] ?? 0
        guard count < Self.limit else { return behind[number] = Self.limit + 1 }
        if try rows.keep(row, of: key, for: number, transaction) { behind[number] = count + 1 }
    }

    /// Writes which derivations are behind into `directory`, if that has changed, and removes those that are too far.
    func finish(
        _ directory: DerivationDirectory, _ rows: inout RowWriter, _ transaction: borrowing WriteTransaction
    ) throws {
        if behind.isEmpty { return }
        var directory = directory
        for (number, count) in behind.sorted(by: { $0.key < $1.key }) {
            if count > Self.limit {
                try rows.removeAll(of: number, transaction)
                directory.remove(number)
            } else {
                directory.setBehind(number, count)
            }
        }
        try rows.put(directory, transaction)
    }
}
