import GroundwaveEventLog
import GroundwaveLogFormat

/// The external inputs of a store besides its files: time and randomness.
///
/// Tests replace them: `GroundwaveTesting` has a clock that is moved by hand and numbers from a seed. With both, the
/// same writes give the same bytes.
public struct Surroundings: Sendable {
    /// Returns the present time. The wall clock drives the stamps, and may be wrong or go back.
    public var now: @Sendable () -> Arrival
    /// Returns a number that nobody can guess: keys, IDs and the random bytes before values are made of it.
    public var randomNumber: @Sendable () -> UInt64

    /// The clocks of this machine, and the system's randomness.
    public static let system = Surroundings(now: { .now() }, randomNumber: { .random(in: .min ... .max) })

    /// Creates surroundings.
    public init(now: @escaping @Sendable () -> Arrival, randomNumber: @escaping @Sendable () -> UInt64) {
        self.now = now
        self.randomNumber = randomNumber
    }

    package var generator: Generator { Generator(number: randomNumber) }

    /// A generator that returns the same numbers.
    package struct Generator: RandomNumberGenerator {
        package let number: @Sendable () -> UInt64

        package func next() -> UInt64 { number() }
    }
}
