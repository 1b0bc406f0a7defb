import GroundwaveByteCoding
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering

@Suite struct `A block of samples` {
    private static func decoded(_ bytes: [UInt8]) throws -> [[Int64]] {
        try bytes.withSpan { try SampleBlock.decoded($0) }
    }

    @Test(arguments: UInt64(1)...200)
    func `gives back the integers that it was made from`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let rows = [1, 2, 3, 16, 17, 256, 257, 1024, 2049, 4096].randomElement(using: &numbers) ?? 1
        let columns = (0..<Int.random(in: 1...12, using: &numbers)).map { _ in
            Signal.allCases.randomElement(using: &numbers)!.values(rows, &numbers)
        }
        var sums: [Int: SampleBlock.Sum] = [:]
        for column in columns.indices.dropFirst() where Bool.random(using: &numbers) {
            sums[column] = SampleBlock.Sum(
                of: Int.random(in: 0..<column, using: &numbers),
                times: Bool.random(using: &numbers) ? Int.random(in: 0..<column, using: &numbers) : nil)
        }
        let bytes = SampleBlock.encoded(columns, sums: sums)
        #expect(try Self.decoded(bytes) == columns)
        let wanted = columns.map { _ in Bool.random(using: &numbers) }
        let some = try bytes.withSpan { try SampleBlock.decoded($0) { wanted[$0] } }
        #expect(some == columns.indices.map { $0 == 0 || wanted[$0] ? columns[$0] : [] })
        // A fixed width of 64 bits is the most that noise takes, but for what says so.
        #expect(bytes.count <= columns.count * (rows * 9 + 700) + 16)
    }

    @Test func `has the same bytes for the same samples`() throws {
        var numbers = SeededGenerator(seed: 5)
        let columns = Signal.allCases.map { $0.values(500, &numbers) }
        #expect(SampleBlock.encoded(columns) == SampleBlock.encoded(columns))
    }

    /// Runs of one length have an alphabet of one symbol, which is not written. From 129 runs on there are four lanes.
    @Test(arguments: 126...133) func `gives back runs that are all as long`(runs: Int) throws {
        var numbers = SeededGenerator(seed: UInt64(runs))
        var held: [Int64] = []
        for index in 0..<runs {
            let value = 2 * Int64.random(in: -90...90, using: &numbers) + Int64(index % 2)
            held += [value, value, value]
        }
        #expect(try Self.decoded(SampleBlock.encoded([held, held])) == [held, held])
    }

    /// A stream ends with its bytes and with the state that its writer began with. That is no checksum (an event has one):
    /// a wrong bit of its last words can give another value.
    @Test(arguments: [300, 4096]) func `is refused for most wrong bits of its symbols`(rows: Int) throws {
        var numbers = SeededGenerator(seed: 7)
        let bytes = SampleBlock.encoded((0..<5).map { _ in Signal.lattice.values(rows, &numbers) })
        // The residuals of a lattice have no extra bits, so that the block ends with the symbols of its last column.
        let refused = (bytes.count - 100..<bytes.count).count { place in
            var changed = bytes
            changed[place] ^= 1 << UInt8.random(in: 0...7, using: &numbers)
            return (try? Self.decoded(changed)) == nil
        }
        #expect(refused >= 60)
    }

    @Test func `takes any 64-bit integers, and their extremes side by side`() throws {
        let extremes: [Int64] = [.min, .max, 0, -1, 1, .min + 1, .max - 1, .min, .min, .max, .max, 0, 0]
        for rows in 1...extremes.count {
            let columns = [Array(extremes.prefix(rows)), Array(extremes.reversed().prefix(rows))]
            let bytes = SampleBlock.encoded(columns, sums: [1: SampleBlock.Sum(of: 0, times: 0)])
            #expect(try Self.decoded(bytes) == columns)
        }
    }

    @Test(arguments: UInt64(1)...60)
    func `of which bytes are changed, cut or added is refused, or is other samples, and traps nowhere`(
        seed: UInt64
    ) throws {
        var numbers = SeededGenerator(seed: seed)
        let columns = (0..<3).map { _ in Signal.allCases.randomElement(using: &numbers)!.values(300, &numbers) }
        let bytes = SampleBlock.encoded(columns, sums: [2: SampleBlock.Sum(of: 0, times: 1)])
        for _ in 0..<300 {
            var changed = bytes
            switch Int.random(in: 0...3, using: &numbers) {
            case 0: changed.removeLast(Int.random(in: 1...changed.count, using: &numbers))
            case 1: changed.append(UInt8.random(in: 0...255, using: &numbers))
            default:
                for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                    let place = Int.random(in: 0..<changed.count, using: &numbers)
                    changed[place] = UInt8.random(in: 0...255, using: &numbers)
                }
            }
            if let other = try? Self.decoded(changed) {
                #expect(other.count <= SampleBlock.columnLimit)
                #expect(other.allSatisfy { $0.count == other[0].count && $0.count <= SampleBlock.rowLimit })
            }
        }
        for cut in [0, 1, bytes.count / 2] {
            #expect(throws: (any Error).self) { try Self.decoded(Array(bytes.prefix(cut))) }
        }
    }

    @Test(arguments: UInt64(1)...40)
    func `of noise is refused or read, and traps nowhere`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            // A beginning that is right leads further into what follows.
            var bytes: [UInt8] = [
                UInt8.random(in: 1...100, using: &numbers), 2, UInt8.random(in: 20...90, using: &numbers), 1,
            ]
            for _ in 0..<150 {
                bytes.append(UInt8.random(in: 0...255, using: &numbers) & UInt8.random(in: 0...255, using: &numbers))
            }
            _ = try? Self.decoded(bytes)
        }
    }

    @Test func `writes charge and energy from current and voltage, where the meter has summed them up`() throws {
        var numbers = SeededGenerator(seed: 3)
        let rows = 4096
        let current = (0..<rows).map { Int64(200_000 + $0 * 3) + Int64.random(in: -40...40, using: &numbers) }
        let voltage = (0..<rows).map { _ in Int64(90_000) + Int64.random(in: -4...4, using: &numbers) }
        var (charge, energy, charges, energies) = (Int64(777), Int64(123), [Int64](), [Int64]())
        for row in 0..<rows {
            charge += current[row]
            energy += current[row] * voltage[row]
            charges.append(charge / 360_000)
            energies.append(energy / 36_000_000_00)
        }
        let columns = [voltage, current, charges, energies]
        let alone = SampleBlock.encoded(columns)
        let foretold = SampleBlock.encoded(
            columns, sums: [2: SampleBlock.Sum(of: 1), 3: SampleBlock.Sum(of: 0, times: 1)])
        #expect(try Self.decoded(foretold) == columns)
        let withoutSums = SampleBlock.encoded([voltage, current]).count
        // 0.4 bits a row for both, with what says how.
        #expect(foretold.count - withoutSums < rows / 20, "\(foretold.count - withoutSums)")
        #expect(alone.count - withoutSums > rows / 10)
    }
}

/// What columns of meters look like, and what they do not.
enum Signal: CaseIterable {
    case constant, noise, lattice, held, ramp, steps, extremes, walk, counter, sparse

    func values(_ count: Int, _ numbers: inout SeededGenerator) -> [Int64] {
        var value = Int64.random(in: -1_000_000...1_000_000, using: &numbers)
        let start = value
        return (0..<count).map { row in
            switch self {
            case .constant: break
            case .noise: value = start + Int64.random(in: -500...500, using: &numbers)
            case .lattice: value = start + 195 * Int64.random(in: 0...30, using: &numbers)
            case .held: if row % 7 == 0 { value = start + Int64.random(in: -90...90, using: &numbers) }
            case .ramp: value += 17 + Int64.random(in: 0...1, using: &numbers)
            case .steps:
                if Int.random(in: 0..<40, using: &numbers) == 0 {
                    value += Int64.random(in: -90_000...90_000, using: &numbers)
                }
            case .extremes: value = Int64(bitPattern: numbers.next())
            case .walk: value &+= Int64.random(in: -9...9, using: &numbers)
            case .counter: value &+= Int64.random(in: 0...3, using: &numbers)
            case .sparse: value = Int.random(in: 0..<20, using: &numbers) == 0 ? Int64(bitPattern: numbers.next()) : 0
            }
            return value
        }
    }
}
