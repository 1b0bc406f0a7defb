import Groundwave
import Synchronization

/// A clock that moves when it is told to, for stores under test.
///
/// ```swift
/// let clock = VirtualClock()
/// let temporary = try await TemporaryStore(Configuration(surroundings: .virtual(clock, seed: 1)))
/// clock.advance(by: .seconds(90))
/// ```
public final class VirtualClock: Sendable {
    private let moment: Mutex<Arrival>

    /// A clock that shows `milliseconds` since 1970: 2026-01-01 where nothing is said.
    ///
    /// - Parameter boot: Which start of the machine it is; zeros where that is not known.
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

    /// Sets the wall clock, forwards or back, as a person or a time server does; the time that passes stays the same.
    public func setWall(milliseconds: Int64) { moment.withLock { $0.wallMilliseconds = milliseconds } }
}

extension Surroundings {
    /// A clock that is moved by hand, and numbers from a seed: the same writes give the same bytes.
    public static func virtual(_ clock: VirtualClock, seed: UInt64) -> Surroundings {
        let numbers = SharedGenerator(seed: seed)
        return Surroundings(now: { clock.now }, randomNumber: { numbers.next() })
    }
}

/// A seeded generator that several threads may ask.
private final class SharedGenerator: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func next() -> UInt64 { generator.withLock { $0.next() } }
}
