import Everything
import Foundation
import Testing

/// Two `sync` of one store, as a terminal and a timer start them, with enough segments to pack.
@Suite struct `Two programs that synchronise one store at once` {
    @Test func `leave a place from which a new device gets everything`() throws {
        let program = try Program()
        let place = program.folder.appending(path: "place")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        _ = try program.json("remote", "add", "stick", place.path)
        let rounds = 70
        for round in 0..<rounds {
            let calls = ["N\(round)AA", "N\(round)BB"]
            _ = try program.json("qso", "add", calls[0], "BAND=20m", "MODE=CW")
            let running = try (0..<2).map { _ in try program.start(["sync", "--json"]) }
            _ = try program.json("qso", "add", calls[1], "BAND=40m", "MODE=CW")
            for each in running {
                let outcome = try each.outcome()
                #expect(outcome.status == 0 || outcome.status == 1, "round \(round): \(outcome.errors)")
            }
        }
        #expect(try program.run("sync").status == 0)
        let names = try FileManager.default.subpathsOfDirectory(atPath: place.path)
        #expect(names.contains { $0.hasSuffix(".pack") }, "there was something to lose")
        let laptop = program.folder.appending(path: "laptop")
        let joined = try program.run("join", place.path, "--store", laptop.path, "--name", "laptop")
        #expect(joined.status == 0, "\(joined.errors)")
        #expect(try program.run("sync").status == 0)
        let count = try program.json("qso", "count", "--store", laptop.path)["total"] as? Int
        #expect(count == 2 * rounds)
        let digests = [
            try program.json("digest"), try program.json("digest", "--store", laptop.path),
        ].map { $0["digest"] as? String }
        #expect(digests[0] != nil && digests[0] == digests[1])
    }
}
