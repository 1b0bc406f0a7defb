import GroundwaveReplication
import Testing

/// A place, called with names as text.
struct TestedPlace: Sendable {
    let transport: any Transport

    init(_ transport: any Transport) { self.transport = transport }

    func put(_ name: String, _ bytes: [UInt8] = [1]) async throws -> PutOutcome {
        try await transport.putIfAbsent(#require(ObjectName(name)), bytes)
    }

    func replace(_ name: String, _ bytes: [UInt8]) async throws {
        try await transport.replace(#require(ObjectName(name)), bytes)
    }

    func get(_ name: String, range: Range<Int>? = nil, limit: Int = 1 << 20) async throws -> [UInt8]? {
        try await transport.get(#require(ObjectName(name)), range: range, limit: limit)
    }

    func delete(_ name: String) async throws { try await transport.delete(#require(ObjectName(name))) }

    func list(_ folder: String? = nil, after name: String? = nil, limit: Int = 10_000) async throws -> [String] {
        try await transport.list(
            prefix: prefix(folder), startAfter: name.map { try #require(ObjectName($0)) }, limit: limit
        ).map(\.description)
    }

    func folders(_ folder: String? = nil, limit: Int = 10_000) async throws -> [String] {
        try await transport.folders(prefix: prefix(folder), limit: limit)
    }

    private func prefix(_ folder: String?) throws -> ObjectPrefix {
        guard let folder else { return .all }
        return try #require(ObjectPrefix(folder: folder))
    }
}
