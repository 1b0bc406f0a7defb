import Groundwave
import GroundwaveSeededNumbers
import Synchronization

/// A transport of which some requests fail, before or after they had an effect, and some listings are outdated.
final class FaultyTransport: Transport {
    private let transport: any Transport
    private let state: Mutex<(numbers: SeededGenerator, percent: Int)>

    /// Creates one without faults for now.
    init(_ transport: any Transport, seed: UInt64) {
        self.transport = transport
        state = Mutex((SeededGenerator(seed: seed), 0))
    }

    /// How many of a hundred requests fail.
    var percent: Int {
        get { state.withLock { $0.percent } }
        set { state.withLock { $0.percent = newValue } }
    }

    private enum Fault { case before, after }

    private func fault() -> Fault? {
        state.withLock { state in
            guard Int.random(in: 0..<100, using: &state.numbers) < state.percent else { return nil }
            return Bool.random(using: &state.numbers) ? .before : .after
        }
    }

    private func perform<Outcome>(
        _ request: () async throws(TransportError) -> Outcome
    ) async throws(TransportError) -> Outcome {
        let fault = fault()
        if fault == .before { throw .unreachable("The request was lost.") }
        let outcome = try await request()
        if fault == .after { throw .unreachable("The answer was lost.") }
        return outcome
    }

    func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome {
        try await perform { () async throws(TransportError) in try await transport.putIfAbsent(name, bytes) }
    }

    func replace(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) {
        try await perform { () async throws(TransportError) in try await transport.replace(name, bytes) }
    }

    func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? {
        try await perform { () async throws(TransportError) in
            try await transport.get(name, range: range, limit: limit)
        }
    }

    func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) async throws(TransportError) -> [ObjectName] {
        let names = try await perform { () async throws(TransportError) in
            try await transport.list(prefix: prefix, startAfter: startAfter, limit: limit)
        }
        return fault() == nil ? names : Array(names.dropLast())
    }

    func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] {
        try await perform { () async throws(TransportError) in
            try await transport.folders(prefix: prefix, limit: limit)
        }
    }

    func delete(_ name: ObjectName) async throws(TransportError) {
        try await perform { () async throws(TransportError) in try await transport.delete(name) }
    }
}
