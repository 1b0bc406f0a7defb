import GroundwaveReplication
import Synchronization
import Testing

@Suite struct `Every transport` {
    @Test(arguments: PlaceMaker.all)
    func `gives back what was put, of any size`(maker: PlaceMaker) async throws {
        let place = try await maker.make()
        for count in [0, 1, 4_096, 1_000_003] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ count) }
            #expect(try await place.put("a/b/\(count)", bytes) == .stored)
            #expect(try await place.get("a/b/\(count)") == bytes)
        }
    }

    @Test(arguments: PlaceMaker.all)
    func `leaves an object as it is when its name is put again`(maker: PlaceMaker) async throws {
        let place = try await maker.make()
        #expect(try await place.put("log/1", [1, 2, 3]) == .stored)
        #expect(try await place.put("log/1", [4]) == .exists)
        #expect(try await place.put("log/1", [1, 2, 3]) == .exists)
        #expect(try await place.get("log/1") == [1, 2, 3])
        #expect(try await place.list() == ["log/1"])
    }

    @Test(arguments: PlaceMaker.all)
    func `has nothing under a name that was not put`(maker: PlaceMaker) async throws {
        let place = try await maker.make()
        #expect(try await place.get("a") == nil)
        #expect(try await place.get("a/b/c", range: 0..<10) == nil)
        #expect(try await place.list() == [])
        #expect(try await place.list("a/b") == [])
        #expect(try await place.folders() == [])
        #expect(try await place.folders("a") == [])
    }

    @Test(
        arguments: PlaceMaker.all,
        [
            (0..<10, 0..<10), (0..<0, 0..<0), (3..<7, 3..<7), (9..<10, 9..<10), (5..<100, 5..<10), (10..<20, 10..<10),
            (50..<60, 10..<10), (0..<Int.max, 0..<10), (-5..<2, 0..<2),
        ])
    func `gives a range as far as there are bytes`(maker: PlaceMaker, ranges: (Range<Int>, Range<Int>)) async throws {
        let place = try await maker.make()
        let bytes: [UInt8] = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
        _ = try await place.put("a", bytes)
        #expect(try await place.get("a", range: ranges.0) == Array(bytes[ranges.1]))
    }

    @Test(arguments: PlaceMaker.all)
    func `gives as much as the limit and no more`(maker: PlaceMaker) async throws {
        let place = try await maker.make()
        let name = try #require(ObjectName("a"))
        _ = try await place.put("a", [1, 2, 3, 4, 5])
        #expect(try await place.get("a", limit: 5) == [1, 2, 3, 4, 5])
        await #expect(throws: TransportError.tooLarge(name, byteCount: 5)) { try await place.get("a", limit: 4) }
        #expect(try await place.get("a", range: 2..<4, limit: 2) == [3, 4])
        #expect(try await place.get("a", range: 3..<1_000, limit: 2) == [4, 5])
        await #expect(throws: TransportError.tooLarge(name, byteCount: 3)) {
            try await place.get("a", range: 1..<4, limit: 2)
        }
        #expect(try await place.get("a", range: 9..<10, limit: 0) == [])
    }

    @Test(arguments: PlaceMaker.all)
    func `lists names in the order of their bytes, folders where their slash puts them`(
        maker: PlaceMaker
    ) async throws {
        let place = try await maker.make()
        let names = ["B", "Z/1", "a-/x", "a-1", "a.b", "a/-", "a/1/z", "a/10", "a/9", "a0", "a_", "aa/1", "c"]
        for name in names.shuffled() { #expect(try await place.put(name) == .stored) }
        #expect(try await place.list() == names)
        for (index, name) in names.enumerated() {
            #expect(try await place.list(after: name) == Array(names[(index + 1)...]))
            #expect(try await place.list(after: name, limit: 2) == Array(names[(index + 1)...].prefix(2)))
        }
        #expect(try await place.list(after: "a") == names.filter { $0 > "a" })
        #expect(try await place.list(after: "a/1") == Array(names[6...]))
        #expect(try await place.list(after: "zz") == [])
        #expect(try await place.list(limit: 0) == [])
    }

    @Test(arguments: PlaceMaker.all)
    func `lists what is below a folder, and an object that only begins like it is not`(
        maker: PlaceMaker
    ) async throws {
        let place = try await maker.make()
        for name in ["a/1", "a/b/2", "ab", "ab1/3", "b/a/4"] { _ = try await place.put(name) }
        #expect(try await place.list("a") == ["a/1", "a/b/2"])
        #expect(try await place.list("a/b") == ["a/b/2"])
        #expect(try await place.list("a", after: "a/1") == ["a/b/2"])
        #expect(try await place.list("a", after: "A") == ["a/1", "a/b/2"])
        #expect(try await place.list("a", after: "b") == [])
        #expect(try await place.list("c") == [])
    }

    @Test(arguments: PlaceMaker.all)
    func `lists a thousand objects page by page, each once`(maker: PlaceMaker) async throws {
        let place = try await maker.make()
        let names = (0..<1_000).map { "\($0 % 3)/\(String($0, radix: 36)).seg" }
        for name in names { _ = try await place.put(name) }
        var pages: [[String]] = []
        repeat { pages.append(try await place.list(after: pages.last?.last, limit: 64)) } while pages.last?.count == 64
        #expect(pages.joined().elementsEqual(names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }))
    }

    @Test(arguments: PlaceMaker.all)
    func `names the folders right below a folder, in order`(maker: PlaceMaker) async throws {
        let place = try await maker.make()
        for name in ["c/1", "c/2", "a/b/1", "a/c", "a-/1", "top", "B/b/b/b"] { _ = try await place.put(name) }
        #expect(try await place.folders() == ["B", "a", "a-", "c"])
        #expect(try await place.folders(limit: 2) == ["B", "a"])
        #expect(try await place.folders(limit: 0) == [])
        #expect(try await place.folders("a") == ["b"])
        #expect(try await place.folders("B/b") == ["b"])
        #expect(try await place.folders("c") == [])
        #expect(try await place.folders("d") == [])
    }

    @Test(arguments: PlaceMaker.all)
    func `deletes an object and no other; deleting what is not there does nothing`(maker: PlaceMaker) async throws {
        let place = try await maker.make()
        for name in ["a/1", "a/2", "b"] { _ = try await place.put(name) }
        try await place.delete("a/1")
        try await place.delete("a/1")
        try await place.delete("x/y/z")
        #expect(try await place.get("a/1") == nil)
        #expect(try await place.list() == ["a/2", "b"])
        #expect(try await place.put("a/1", [9]) == .stored)
        #expect(try await place.get("a/1") == [9])
    }

    @Test(arguments: PlaceMaker.all)
    func `lets exactly one of many win who put one name at once, and its object is whole`(
        maker: PlaceMaker
    ) async throws {
        let place = try await maker.make()
        let contents = (0..<64).map { [UInt8](repeating: UInt8($0), count: 100_000 + $0) }
        let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
            for (number, bytes) in contents.enumerated() {
                group.addTask { try await place.put("folder/one", bytes) == .stored ? number : nil }
            }
            return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
        }
        #expect(winners.count == 1)
        #expect(try await place.get("folder/one") == contents[try #require(winners.first)])
        #expect(try await place.list() == ["folder/one"])
    }

    @Test(arguments: PlaceMaker.all)
    func `takes every name that is one`(maker: PlaceMaker) async throws {
        let place = try await maker.make()
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
        var names = letters.filter { $0 != "." }.map { "first/\($0.isLowercase ? "lower/" : "other/")\($0)" }
        names += letters.map { "behind/\($0.isLowercase ? "lower/" : "other/")x\($0)x" }
        names += [String(letters.prefix(64)), Array(repeating: "p", count: 128).joined(separator: "/")]
        names += [Array(repeating: String(repeating: "x", count: 63), count: 3).joined(separator: "/") + "/y"]
        for name in names { #expect(try await place.put(name, Array(name.utf8)) == .stored) }
        #expect(Set(try await place.list()) == Set(names))
        for name in names { #expect(try await place.get(name) == Array(name.utf8)) }
    }

    @Test(arguments: PlaceMaker.all)
    func `tells of an object soon, in a new folder and in a known one, where it can tell`(
        maker: PlaceMaker
    ) async throws {
        let place = try await maker.make()
        guard place.transport.capabilities.canWatch else {
            #expect(place.transport.watch() == nil)
            return
        }
        let hints = HintCounter(try #require(place.transport.watch()))
        let others = HintCounter(try #require(place.transport.watch()))
        for name in ["new/folder/one", "new/folder/two"] {
            // What a place tells for other reasons, such as its beginning, is not to be taken for this.
            try await hints.untilQuiet()
            let (before, othersBefore) = (hints.count, others.count)
            #expect(try await place.put(name) == .stored)
            #expect(try await hints.rises(above: before, within: .seconds(30)), "\(name)")
            #expect(try await others.rises(above: othersBefore, within: .seconds(30)), "\(name)")
        }
    }
}

/// Counts what a place tells.
private final class HintCounter: Sendable {
    private let hints = Mutex(0)
    private let task = Mutex<Task<Void, Never>?>(nil)

    var count: Int { hints.withLock(\.self) }

    init(_ stream: AsyncStream<Void>) {
        let task = Task { [weak self] in for await _ in stream { self?.hints.withLock { $0 += 1 } } }
        self.task.withLock { $0 = task }
    }

    deinit { task.withLock { $0?.cancel() } }

    /// Waits until there was no hint for three seconds.
    func untilQuiet() async throws {
        var seen = -1
        while seen != count {
            seen = count
            try await Task.sleep(for: .seconds(3))
        }
    }

    func rises(above before: Int, within duration: Duration) async throws -> Bool {
        let end = ContinuousClock.now + duration
        while count <= before, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
        return count > before
    }
}
