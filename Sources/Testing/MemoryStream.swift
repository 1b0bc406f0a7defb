import Groundwave
import GroundwavePeering
import GroundwaveReplication
import Synchronization

/// One end of a connection in memory between two stores of one test.
///
/// ```swift
/// let (shack, portable) = MemoryStream.pair()
/// async let there = store.sync(over: shack, as: "portable")
/// async let here = other.sync(over: portable, as: "shack")
/// ```
public final class MemoryStream: ByteStream {
    private let input: MemoryPipe
    private let output: MemoryPipe

    private init(_ input: MemoryPipe, _ output: MemoryPipe) {
        self.input = input
        self.output = output
    }

    /// Makes a connection, and returns its two ends.
    ///
    /// - Parameters:
    ///   - capacity: The number of bytes that are on their way in one direction before a write waits; at least 1.
    ///   - byteLimit: The number of bytes in each direction after which the connection breaks; `nil` if it does not.
    public static func pair(
        capacity: Int = 64 << 10, breaksAfter byteLimit: Int? = nil
    ) -> (MemoryStream, MemoryStream) {
        let (one, other) = (MemoryPipe(capacity, byteLimit), MemoryPipe(capacity, byteLimit))
        return (MemoryStream(one, other), MemoryStream(other, one))
    }

    /// The connection is broken, or this end of it is closed.
    public struct Broken: Error, Hashable, Sendable {}

    /// Returns bytes that the other end has written; `nil` after its end.
    ///
    /// - Throws: ``Broken`` if the connection is broken; `CancellationError`.
    public func read(upTo limit: Int) async throws -> [UInt8]? { try await input.read(upTo: limit) }

    /// Writes bytes for the other end, and waits while it does not read.
    ///
    /// - Throws: ``Broken`` if the connection is broken, or an end of it closed; `CancellationError`.
    public func write(_ bytes: [UInt8]) async throws { try await output.write(bytes) }

    /// Closes both directions; what was written before can still be read.
    public func close() async {
        output.close()
        input.discard()
    }
}

/// The bytes in one direction.
private final class MemoryPipe: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var writableBytes: Int
        var isClosed = false
        var isBroken = false
        var waiting: [Awaited<Void>] = []
    }

    private let capacity: Int
    private let state: Mutex<State>

    init(_ capacity: Int, _ byteLimit: Int?) {
        self.capacity = max(capacity, 1)
        state = Mutex(State(writableBytes: byteLimit ?? .max))
    }

    func read(upTo limit: Int) async throws -> [UInt8]? {
        try await whenPossible { state -> [UInt8]?? in
            guard state.bytes.isEmpty else {
                defer { state.bytes.removeFirst(min(limit, state.bytes.count)) }
                return Array(state.bytes.prefix(limit))
            }
            if state.isBroken { throw MemoryStream.Broken() }
            return state.isClosed ? .some(nil) : nil
        }
    }

    func write(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = try await whenPossible { [capacity, rest] state -> Int? in
                if state.isClosed || state.isBroken { throw MemoryStream.Broken() }
                let count = min(rest.count, capacity - state.bytes.count, state.writableBytes)
                guard count > 0 || state.writableBytes == 0 else { return nil }
                state.bytes += rest.prefix(count)
                state.writableBytes -= count
                state.isBroken = state.writableBytes == 0
                return count
            }
            rest = rest.dropFirst(written)
        }
    }

    /// Closes the writing end.
    func close() { change { $0.isClosed = true } }

    /// Closes the reading end: what is on its way is lost.
    func discard() {
        change { state in
            state.isClosed = true
            state.bytes = []
        }
    }

    /// Returns what `body` returns, as soon as that is not `nil`.
    ///
    /// - Throws: The error of `body`; `CancellationError`.
    private func whenPossible<Outcome: Sendable>(
        _ body: @Sendable (inout State) throws -> Outcome?
    ) async throws -> Outcome {
        while true {
            let awaited = Awaited<Void>()
            let outcome = try change { state in
                let outcome = try body(&state)
                return (outcome, outcome == nil ? awaited : nil)
            }
            if let outcome { return outcome }
            if await awaited.value() == nil { throw CancellationError() }
        }
    }

    /// Changes the state and wakes whoever waits for a change; then lets the caller wait, if it gives a value to wait for.
    private func change<Outcome: Sendable>(
        _ body: (inout State) throws -> (Outcome, waiter: Awaited<Void>?)
    ) rethrows -> Outcome {
        var woken: [Awaited<Void>] = []
        defer { for one in woken { one.provide(()) } }
        return try state.withLock { state in
            let (outcome, waiter) = try body(&state)
            if let waiter {
                state.waiting.append(waiter)
            } else {
                woken = state.waiting
                state.waiting = []
            }
            return outcome
        }
    }

    private func change(_ body: (inout State) -> Void) {
        change { state in
            body(&state)
            return ((), nil)
        }
    }
}
