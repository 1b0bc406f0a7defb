import Groundwave
import GroundwaveReplication

extension ExaminedTransport {
    func keepsObjectsWhole() async throws {
        for count in [0, 1, 4_096, 1_000_003, 8 << 20] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ count) }
            try await store("a/b/\(count)", bytes)
            try expect(try await get("a/b/\(count)"), bytes, "Reading an object of \(count) bytes")
        }
    }

    func replacesNothing() async throws {
        try await store("log/1", [1, 2, 3])
        try expect(try await put("log/1", [4]), .exists, "Storing other bytes under the same name")
        try expect(try await put("log/1", [1, 2, 3]), .exists, "Storing the same bytes again")
        try expect(try await get("log/1"), [1, 2, 3], "Reading the object")
        try expect(try await list(), ["log/1"], "Listing")
    }

    func replacesAtOnce() async throws {
        try await replace("log/catalog", [1])
        try expect(try await get("log/catalog"), [1], "Reading an object that was stored by replacing none")
        try await store("log/1", [9])
        try await replace("log/catalog", [2, 3])
        try expect(try await get("log/catalog"), [2, 3], "Reading an object that was replaced")
        try expect(try await get("log/1"), [9], "Reading another object")
        try expect(try await list(), ["log/1", "log/catalog"], "Listing")
        // Who reads meanwhile gets all of one of them.
        let reader = Task {
            var found: [[UInt8]?] = []
            for _ in 0..<40 { found.append(try await get("log/catalog", limit: 300_000)) }
            return found
        }
        for round in 1...12 {
            try await replace("log/catalog", [UInt8](repeating: UInt8(round), count: 200_000 - 9_000 * round))
        }
        for bytes in try await reader.value where bytes != [2, 3] {
            let round = bytes?.first.map(Int.init) ?? 0
            guard let bytes, bytes.count == 200_000 - 9_000 * round, bytes.allSatisfy({ Int($0) == round }) else {
                throw Finding("Reading while an object was replaced gave parts of two objects, or none.")
            }
        }
    }

    func hasNothingAtFirst() async throws {
        try expect(try await get("a"), nil, "Reading")
        try expect(try await get("a/b/c", range: 0..<10), nil, "Reading a range")
        try expect(try await list(), [], "Listing everything")
        try expect(try await list("a/b"), [], "Listing a folder")
        try expect(try await folders(), [], "Asking for folders")
        try expect(try await folders("a"), [], "Asking for the folders of a folder")
    }

    func clampsRanges() async throws {
        let bytes: [UInt8] = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
        try await store("a", bytes)
        let ranges = [
            (0..<10, 0..<10), (0..<0, 0..<0), (3..<7, 3..<7), (9..<10, 9..<10), (5..<100, 5..<10), (10..<20, 10..<10),
            (50..<60, 10..<10), (0..<Int.max, 0..<10), (-5..<2, 0..<2),
        ]
        for (asked, given) in ranges {
            try expect(
                try await get("a", range: asked), Array(bytes[given]), "Reading the range \(asked) of 10 bytes")
        }
    }

    func keepsLimits() async throws {
        try await store("a", [1, 2, 3, 4, 5])
        try expect(try await get("a", limit: 5), [1, 2, 3, 4, 5], "Reading 5 bytes with the limit 5")
        try await refuses(limit: 4, byteCount: 5)
        try expect(try await get("a", range: 2..<4, limit: 2), [3, 4], "Reading 2 of 5 bytes with the limit 2")
        try expect(try await get("a", range: 3..<1_000, limit: 2), [4, 5], "Reading the last 2 bytes with the limit 2")
        try await refuses(range: 1..<4, limit: 2, byteCount: 3)
        try expect(try await get("a", range: 9..<10, limit: 0), [], "Reading behind the end with the limit 0")
    }

    private func refuses(range: Range<Int>? = nil, limit: Int, byteCount: Int) async throws {
        do {
            let bytes = try await get("a", range: range, limit: limit)
            throw Finding(
                "Reading \(byteCount) bytes with the limit \(limit) gave \(bytes.map { "\($0)" } ?? "nothing").")
        } catch TransportError.tooLarge(let name, byteCount) where name.description == "a" {}
    }

    func deletesOneObject() async throws {
        for name in ["a/1", "a/2", "b"] { try await store(name) }
        try await delete("a/1")
        try await delete("a/1")
        try await delete("x/y/z")
        try expect(try await get("a/1"), nil, "Reading a deleted object")
        try expect(try await list(), ["a/2", "b"], "Listing after a deletion")
        try await store("a/1", [9])
        try expect(try await get("a/1"), [9], "Reading what was stored after a deletion")
    }

    func letsOneWin() async throws {
        let contents = (0..<64).map { [UInt8](repeating: UInt8($0), count: 100_000 + $0) }
        let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
            for (number, bytes) in contents.enumerated() {
                group.addTask { try await put("folder/one", bytes) == .stored ? number : nil }
            }
            return try await group.reduce(into: [Int]()) { winners, number in if let number { winners.append(number) } }
        }
        guard let winner = winners.first, winners.count == 1 else {
            throw Finding("Of 64 writers of one name, \(winners.count) were told that their object is stored.")
        }
        try expect(try await get("folder/one"), contents[winner], "Reading what the winner has stored")
        try expect(try await list(), ["folder/one"], "Listing")
    }

    func takesEveryName() async throws {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
        var names = letters.filter { $0 != "." }.map { "first/\($0.isLowercase ? "lower/" : "other/")\($0)" }
        names += letters.map { "behind/\($0.isLowercase ? "lower/" : "other/")x\($0)x" }
        names += [String(letters.prefix(64)), Array(repeating: "p", count: 128).joined(separator: "/")]
        names += [Array(repeating: String(repeating: "x", count: 63), count: 3).joined(separator: "/") + "/y"]
        for name in names { try await store(name, Array(name.utf8)) }
        try expect(Set(try await list()), Set(names), "Listing all names")
        for name in names { try expect(try await get(name), Array(name.utf8), "Reading \(name)") }
    }
}
