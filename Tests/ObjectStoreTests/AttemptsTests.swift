import Foundation
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveObjectStore

@Suite struct `The attempts of a request` {
    @Test(arguments: UInt64(1)...50)
    func `are bounded in number and time, with pauses that grow`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let timing = S3Timing()
        var (attempts, now, count) = (Attempts(timing, milliseconds: 5_000), Int64(5_000), 1)
        while true {
            now += Int64.random(in: 0...20_000, using: &numbers)
            let asked =
                Bool.random(using: &numbers) ? Duration.seconds(Int64.random(in: 0...4_000, using: &numbers)) : nil
            guard let pause = attempts.pause(asked: asked, milliseconds: now, random: numbers.next()) else { break }
            count += 1
            let most = min(timing.firstPause * (1 << (count - 2)), timing.longestPause)
            if asked == nil { #expect((most / 2...most).contains(pause)) }
            if let asked { #expect(pause >= min(asked, timing.longestPause)) }
            #expect(pause <= timing.longestPause)
            now += Int64(pause / .milliseconds(1))
            #expect(Duration.milliseconds(now - 5_000) <= timing.total)
        }
        #expect(count <= timing.attempts)
    }

    @Test func `are as many as may be if the server fails at once`() {
        var attempts = Attempts(S3Timing(), milliseconds: 0)
        var pauses: [Duration] = []
        while let pause = attempts.pause(asked: nil, milliseconds: 0, random: 1_000) { pauses.append(pause) }
        #expect(pauses == [200, 400, 800, 1_600, 3_200].map { .milliseconds($0) })
    }

    @Test func `read the date of a server`() {
        #expect(HTTPDate.seconds("Wed, 21 Oct 2015 07:28:00 GMT") == 1_445_412_480)
        #expect(HTTPDate.seconds("Fri, 24 May 2013 00:00:00 GMT") == 1_369_353_600)
        for text in ["", "Wed, 21 Oct 2015 07:28:00 CET", "Wed, 41 Oct 2015 07:28:00 GMT", "2015-10-21T07:28:00Z"] {
            #expect(HTTPDate.seconds(text) == nil)
        }
    }
}
