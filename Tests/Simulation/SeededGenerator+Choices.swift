import GroundwaveSeededNumbers

extension SeededGenerator {
    /// A number of `range`.
    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    /// Whether something happens that does so in `percent` of a hundred cases.
    mutating func happens(_ percent: Int) -> Bool { next() % 100 < UInt64(percent) }

    /// One of `choices`, of which there is at least one.
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[Int(next() % UInt64(choices.count))] }

    /// The sum of `weights` is not 0; the place of one of them, each as often as its weight says.
    mutating func place(weights: [Int]) -> Int {
        var rest = Int(next() % UInt64(weights.reduce(0, +)))
        for (place, weight) in weights.enumerated() {
            if rest < weight { return place }
            rest -= weight
        }
        return weights.count - 1
    }
}
