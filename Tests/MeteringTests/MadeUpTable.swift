import Foundation
import GroundwaveSeededNumbers

/// A table as some program might write it, and the numbers in it.
struct MadeUpTable {
    var text = ""
    var channels: [String] = []
    var times: [Int64] = []
    var values: [[Int64?]] = []

    init(_ numbers: inout SeededGenerator) {
        let count = Int.random(in: 1...5, using: &numbers)
        let delimiter = [",", ";", "\t"].randomElement(using: &numbers)!
        let point = delimiter == "," ? "." : [".", ","].randomElement(using: &numbers)!
        let ending = ["\n", "\r\n"].randomElement(using: &numbers)!
        channels = (0..<count).map { "x\($0)=column \($0):none" }
        values = Array(repeating: [], count: count)
        text = (["time"] + (0..<count).map { "column \($0)" }).joined(separator: delimiter) + ending
        var time = Int64(0)
        for _ in 0..<Int.random(in: 1...300, using: &numbers) {
            time += Int64.random(in: 0...2000, using: &numbers)
            var fields = ["\(time)"]
            var row: [Int64?] = (0..<count).map { _ in
                switch Int.random(in: 0..<8, using: &numbers) {
                case 0: nil
                // With fewer decimals than the others.
                case 1: Int64.random(in: -9_999...9_999, using: &numbers) * 1000
                default: Int64.random(in: -9_999_999...9_999_999, using: &numbers)
                }
            }
            if row.allSatisfy({ $0 == nil }) { row[0] = 1 }
            for value in row { fields.append(value.map { written($0, point, &numbers) } ?? "") }
            for (index, value) in row.enumerated() { values[index].append(value) }
            times.append(time)
            text += fields.joined(separator: delimiter) + ending
        }
    }

    func power(_ exponent: Int) -> Int64 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

    /// Writes millionths in one of the forms that programs use.
    private func written(_ value: Int64, _ point: String, _ numbers: inout SeededGenerator) -> String {
        let digits = String(repeating: "0", count: max(0, 7 - String(value.magnitude).count)) + "\(value.magnitude)"
        let sign = value < 0 ? "-" : ["", "+"].randomElement(using: &numbers)!
        let form = value % 1000 == 0 ? 4 : Int.random(in: 0..<4, using: &numbers)
        let text =
            switch form {
            case 0: "\(digits)e-06"
            case 1: "\(digits.dropLast(6))\(point)\(digits.suffix(6))"
            case 4: "\(digits.dropLast(6))\(point)\(digits.dropLast(3).suffix(3))"
            case 2: "  \(digits.dropLast(6))\(point)\(digits.suffix(6))000 "
            default: "\(digits.dropLast(3))\(point)\(digits.suffix(3))E-3"
            }
        let whole = text.hasPrefix(" ") ? "  " + sign + text.dropFirst(2) : sign + text
        return Bool.random(using: &numbers) ? whole : "\"\(whole.trimmingCharacters(in: .whitespaces))\""
    }
}
