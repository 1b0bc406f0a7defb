import Groundwave
import Testing

/// 2026-05-01 12:34:56 UTC.
private let now: Int64 = 1_777_638_896
private let midnight: Int64 = 1_777_593_600

@Suite struct `Times on the command line` {
    static let moments: [(String, Int64)] = [
        ("now", now), ("90m", now - 5400), ("2d", now - 172_800), ("0s", now), ("3h", now - 10800),
        ("1w", now - 604_800),
        ("2026-05-01T12:00", midnight + 43200), ("2026-05-01t12:00z", midnight + 43200),
        ("2026-05-01T12:00:30Z", midnight + 43230), ("2026-05-01 12:00", midnight + 43200),
        ("1965-01-01T00:00Z", -157_766_400),
    ]

    @Test(arguments: moments)
    func `a moment begins and ends at once`(text: String, seconds: Int64) throws {
        let time = try TimeArgument(text, now: now)
        #expect(time.start == seconds)
        #expect(time.end == seconds)
    }

    static let fractions: [(String, Int64)] = [
        ("2026-05-01T12:00:30.5", 43_230_500), ("2026-05-01T12:00:30.25z", 43_230_250),
        ("2026-05-01 12:00:30.007", 43_230_007), ("20260501T120030.0079Z", 43_230_007),
        ("2026-05-01T12:00:30.000", 43_230_000), ("2026-05-01T14:00:30.5+02:00", 43_230_500),
        ("1965-01-01T00:00:00.25Z", -157_766_400_000 - midnight * 1000 + 250),
    ]

    @Test(arguments: fractions)
    func `a moment has a fraction of a second, to the millisecond`(text: String, milliseconds: Int64) throws {
        let time = try TimeArgument(text, now: now)
        #expect(time.startMilliseconds == midnight * 1000 + milliseconds)
        #expect(time.endMilliseconds == time.startMilliseconds && time.lastMillisecond == time.startMilliseconds)
    }

    @Test func `whole seconds lie around a moment with a fraction, also before 1970`() throws {
        for (text, seconds) in [("2026-05-01T12:00:30.5", midnight + 43230), ("1965-01-01T00:00:00.25", -157_766_400)] {
            let time = try TimeArgument(text, now: now)
            #expect(time.start == seconds && time.end == seconds + 1, "\(text)")
        }
    }

    static let offsets: [(String, Int64)] = [
        ("2026-05-01T14:00+02:00", 43200), ("2026-05-01T14:00:00+0200", 43200), ("20260501T0630-0530", 43200),
        ("2026-05-01T00:30+01:00", -1800), ("2026-05-01t12:00-00:00", 43200),
    ]

    @Test(arguments: offsets)
    func `a moment of another zone has its offset from UTC`(text: String, seconds: Int64) throws {
        let time = try TimeArgument(text, now: now)
        #expect(time.start == midnight + seconds && time.end == time.start)
        #expect(time.lastMillisecond == time.start * 1000 + 999, "it has no fraction, and lasts for its second")
    }

    static let days: [(String, Int64)] = [
        ("today", midnight), ("yesterday", midnight - 86400), ("2026-05-01", midnight), ("20260430", midnight - 86400),
        ("TODAY", midnight),
    ]

    @Test(arguments: days)
    func `a day goes to the start of the next`(text: String, start: Int64) throws {
        let time = try TimeArgument(text, now: now)
        #expect(time.start == start)
        #expect(time.end == start + 86400)
    }

    @Test(arguments: [
        "", "soon", "2026-02-29", "2026-13-01", "2026-05-01T24:00", "2026-05-01T12", "-1d", "9999999999d", "1.5h",
        "tomorrow", "2026-5-1", "2026-05-01T12:00+2", "2026-05-01T12:00+24:00", "2026-05-01T12:00+02:60",
        "2026-05-01T12:00:30.", "2026-05-01T12:00.5", "2026-05-01+02:00", "2026-05-01T12:00Z+02:00",
    ])
    func `anything else is refused, with what a time looks like`(text: String) throws {
        let error = try #require(throws: StoreError.self, performing: { try TimeArgument(text, now: now) })
        #expect(error.code == .usage)
        #expect(error.hint?.contains("90m") == true)
    }

    @Test func `before 1970 a day is a day too`() throws {
        let time = try TimeArgument("today", now: -1)
        #expect(time.start == -86400)
        #expect(time.end == 0)
    }
}
