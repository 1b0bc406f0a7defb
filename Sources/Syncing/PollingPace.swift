import GroundwaveStore

/// How long to wait between two sync passes with storage if no change is reported.
///
/// Storage that costs nothing is looked at at a fixed interval. Where each request is paid, the interval depends on how long
/// nothing was pushed or pulled.
struct PollingPace {
    /// The interval where requests cost nothing.
    static let interval = Duration.seconds(30)
    /// The shortest time after a failure before the next sync pass.
    static let retryInterval = Duration.seconds(5)
    /// The intervals where requests are paid: each holds until nothing has happened for so long.
    static let steps: [(until: Duration, interval: Duration)] = [
        (.seconds(60), .seconds(2)), (.seconds(3_600), .seconds(60)), (.seconds(Int64.max), .seconds(900)),
    ]

    private let isMetered: Bool
    private var lastActivity: Int64

    /// Begins as if something had just happened.
    ///
    /// - Parameter milliseconds: The present moment, by a clock that cannot be set.
    init(isMetered: Bool, milliseconds: Int64) {
        self.isMetered = isMetered
        lastActivity = milliseconds
    }

    /// Notes that something was pushed or pulled.
    mutating func noteActivity(milliseconds: Int64) { lastActivity = milliseconds }

    /// Returns the time until the next sync pass.
    func pause(milliseconds: Int64, hasFailed: Bool) -> Duration {
        guard isMetered else { return hasFailed ? Self.retryInterval : Self.interval }
        let idle = Duration.milliseconds(max(0, milliseconds - lastActivity))
        let pause = Self.steps.first { idle < $0.until }?.interval ?? Self.interval
        return hasFailed ? max(pause, Self.retryInterval) : pause
    }
}

extension Store {
    /// The present moment by a clock that cannot be set.
    var monotonicMilliseconds: Int64 { surroundings.now().monotonicMilliseconds }
}

extension SyncSummary {
    /// Whether anything was pushed or pulled.
    var hasTraffic: Bool { sentEvents > 0 || receivedEvents > 0 || wasEmptied }
}
