import GroundwaveConnections
import GroundwaveEventLog
import GroundwaveEvents
import GroundwavePeering
import GroundwaveReplication
import GroundwaveSeededNumbers
import NIOPosix
import Synchronization
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

@Suite(.serialized) struct `Two stores that are connected` {
    @Test(arguments: UInt64(1)...8)
    func `by TCP agree when both are done`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let (left, right) = (try TestStore(seed: seed * 2), try TestStore(seed: seed * 2 + 1))
        try left.write(Int.random(in: 0...300, using: &numbers))
        try right.write(Int.random(in: 0...300, using: &numbers), byteCount: 2000)
        let host = try await Host(right)
        let standing = try await meet(left, at: host.listener.port)
        #expect(standing.isDone && standing.ending == .close(""))
        #expect(try left.roots() == right.roots())
        let ending = try await host.ending { _ in true }
        #expect(ending.error == nil && ending.standing.isDone && ending.standing.ending == .close(""))
        #expect(ending.standing.traffic.sentBytes == standing.traffic.receivedBytes)
        await host.listener.stop()
    }

    @Test func `by pipes agree when both are done`() async throws {
        let (left, right) = (try TestStore(seed: 1), try TestStore(seed: 2))
        try left.write(200, byteCount: 3000)
        try right.write(200, byteCount: 3000)
        let (there, back) = (try Pipe.descriptors(), try Pipe.descriptors())
        async let one = StreamConnection(ChannelStream.open(input: back.reading, output: there.writing)).run(
            endsWhenDone: true
        ) {
            try left.runner()
        }
        async let other = StreamConnection(ChannelStream.open(input: there.reading, output: back.writing)).run(
            endsWhenDone: true
        ) {
            try right.runner()
        }
        let standings = try await [one, other]
        #expect(standings.allSatisfy { $0.isDone })
        #expect(try left.roots() == right.roots())
    }

    @Test func `by a file are not connected`() async throws {
        let store = try TestStore(seed: 1)
        let path = store.folder.appending(path: "log.mdb").path
        let (file, nothing, ends) = (open(path, O_RDONLY), open("/dev/null", O_RDWR), try Pipe.descriptors())
        defer { for descriptor in [file, nothing, ends.reading, ends.writing] { _ = close(descriptor) } }
        for (input, output) in [
            (file, ends.writing), (ends.reading, file), (nothing, ends.writing), (ends.reading, nothing),
            (ends.reading, ends.reading), (-1, ends.writing),
        ] {
            await #expect(throws: ConnectionError.self) {
                _ = try await ChannelStream.open(input: input, output: output)
            }
        }
    }

    @Test func `with much to say both ways do not wait for each other, and hold little of it`() async throws {
        let (left, right) = (try TestStore(seed: 1), try TestStore(seed: 2))
        // Some 8 MB each way, in ranges of a MiB, and one batch of nearly 4 MiB.
        for store in [left, right] {
            try store.write(100, batchCount: 20, byteCount: 30_000)
            try store.write(120, batchCount: 120, byteCount: 30_000)
            try store.write(60, batchCount: 20, byteCount: 30_000)
        }
        let host = try await Host(right)
        let connection = try await connect(host.listener.port)
        try await connection.run(endsWhenDone: true) { try left.runner() }
        #expect(try left.roots() == right.roots())
        let ending = try await host.ending { _ in true }
        #expect(ending.standing.traffic.receivedBytes > 7_000_000)
        #expect(max(connection.peakBufferedBytes, ending.peakBytes) < 12 << 20)
        print("most bytes held: \(connection.peakBufferedBytes) and \(ending.peakBytes)")
        await host.listener.stop()
    }

    @Test func `of two logs part, and nothing is taken`() async throws {
        let left = try TestStore(seed: 1)
        let right = try TestStore(seed: 2, log: LogID(high: 3, low: 4))
        try left.write(5)
        try right.write(5)
        let host = try await Host(right)
        let standing = try await meet(left, at: host.listener.port)
        #expect(standing.ending == .quarantine(.otherLog(LogID(high: 3, low: 4))))
        #expect(try await host.ending { _ in true }.isQuarantine)
        let vectors = try [left, right].map { try $0.log.vector() }
        #expect(vectors.allSatisfy { $0.entries.count == 1 })
        await host.listener.stop()
    }

    @Test(arguments: [211, 1_009, 4099, 30_011])
    func `go on where they were, wherever the connection is cut`(step: Int) async throws {
        let (left, right) = (try TestStore(seed: 1), try TestStore(seed: 2))
        try left.write(400, batchCount: 50, byteCount: 100)
        try right.write(300, batchCount: 7, byteCount: 100)
        let host = try await Host(right)
        let proxy = try await Proxy(to: host.listener.port)
        var (cuts, received, isDone) = (0, 0, false)
        while !isDone, cuts < 4000 {
            // After more bytes each time: the first cuts are in the hello.
            proxy.allow(step * (cuts + 1))
            let connection = try await connect(proxy.port)
            do {
                isDone = try await connection.run(endsWhenDone: true) { try left.runner() }.isDone
            } catch {
                // Cut: that is the test. What came stays.
                #expect(error as? ConnectionError == .cut)
            }
            let now = Int(try left.log.vector().eventCount)
            #expect(now >= received)
            received = now
            cuts += 1
        }
        #expect(isDone && cuts > 1)
        #expect(try left.roots() == right.roots())
        print("cut every \(step) bytes more: \(cuts - 1) cuts")
        await proxy.close()
        await host.listener.stop()
    }

    @Test func `twenty at once all agree with the one in the middle, and learn of one another`() async throws {
        let middle = try TestStore(seed: 99)
        try middle.write(50)
        let others = try (1...20).map { try TestStore(seed: $0) }
        for store in others { try store.write(30) }
        let host = try await Host(middle)
        for _ in 0..<2 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in others { group.addTask { try await meet(store, at: host.listener.port) } }
                try await group.waitForAll()
            }
        }
        let roots = try middle.roots()
        #expect(roots.count == 21)
        for store in others { #expect(try store.roots() == roots) }
        await host.listener.stop()
        #expect(host.endings.count == 40 && host.endings.allSatisfy { $0.error == nil && $0.standing.isDone })
    }

    @Test func `part with a goodbye when one is stopped in the middle, and go on later`() async throws {
        let (left, right) = (try TestStore(seed: 1), try TestStore(seed: 2))
        try left.write(300, batchCount: 10, byteCount: 10_000)
        try right.write(300, batchCount: 10, byteCount: 10_000)
        // A disk that is busy may keep whoever hears the goodbye from reading on to it.
        var limits = ConnectionLimits()
        limits.farewell = .seconds(60)
        let host = try await Host(right, limits: limits)
        for stop in 0..<6 {
            let connection = try await connect(host.listener.port, limits)
            async let talking = connection.run(endsWhenDone: true) { try left.runner() }
            try await Task.sleep(for: .milliseconds(stop * 7))
            if stop % 2 == 0 {
                connection.stop(reason: "enough")
            } else {
                host.connections.last?.stop(reason: "enough")
            }
            do {
                let ending = try await talking.ending
                // None where it was stopped before it had begun.
                #expect(ending == nil || ending == .close("enough") || ending == .close(""))
            } catch ConnectionError.cut {
                // Whom the other side stopped before it had begun hears no goodbye.
                #expect(stop % 2 == 1 && host.connections.last?.standing.remote == nil)
            }
        }
        try await meet(left, at: host.listener.port)
        #expect(try left.roots() == right.roots())
        await host.listener.stop()
        await #expect(throws: ConnectionError.self) { try await meet(left, at: host.listener.port) }
    }
}

/// Two ends of a pipe.
enum Pipe {
    static func descriptors() throws -> (reading: CInt, writing: CInt) {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        return (ends[0], ends[1])
    }
}
