import Foundation
import GroundwaveStore
import GroundwaveTesting
import Testing

@testable import GroundwaveSyncing

@Suite struct `The file of a snapshot that is fetched` {
    private struct Stopped: Error {}

    private let folder: TemporaryFolder
    private let joined: JoinedSnapshot
    private let parts = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]] as [[UInt8]]

    init() throws {
        folder = try TemporaryFolder()
        joined = JoinedSnapshot(StoreFiles(folder.url))
    }

    private var partial: String { "\(joined.path).partial" }

    /// Writes the parts, of which only the first `limit` can be fetched. Returns the numbers of those that were.
    private func write(_ parts: [[UInt8]], limit: Int = .max, refused: Bool = false) async throws -> [Int] {
        var fetched: [Int] = []
        do {
            try await joined.write(
                parts: (parts.count, { parts[$0 - 1].count }), isPart: { parts[$0 - 1] == $1 },
                fetch: { number in
                    if fetched.count == limit { throw Stopped() }
                    fetched.append(number)
                    return parts[number - 1]
                }, check: { _ in if refused { throw Stopped() } })
        } catch is Stopped {}
        return fetched
    }

    @Test func `has its name once it is whole`() async throws {
        #expect(try await write(parts) == [1, 2, 3])
        #expect(joined.isThere && !FileManager.default.fileExists(atPath: partial))
        #expect(try [UInt8](Data(contentsOf: URL(filePath: joined.path))) == parts.flatMap { $0 })
        joined.remove()
        #expect(!joined.isThere)
    }

    @Test(arguments: 0..<3)
    func `goes on behind the parts that are there`(limit: Int) async throws {
        #expect(try await write(parts, limit: limit) == Array([1, 2, 3].prefix(limit)))
        #expect(!joined.isThere)
        #expect(try await write(parts) == Array([1, 2, 3].dropFirst(limit)))
        #expect(joined.isThere)
    }

    @Test(arguments: 0...10)
    func `cut off at any byte fetches the part that was cut, and those behind it`(count: Int) async throws {
        let bytes = Data(parts.flatMap { $0 }.prefix(count))
        try bytes.write(to: URL(filePath: partial))
        let whole = [0, 4, 8, 10].lastIndex { $0 <= count } ?? 0
        #expect(try await write(parts) == Array([1, 2, 3].dropFirst(whole)))
        #expect(try [UInt8](Data(contentsOf: URL(filePath: joined.path))) == parts.flatMap { $0 })
    }

    @Test func `of another snapshot, or with a byte changed, is fetched again from there`() async throws {
        #expect(try await write(parts, limit: 2) == [1, 2])
        #expect(try await write([[1, 2, 3, 4], [0, 0, 0, 0]]) == [2])
        #expect(try [UInt8](Data(contentsOf: URL(filePath: joined.path))) == [1, 2, 3, 4, 0, 0, 0, 0])
        joined.remove()
        try Data([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]).write(to: URL(filePath: partial))
        #expect(try await write([[1, 2, 3, 4]]).isEmpty)
        #expect(try [UInt8](Data(contentsOf: URL(filePath: joined.path))) == [1, 2, 3, 4], "what is behind it goes")
    }

    @Test func `that is not accepted is gone`() async throws {
        #expect(try await write(parts, refused: true) == [1, 2, 3])
        #expect(!joined.isThere && !FileManager.default.fileExists(atPath: partial))
    }

    @Test func `is no link to somewhere else`() async throws {
        let elsewhere = folder.url.appending(path: "elsewhere").path
        try FileManager.default.createSymbolicLink(atPath: partial, withDestinationPath: elsewhere)
        await #expect(throws: StoreError.self) { _ = try await write(parts) }
        #expect(!FileManager.default.fileExists(atPath: elsewhere))
    }
}
