/// Which rows hold the value of the row before, and how likely that is: by how long it has been held, and by whether
/// another channel is held in that row.
///
/// A meter that is polled faster than it measures repeats itself for some rows, and one that measures its channels in turn
/// renews them alternately.
struct HoldModel: Equatable {
    /// How many lengths of a run are told apart: 1, 2, 4, 8 or 16.
    let lengths: Int
    /// The column whose holding is looked at too.
    let reference: Int?

    /// How many cases are told apart.
    var count: Int { lengths * (reference == nil ? 1 : 2) }

    /// The case of a row: `run` rows were held before it.
    @inline(__always)
    func context(run: Int, isReferenceHeld: Bool) -> Int {
        let length = run < lengths ? run : lengths &- 1
        return isReferenceHeld ? length &+ lengths : length
    }

    /// The case of each row.
    func cases(_ held: [Bool], beside other: [Bool]?) -> [UInt8] {
        var cases = [UInt8](repeating: 0, count: held.count)
        var run = 0
        for row in held.indices.dropFirst() {
            cases[row] = UInt8(context(run: run, isReferenceHeld: other?[row] ?? false))
            run = held[row] ? run &+ 1 : 0
        }
        return cases
    }

    /// The part of 4,096 that a code of one byte stands for: finer towards both ends.
    static func part(of code: UInt8) -> UInt16 {
        let place = UInt16(code < 128 ? code : 255 - code)
        let part = 1 + place * place / 8
        return code < 128 ? part : 4096 - part
    }

    /// The code that comes nearest to `held` of `all`.
    static func code(held: Int, of all: Int) -> UInt8 {
        guard all > 0 else { return 128 }
        let part = Swift.min(4095, Swift.max(1, (held * 4096 + all / 2) / all))
        let isLow = part < 2048
        let distance = Double((isLow ? part : 4096 - part) - 1) * 8
        let place = UInt8(Swift.min(127, distance.squareRoot().rounded()))
        return isLow ? place : 255 - place
    }

    /// How many rows are held in each of the finest cases.
    struct Counts {
        static let lengths = 16
        fileprivate var held = [Int](repeating: 0, count: 2 * lengths)
        fileprivate var all = [Int](repeating: 0, count: 2 * lengths)
        fileprivate let hasReference: Bool

        /// What it takes to tell with so many lengths, and the codes.
        func cost(_ lengths: Int) -> (bits: Double, codes: [UInt8]) {
            var (bits, codes) = (0.0, [UInt8]())
            for start in hasReference ? [0, Self.lengths] : [0] {
                for length in 0..<lengths {
                    let cases = start + length..<(length == lengths - 1 ? start + Self.lengths : start + length + 1)
                    let held = cases.reduce(0) { $0 + self.held[$1] }
                    let all = cases.reduce(0) { $0 + self.all[$1] }
                    for part in [held, all - held] where part > 0 {
                        bits += Double(part) * FrequencyTable.binaryLogarithm(Double(all) / Double(part))
                    }
                    bits += 8
                    codes.append(HoldModel.code(held: held, of: all))
                }
            }
            return (bits, codes)
        }
    }

    static func counts(_ held: [Bool], beside other: [Bool]?) -> Counts {
        var counts = Counts(hasReference: other != nil)
        let finest = HoldModel(lengths: Counts.lengths, reference: nil)
        var run = 0
        for row in held.indices.dropFirst() {
            let place = finest.context(run: run, isReferenceHeld: other?[row] ?? false)
            counts.all[place] &+= 1
            if held[row] {
                counts.held[place] &+= 1
                run &+= 1
            } else {
                run = 0
            }
        }
        return counts
    }
}
