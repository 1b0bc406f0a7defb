import Groundwave
import Synchronization

/// A clock for stores under test, which moves only when the test advances it.
///
/// ```swift
/// let clock = VirtualClock()
/// let temporary = try await TemporaryStore(Configuration(surroundings: .virtual(clock, seed: 1)))
/// clock.advance(by: .seconds(90))
/// ```
public final class VirtualClock: Sendable {
    private let moment: Mutex<Arrival>

    /// A clock at `milliseconds` since 1970; the default is 2026-01-01.
    ///
    /// - Parameters:
    ///   - milliseconds: The time that it shows, since 1970.
    ///   - boot: The identifier of the machine's boot; zeros if it is unknown.
    public init(milliseconds: Int64 = 1_767_225_600_000, boot: [UInt8] = [UInt8](repeating: 1, count: 16)) {
        moment = Mutex(Arrival(wallMilliseconds: milliseconds, monotonicMilliseconds: 0, boot: boot))
    }

    /// The moment it shows.
    public var now: Arrival { moment.withLock { $0 } }

    /// Lets time pass.
    public func advance(by duration: Duration) {
        let milliseconds = Int64(duration / .milliseconds(1))
        moment.withLock { moment in
            moment.wallMilliseconds += milliseconds
            moment.monotonicMilliseconds += milliseconds
        }
    }

    /// Sets the wall clock, forwards or back, as a person or a time server does; the monotonic time does not change.
    public func setWall(milliseconds: Int64) { moment.withLock { $0.wallMilliseconds = milliseconds } }
}

extension Surroundings {
    /// A clock that is moved by hand, and random numbers from a seed: the same writes give the same bytes.
    public static func virtual(_ clock: VirtualClock, seed: UInt64) -> Surroundings {
        let numbers = SharedGenerator(seed: seed)
        return Surroundings(now: { clock.now }, randomNumber: { numbers.next() })
    }
}

/// A seeded generator that several threads may use.
private final class SharedGenerator: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func next() -> UInt64 { generator.withLock { $0.next() } }
}
