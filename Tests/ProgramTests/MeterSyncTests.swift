import Foundation
import Testing

/// A meter of two devices that meet in a folder, from one command to the other with all programs between.
@Suite(.serialized) struct `Meters of two devices by the program` {
    private let address = "02:00:00:00:00:01"
    private let shack: Program
    private let laptop: URL

    init() throws {
        shack = try Program()
        laptop = shack.folder.appending(path: "laptop")
        let place = shack.folder.appending(path: "place").path
        try shack.json("remote", "add", "stick", place)
        try shack.json("sync")
        try shack.json("join", place, "--store", laptop.path, "--name", "laptop")
    }

    @Test func `show on one what was done on the other within two seconds`() throws {
        let verbs: [(verb: [String], isSeen: ([String: Any]) -> Bool)] = [
            (["connect", "--model", "tc66c"], { ($0["lease"] as? [String: Any])?["device"] as? String == "shack" }),
            (["rename", "bench"], { $0["name"] as? String == "bench" }),
            (["set", "--temperature-unit", "F"], { $0["temperatureUnit"] as? String == "F" }),
            (["disconnect"], { $0["lease"] == nil }),
        ]
        for (verb, isSeen) in verbs {
            let start = Date.now
            try shack.json(["meter", verb[0], address] + verb.dropFirst())
            try shack.json("sync")
            try shack.json("sync", "--store", laptop.path)
            let seen = try shack.json("meter", "show", address, "--store", laptop.path)
            let took = Date.now.timeIntervalSince(start)
            #expect(isSeen(seen), "\(verb): \(seen)")
            #expect(took < 2, "\(verb) took \(took) s")
        }
    }

    @Test func `refuse a meter to the second one, and say who has it`() throws {
        try shack.json("meter", "connect", address, "--model", "tc66c")
        try shack.json("sync")
        try shack.json("sync", "--store", laptop.path)
        let refused = try shack.run("meter", "connect", address, "--store", laptop.path, "--json")
        #expect(refused.status == 75, "\(refused.errors)")
        #expect((refused.error["message"] as? String)?.contains("is reserved by shack until ") == true)
        let words = try shack.run("meter", "list", "--store", laptop.path).output
        #expect(words.contains("reserved by shack until"))
    }
}
