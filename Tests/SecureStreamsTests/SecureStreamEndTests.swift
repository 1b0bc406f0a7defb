import GroundwavePeering
import GroundwaveSecureStreams
import GroundwaveTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A secure stream and its end` {
    private let devices = TwoDevices()

    private func opened(capacity: Int = 64 << 10) async throws -> (
        portable: SecureStream, shack: SecureStream, below: MemoryStream
    ) {
        let (left, right) = MemoryStream.pair(capacity: capacity)
        let (one, other) = await devices.open(left, right)
        return (try one.get(), try other.get(), left)
    }

    @Test func `is not opened if the caller closes what is below, for whose silence there is no other limit`()
        async throws
    {
        let (left, right) = MemoryStream.pair()
        async let one = devices.open(left, as: .responder)
        try await Task.sleep(for: .milliseconds(20))
        await left.close()
        #expect(await one.failure == .cut)
        #expect(try await right.read(upTo: 1) == nil)
    }

    @Test func `writes nothing for no bytes, and nothing after it was closed`() async throws {
        let (portable, shack, _) = try await opened()
        try await portable.write([])
        try await portable.write([1])
        await portable.close()
        await portable.close()
        await #expect(throws: ConnectionError.cut) { try await portable.write([2]) }
        await #expect(throws: ConnectionError.cut) { try await portable.read(upTo: 9) }
        let (bytes, failure) = await shack.readAll()
        #expect(bytes == [1] && failure == nil)
    }

    @Test func `is closed soon though nobody reads, and is seen as cut then`() async throws {
        let (portable, shack, _) = try await opened(capacity: 5)
        let start = ContinuousClock.now
        await portable.close()
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(await shack.readAll().failure as? ConnectionError == .cut)
    }

    @Test func `is closed at once while a write waits, which then fails`() async throws {
        let (portable, shack, _) = try await opened(capacity: 5)
        let writing = Task { try await portable.write([UInt8](repeating: 0, count: 200_000)) }
        try await Task.sleep(for: .milliseconds(20))
        await portable.close()
        await #expect(throws: (any Error).self) { try await writing.value }
        let (bytes, failure) = await shack.readAll()
        #expect(bytes.isEmpty && failure as? ConnectionError == .cut)
    }

    @Test func `is closed as agreed also by a task that was cancelled`() async throws {
        let (portable, shack, _) = try await opened()
        let closing = Task {
            try? await Task.sleep(for: .seconds(100))
            await portable.close()
        }
        closing.cancel()
        await closing.value
        let (bytes, failure) = await shack.readAll()
        #expect(bytes.isEmpty && failure == nil)
    }

    @Test func `goes on where it was after a read that was cancelled in the middle of a record`() async throws {
        let (left, right) = MemoryStream.pair()
        // The record comes in two halves.
        let halves = MeddledStream(left) { index, _, bytes in index == 2 ? Array(bytes.prefix(25)) : bytes }
        let (one, other) = await devices.open(halves, right)
        let (portable, shack) = (try one.get(), try other.get())
        let reading = Task { try await shack.read(upTo: 100) }
        try await portable.write(Array("599 001".utf8))
        try await Task.sleep(for: .milliseconds(20))
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        try await left.write(Array(halves.writes[2].dropFirst(25)))
        #expect(try await shack.read(upTo: 3) == Array("599".utf8))
        #expect(try await shack.read(upTo: 100) == Array(" 001".utf8))
    }
}
