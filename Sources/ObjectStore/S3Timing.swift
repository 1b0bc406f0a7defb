/// How long an object store is waited for, and how often it is asked again.
struct S3Timing: Sendable {
    /// How long nothing may arrive.
    var idle = Duration.seconds(30)
    /// The longest time of one request: 8 MiB at 30 kB/s.
    var longest = Duration.seconds(300)
    /// The most attempts of one request.
    var attempts = 6
    /// The longest first pause; it doubles with each attempt.
    var firstPause = Duration.milliseconds(200)
    /// The longest pause, also if the server asks for more.
    var longestPause = Duration.seconds(20)
    /// After this time no further attempt is made.
    var total = Duration.seconds(60)
}

/// The attempts of one request.
struct Attempts {
    private let timing: S3Timing
    private let start: Int64
    private(set) var count = 1

    /// Begins with the first attempt.
    ///
    /// - Parameter milliseconds: The present moment, by a clock that cannot be set.
    init(_ timing: S3Timing, milliseconds: Int64) {
        self.timing = timing
        start = milliseconds
    }

    /// Returns the pause before the next attempt; `nil` if there is none.
    ///
    /// The pause is a random part, from half on, of one that doubles, so that devices that failed together do not ask
    /// together. It is as long as the server asks for, but no longer than the longest.
    ///
    /// - Parameters:
    ///   - asked: What the server asks for.
    ///   - random: Any number.
    mutating func pause(asked: Duration?, milliseconds: Int64, random: UInt64) -> Duration? {
        guard count < timing.attempts else { return nil }
        let doubled = min(timing.firstPause * (1 << min(count - 1, 16)), timing.longestPause)
        count += 1
        let half = doubled / 2
        let pause = min(max(half + half * Int(random % 1_001) / 1_000, asked ?? .zero), timing.longestPause)
        guard Duration.milliseconds(milliseconds - start) + pause <= timing.total else { return nil }
        return pause
    }
}
