import Groundwave
import GroundwaveReplication

/// What was found where a guarantee says something else.
struct Finding: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// A transport under examination, called with names as text.
struct ExaminedTransport: Sendable {
    let transport: any Transport
    /// How long to wait for what must come soon.
    let patience: Duration

    func put(_ name: String, _ bytes: [UInt8] = [1]) async throws -> PutOutcome {
        try await transport.putIfAbsent(Self.name(name), bytes)
    }

    func replace(_ name: String, _ bytes: [UInt8]) async throws {
        try await transport.replace(Self.name(name), bytes)
    }

    func get(_ name: String, range: Range<Int>? = nil, limit: Int = 8 << 20) async throws -> [UInt8]? {
        try await transport.get(Self.name(name), range: range, limit: limit)
    }

    func delete(_ name: String) async throws { try await transport.delete(Self.name(name)) }

    func list(_ folder: String? = nil, after name: String? = nil, limit: Int = 10_000) async throws -> [String] {
        try await transport.list(
            prefix: Self.prefix(folder), startAfter: name.map(Self.name), limit: limit
        ).map(\.description)
    }

    func folders(_ folder: String? = nil, limit: Int = 10_000) async throws -> [String] {
        try await transport.folders(prefix: Self.prefix(folder), limit: limit)
    }

    /// Stores an object under a name that must be free.
    func store(_ name: String, _ bytes: [UInt8] = [1]) async throws {
        try expect(try await put(name, bytes), .stored, "Storing \(name)")
    }

    /// Throws a finding unless an operation gave what is expected.
    func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ operation: String) throws {
        if found != expected { throw Finding("\(operation) gave \(Self.shown(found)), not \(Self.shown(expected)).") }
    }

    private static func shown(_ value: some Any) -> String {
        if let bytes = value as? [UInt8], bytes.count > 32 { return "\(bytes.count) bytes" }
        let text = "\(value)"
        return text.count > 400 ? text.prefix(400) + "…" : text
    }

    private static func name(_ text: String) -> ObjectName {
        guard let name = ObjectName(text) else { preconditionFailure("\(text) is the name of an object.") }
        return name
    }

    private static func prefix(_ folder: String?) -> ObjectPrefix {
        guard let folder else { return .all }
        guard let prefix = ObjectPrefix(folder: folder) else { preconditionFailure("\(folder) is a folder.") }
        return prefix
    }
}
