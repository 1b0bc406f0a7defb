import Groundwave
import Synchronization

extension ExaminedTransport {
    func listsInOrder() async throws {
        let names = ["B", "Z/1", "a-/x", "a-1", "a.b", "a/-", "a/1/z", "a/10", "a/9", "a0", "a_", "aa/1", "c"]
        for index in names.indices { try await store(names[index * 5 % names.count]) }
        try expect(try await list(), names, "Listing everything")
        for (index, name) in names.enumerated() {
            let rest = Array(names[(index + 1)...])
            try expect(try await list(after: name), rest, "Listing what follows \(name)")
            try expect(try await list(after: name, limit: 2), Array(rest.prefix(2)), "Listing 2 names after \(name)")
        }
        try expect(try await list(after: "a"), names.filter { $0 > "a" }, "Listing what follows a")
        try expect(try await list(after: "a/1"), Array(names[6...]), "Listing what follows a/1")
        try expect(try await list(after: "zz"), [], "Listing what follows zz")
        try expect(try await list(limit: 0), [], "Listing no names")
    }

    func listsBelowFolders() async throws {
        for name in ["a/1", "a/b/2", "ab", "ab1/3", "b/a/4"] { try await store(name) }
        try expect(try await list("a"), ["a/1", "a/b/2"], "Listing the folder a")
        try expect(try await list("a/b"), ["a/b/2"], "Listing the folder a/b")
        try expect(try await list("a", after: "a/1"), ["a/b/2"], "Listing the folder a after a/1")
        try expect(try await list("a", after: "A"), ["a/1", "a/b/2"], "Listing the folder a after A")
        try expect(try await list("a", after: "b"), [], "Listing the folder a after b")
        try expect(try await list("c"), [], "Listing a folder that is not there")
    }

    func listsInPages() async throws {
        let names = (0..<1_000).map { "\($0 % 3)/\(String($0, radix: 36)).seg" }
        for name in names { try await store(name) }
        let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for start in stride(from: 0, through: names.count, by: 64) {
            let page = try await list(after: start == 0 ? nil : sorted[start - 1], limit: 64)
            try expect(page, Array(sorted[start...].prefix(64)), "Listing the page after \(start) names")
        }
    }

    func namesFolders() async throws {
        for name in ["c/1", "c/2", "a/b/1", "a/c", "a-/1", "top", "B/b/b/b"] { try await store(name) }
        try expect(try await folders(), ["B", "a", "a-", "c"], "Asking for the folders")
        try expect(try await folders(limit: 2), ["B", "a"], "Asking for 2 folders")
        try expect(try await folders(limit: 0), [], "Asking for no folders")
        try expect(try await folders("a"), ["b"], "Asking for the folders of a")
        try expect(try await folders("B/b"), ["b"], "Asking for the folders of B/b")
        try expect(try await folders("c"), [], "Asking for the folders of a folder of objects")
        try expect(try await folders("d"), [], "Asking for the folders of a folder that is not there")
    }

    func hints() async throws {
        guard let first = transport.watch(), let second = transport.watch() else { return }
        let (hints, others) = (HintCounter(first), HintCounter(second))
        for name in ["new/folder/one", "new/folder/two"] {
            // What a remote tells for other reasons, such as its beginning, is not to be taken for this.
            try await hints.untilQuiet()
            let (before, othersBefore) = (hints.count, others.count)
            try await store(name)
            guard try await hints.rises(above: before, within: patience),
                try await others.rises(above: othersBefore, within: patience)
            else {
                throw Finding("\(patience) after \(name) was stored, there was no hint.")
            }
        }
    }
}

/// Counts the hints of a remote.
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

    func rises(above before: Int, within patience: Duration) async throws -> Bool {
        let end = ContinuousClock.now + patience
        while count <= before, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
        return count > before
    }
}
