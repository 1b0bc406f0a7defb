/// Pseudorandom numbers that are the same for the same seed, on every machine (SplitMix64: Steele, Lea, Flood, "Fast
/// Splittable Pseudorandom Number Generators", 2014).
///
/// The sequences of two seeds share no number within the length that any test uses. Not for keys.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The generator of `seed`.
    ///
    /// The seed is mixed first. If it were only multiplied by the step, seed 8 would give the sequence of seed 7 from
    /// its second number on, and a thousand seeds little more than one sequence.
    public init(seed: UInt64) { state = Self.mix(seed &+ Self.step) }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= Self.step
        return Self.mix(state)
    }

    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns true with `probability`, from 0 (never) to 1 (always).
    public mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    /// The next `count` bytes, each from a separate number.
    public mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
