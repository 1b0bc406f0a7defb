import GroundwaveEventLog

/// What a store takes from outside beside its files: the present moment, and chance.
///
/// Tests put their own in their place: `GroundwaveTesting` has a clock that is moved by hand and numbers from a seed.
/// With both, the same writes give the same bytes.
public struct Surroundings: Sendable {
    /// The present moment. The wall clock drives the stamps, and may be wrong or go back.
    public var now: @Sendable () -> Arrival
    /// A number that nobody can guess: keys, ids and the random bytes before values are made of it.
    public var randomNumber: @Sendable () -> UInt64

    /// The clocks of this machine, and the system's randomness.
    public static let system = Surroundings(now: { .now() }, randomNumber: { .random(in: .min ... .max) })

    /// Surroundings of these parts.
    public init(now: @escaping @Sendable () -> Arrival, randomNumber: @escaping @Sendable () -> UInt64) {
        self.now = now
        self.randomNumber = randomNumber
    }

    package var generator: Generator { Generator(number: randomNumber) }

    /// The same numbers, for what asks for a generator.
    package struct Generator: RandomNumberGenerator {
        package let number: @Sendable () -> UInt64

        package func next() -> UInt64 { number() }
    }
}
