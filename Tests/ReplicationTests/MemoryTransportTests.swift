import Replication
import Synchronization
import Testing

@Suite struct `A place in memory` {
    let place = MemoryTransport(objectBytes: 1_000)

    private func name(_ text: String) -> ObjectName { ObjectName(text)! }

    private func put(_ numbers: Range<Int>) throws {
        for number in numbers { #expect(try place.putIfAbsent(name("log/\(number)"), [UInt8(number)]) == .stored) }
    }

    private func listed() throws -> [String] {
        try place.list(prefix: .all, startAfter: nil, limit: 100).map(\.description)
    }

    @Test func `that cannot be reached does nothing, and all is there when it can`() throws {
        try put(0..<2)
        place.faults.isUnreachable = true
        let unreachable = TransportError.unreachable("The remote in memory cannot be reached.")
        #expect(throws: unreachable) { try place.putIfAbsent(name("a"), [1]) }
        #expect(throws: unreachable) { try place.get(name("log/0"), range: nil, limit: 10) }
        #expect(throws: unreachable) { try listed() }
        #expect(throws: unreachable) { try place.folders(prefix: .all, limit: 10) }
        #expect(throws: unreachable) { try place.delete(name("log/0")) }
        place.faults = MemoryTransport.Faults()
        #expect(try listed() == ["log/0", "log/1"])
    }

    @Test func `is full when the next object is more than there is room, and has room again after a deletion`() throws {
        place.faults.roomBytes = 10
        #expect(try place.putIfAbsent(name("a"), [UInt8](repeating: 1, count: 6)) == .stored)
        #expect(throws: TransportError.full("The remote in memory has no room for the 5 bytes of b.")) {
            try place.putIfAbsent(name("b"), [UInt8](repeating: 1, count: 5))
        }
        #expect(try place.putIfAbsent(name("a"), [UInt8](repeating: 1, count: 90)) == .exists)
        #expect(try place.putIfAbsent(name("c"), [1, 2, 3, 4]) == .stored)
        #expect(place.byteCount == 10)
        try place.delete(name("a"))
        #expect(try place.putIfAbsent(name("b"), [UInt8](repeating: 1, count: 5)) == .stored)
        #expect(try listed() == ["b", "c"])
    }

    @Test func `takes no object that is larger than it says`() throws {
        #expect(try place.putIfAbsent(name("a"), [UInt8](repeating: 1, count: 1_000)) == .stored)
        #expect(throws: TransportError.tooLarge(name("b"), byteCount: 1_001)) {
            try place.putIfAbsent(name("b"), [UInt8](repeating: 1, count: 1_001))
        }
        #expect(place.objectCount == 1)
    }

    @Test func `lists without its newest objects, and gives them nevertheless`() throws {
        // Stored last, and first in order.
        try put(5..<8)
        try put(0..<2)
        place.faults.listingsLackObjects = 3
        #expect(try listed() == ["log/5", "log/6"])
        #expect(try place.folders(prefix: .all, limit: 10) == ["log"])
        #expect(try place.get(name("log/0"), range: nil, limit: 10) == [0])
        try place.delete(name("log/0"))
        #expect(try listed() == ["log/5"])
        place.faults.listingsLackObjects = 9
        #expect(try listed() == [])
        #expect(try place.folders(prefix: .all, limit: 10) == [])
    }

    @Test func `lists what is some puts old, so that other puts bring it up`() throws {
        place.faults.listingsLackPuts = 2
        try put(0..<3)
        #expect(try listed() == ["log/0"])
        #expect(try place.putIfAbsent(name("log/0"), [7]) == .exists)
        #expect(try listed() == ["log/0", "log/1"])
        #expect(try place.putIfAbsent(name("log/0"), [7]) == .exists)
        #expect(try listed() == ["log/0", "log/1", "log/2"])
    }

    @Test func `stores an object and loses the answer`() throws {
        place.faults.putsFailAfterwards = true
        let lost = TransportError.unreachable("The answer to storing a was lost.")
        #expect(throws: lost) { try place.putIfAbsent(name("a"), [1]) }
        #expect(throws: lost) { try place.putIfAbsent(name("a"), [2]) }
        #expect(try place.get(name("a"), range: nil, limit: 10) == [1])
        place.faults.putsFailAfterwards = false
        #expect(try place.putIfAbsent(name("a"), [1]) == .exists)
    }

    @Test func `gives less of an object than there is`() throws {
        _ = try place.putIfAbsent(name("a"), [1, 2, 3, 4, 5])
        place.faults.getsEndAfterBytes = 2
        #expect(try place.get(name("a"), range: nil, limit: 5) == [1, 2])
        #expect(try place.get(name("a"), range: 1..<5, limit: 5) == [2, 3])
        #expect(try place.get(name("a"), range: 4..<5, limit: 5) == [5])
        place.faults.getsEndAfterBytes = 0
        #expect(try place.get(name("a"), range: nil, limit: 5) == [])
    }

    @Test func `that was emptied has nothing, and takes what it had`() throws {
        try put(0..<3)
        place.empty()
        #expect(try listed() == [])
        #expect(place.byteCount == 0)
        #expect(try place.get(name("log/0"), range: nil, limit: 10) == nil)
        try put(0..<3)
        #expect(try listed() == ["log/0", "log/1", "log/2"])
    }

    @Test func `asks for the faults of each request, in their order, beside those that are set`() throws {
        let requests = Mutex<[MemoryTransport.Request]>([])
        let place = MemoryTransport { request, faults in
            var faults = faults
            let count = requests.withLock { requests in
                requests.append(request)
                return requests.count
            }
            if count.isMultiple(of: 2) { faults.isUnreachable = true }
            return faults
        }
        place.faults.getsEndAfterBytes = 1
        #expect(try place.putIfAbsent(name("a/b"), [1, 2]) == .stored)
        #expect(throws: TransportError.self) { try place.folders(prefix: .all, limit: 1) }
        #expect(try place.get(name("a/b"), range: nil, limit: 2) == [1])
        #expect(throws: TransportError.self) { try place.list(prefix: .all, startAfter: nil, limit: 1) }
        try place.delete(name("a/b"))
        let expected: [MemoryTransport.Request] = [
            .put(name("a/b")), .folders(.all), .get(name("a/b")), .list(.all), .delete(name("a/b")),
        ]
        #expect(requests.withLock(\.self) == expected)
    }

    @Test func `ends its streams when it is gone`() async throws {
        var place: MemoryTransport? = MemoryTransport()
        let stream = try #require(place?.watch())
        _ = try place?.putIfAbsent(name("a"), [1])
        place?.empty()
        place = nil
        var hints = 0
        for await _ in stream { hints += 1 }
        // Two changes that nobody had taken yet are one.
        #expect(hints == 1)
    }
}
