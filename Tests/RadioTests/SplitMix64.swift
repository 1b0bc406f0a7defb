/// The generator of all seeded tests: the same seed gives the same test on every machine (Steele, Lea, Flood, 2014).
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    /// The seed is mixed first: were it only multiplied by the step, seed 8 would be seed 7 from its second number on,
    /// and a thousand seeds little more than one.
    init(seed: UInt64) { state = Self.mix(seed &+ 0x9E37_79B9_7F4A_7C15) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
