import Testing

@testable import GroundwaveSyncing

@Suite struct `The pace of looking at a remote` {
    @Test func `is fixed where requests cost nothing`() {
        let pace = PollingPace(isMetered: false, milliseconds: 0)
        for milliseconds in [0, 60_000, 86_400_000] as [Int64] {
            #expect(pace.pause(milliseconds: milliseconds, hasFailed: false) == .seconds(30))
            #expect(pace.pause(milliseconds: milliseconds, hasFailed: true) == .seconds(5))
        }
    }

    @Test(
        arguments: [
            (0, 2), (59_999, 2), (60_000, 60), (3_599_999, 60), (3_600_000, 900), (Int64.max / 2, 900), (-1, 2),
        ] as [(Int64, Int)])
    func `slows down where they are paid, while nothing happens`(idle: Int64, seconds: Int) {
        var pace = PollingPace(isMetered: true, milliseconds: 1_000)
        #expect(pace.pause(milliseconds: 1_000 + idle, hasFailed: false) == .seconds(seconds))
        #expect(pace.pause(milliseconds: 1_000 + idle, hasFailed: true) == .seconds(max(5, seconds)))
        pace.noteActivity(milliseconds: 1_000 + idle)
        #expect(pace.pause(milliseconds: 1_000 + idle, hasFailed: false) == .seconds(2))
    }

    @Test func `costs what the documents say`() {
        let one = RequestEstimate(devices: 1, bytes: 5_000_000)
        // By hand: 1,948 looks a day with 2 reads each, and 269 listings a day, 100 segments and 100 catalogs.
        #expect(one.reads == 116_880 && one.writes == 8_270)
        #expect(one.microdollars == 46_400 + 40_000 + 115)
        let none = RequestEstimate(devices: 0, bytes: 0)
        #expect(none.reads == one.reads)
        #expect(RequestEstimate(devices: .max, bytes: .max).microdollars > 0)
    }
}
