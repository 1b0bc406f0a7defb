/// The clock of one recording: it shows the wall clock at the first moment, and from then on counts with the host's
/// steady clock. So setting the wall clock moves no row.
struct TraceClock: Sendable {
    /// The difference to the wall clock from which on a step is told, in milliseconds.
    private static let toldMilliseconds: Int64 = 1_000

    private var anchor: ReadMoment?
    /// How far the wall clock was ahead when a step was told last.
    private var noted: Int64 = 0

    /// Returns the time of `moment`, in milliseconds since 1970. The first moment sets the clock.
    mutating func time(of moment: ReadMoment) -> Int64 {
        guard let anchor else {
            self.anchor = moment
            return moment.wall
        }
        return anchor.wall &+ (moment.steady &- anchor.steady)
    }

    /// Returns how far the wall clock was set on (or back, if negative) since the last step that was told, in
    /// milliseconds; 0 if that is less than a second.
    mutating func step(at moment: ReadMoment) -> Int64 {
        let lead = moment.wall &- time(of: moment)
        let step = lead &- noted
        guard step.magnitude >= UInt64(Self.toldMilliseconds) else { return 0 }
        noted = lead
        return step
    }
}
