/// What a recorder says of a simulated meter: read from its exported CSV, which is parsed here, and from what it tells of
/// gaps and totals.
public struct Recorded: Sendable {
    /// A row of the CSV.
    public struct Row: Sendable, Hashable {
        /// Milliseconds since 1970.
        public var time: Int64
        /// The counter without overflows; `nil` without one.
        public var tick: Int64?
        /// The rows missing before it.
        public var missing: Int
        /// The rows repeated before it.
        public var repeated: Int
        /// The values by ``Family/channels``, in the integers of the meter; `nil` if the row lacks one.
        public var values: [Int64?]
    }

    /// How missing rows are told.
    public enum Telling: String, Sendable, Hashable {
        case counted, unanswered, estimated
    }

    /// The rows, in order.
    public private(set) var rows: [Row] = []
    /// The rows missing before a row, by how they are told.
    public var gaps: [Int: [Telling: Int]] = [:]
    /// In ampere hours.
    public var charge: Double?
    /// In watt hours.
    public var energy: Double?
    /// How the wall clock was set, in milliseconds; `nil` if it was not asked.
    public var wallSteps: [Int64]?

    /// Why a CSV is none of the meter's.
    public struct Malformed: Error {
        /// The line that is not understood.
        public let line: String
    }

    /// Reads the CSV of a trace of this family.
    public init(csv: String, of family: Family) throws {
        let lines = csv.utf8.split(separator: 10)
        guard let first = lines.first else { throw Malformed(line: "") }
        let names = Self.cells(first).map { String(decoding: $0, as: UTF8.self) }
        func column(_ name: String) throws -> Int {
            // A column is called by its channel and, after an underscore, its unit. The first is the time of the row.
            let index = names.indices.dropFirst().first { names[$0] == name || names[$0].hasPrefix("\(name)_") }
            guard let index else {
                throw Malformed(line: names.joined(separator: ","))
            }
            return index
        }
        let channels = try family.channels.map(column)
        let (missing, repeated) = (try column("missing"), try column("repeats"))
        let tick = family.hasCounter ? try column("tick") : nil
        for line in lines.dropFirst() {
            let cells = Self.cells(line)
            guard cells.count == names.count, let time = Self.time(cells[0]),
                let missing = Self.number(cells[missing]), let repeated = Self.number(cells[repeated])
            else { throw Malformed(line: String(decoding: line, as: UTF8.self)) }
            rows.append(
                Row(
                    time: time, tick: tick.flatMap { Self.number(cells[$0]) }, missing: Int(missing),
                    repeated: Int(repeated), values: channels.map { Self.number(cells[$0]) }))
        }
    }

    private typealias Cell = Substring.UTF8View

    private static func cells(_ line: Cell) -> [Cell] {
        line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { cell in
            cell.last == 13 ? cell.dropLast() : cell
        }
    }

    /// The digits of a decimal number, all of whose decimals are written: its integer.
    private static func number(_ cell: Cell) -> Int64? {
        var (value, isNegative, count) = (Int64(0), false, 0)
        for byte in cell {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): continue
            case 48...57:
                value = value * 10 + Int64(byte - 48)
                count += 1
            default: return nil
            }
        }
        return count == 0 ? nil : isNegative ? -value : value
    }

    /// The milliseconds since 1970 of a time such as 2026-01-01T00:00:00.000Z.
    private static func time(_ cell: Cell) -> Int64? {
        let parts = cell.split { !(48...57).contains($0) }.map { number($0) ?? 0 }
        guard parts.count == 7 else { return nil }
        // Days of the Gregorian calendar, the year beginning in March.
        let (year, month) = parts[1] > 2 ? (parts[0], parts[1] - 3) : (parts[0] - 1, parts[1] + 9)
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + parts[2] - 719_469
        return ((days * 24 + parts[3]) * 60 + parts[4]) * 60_000 + parts[5] * 1_000 + parts[6]
    }
}
