import Foundation
import GroundwaveReplication
import GroundwaveTesting
import Testing

@Suite struct `Every transport` {
    /// A way to make an empty place, of a folder if it needs one.
    struct PlaceMaker: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (URL) -> any Transport

        static let all = [
            PlaceMaker(testDescription: "memory") { _ in MemoryTransport() },
            PlaceMaker(testDescription: "folder") { FolderTransport($0) },
            PlaceMaker(testDescription: "folder without links") { FolderTransport($0, hasLinks: false) },
        ]
    }

    @Test(arguments: PlaceMaker.all, TransportConformance.Guarantee.allCases)
    func `keeps each guarantee`(maker: PlaceMaker, guarantee: TransportConformance.Guarantee) async throws {
        let folder = try TemporaryFolder()
        try await TransportConformance { maker.make(folder.url) }.check(guarantee)
        withExtendedLifetime(folder) {}
    }
}

@Suite struct `The check of transports` {
    @Test(arguments: FlawedTransport.Flaw.allCases)
    func `finds a guarantee that is not kept, and names it`(flaw: FlawedTransport.Flaw) async throws {
        let conformance = TransportConformance(patience: .milliseconds(100)) { FlawedTransport(flaw) }
        let violation = await #expect(throws: TransportConformance.Violation.self) {
            try await conformance.check(flaw.guarantee)
        }
        #expect(violation?.guarantee == flaw.guarantee)
        #expect(violation?.finding.isEmpty == false)
    }

    @Test func `finds a hint that does not come`() async throws {
        let conformance = TransportConformance(patience: .milliseconds(100)) { FlawedTransport(nil) }
        await #expect(throws: TransportConformance.Violation.self) { try await conformance.check(.hints) }
    }

    @Test func `names the guarantee also where synchronising fails`() async throws {
        let conformance = TransportConformance { MemoryTransport(faults: Self.unreachable) }
        let violation = await #expect(throws: TransportConformance.Violation.self) {
            try await conformance.check(.agreement)
        }
        #expect(violation?.guarantee == .agreement)
    }

    private static let unreachable = {
        var faults = MemoryTransport.Faults()
        faults.isUnreachable = true
        return faults
    }()

    @Test func `reports all that it finds, and what cannot be made`() async {
        struct NoServer: Error {}
        let violations = await TransportConformance { throw NoServer() }.violations()
        #expect(violations.map(\.guarantee) == TransportConformance.Guarantee.allCases)
        #expect(violations.allSatisfy { $0.description.contains("NoServer") })
    }
}

/// A place in memory that breaks one guarantee, and that says nothing of changes.
struct FlawedTransport: Transport {
    enum Flaw: CaseIterable {
        case replaces, cutsShort, inventsObjects, failsBehindTheEnd, ignoresLimits, listsBackwards, listsLikeNames
        case repeatsOnePage, namesObjectsAsFolders, deletesTheFolder, letsAllWin, ignoresCase, hangs, losesObjects
        case keepsTheFirst, deletesBeforeReplacing

        var guarantee: TransportConformance.Guarantee {
            switch self {
            case .replaces: .nothingIsReplaced
            case .cutsShort: .wholeObjects
            case .inventsObjects: .absence
            case .failsBehindTheEnd: .ranges
            case .ignoresLimits: .limits
            case .listsBackwards: .order
            case .listsLikeNames: .prefixes
            case .repeatsOnePage: .pages
            case .namesObjectsAsFolders: .folders
            case .deletesTheFolder: .deletion
            case .letsAllWin: .oneWinner
            case .ignoresCase: .names
            case .hangs: .cancellation
            case .losesObjects: .agreement
            case .keepsTheFirst, .deletesBeforeReplacing: .replacement
            }
        }
    }

    private let flaw: Flaw?
    private let place = MemoryTransport()

    init(_ flaw: Flaw?) { self.flaw = flaw }

    func watch() -> AsyncStream<Void>? { AsyncStream { _ in } }

    func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome {
        switch flaw {
        case .replaces:
            try place.delete(name)
            return try place.putIfAbsent(name, bytes)
        case .cutsShort: return try place.putIfAbsent(name, Array(bytes.prefix(1 << 20)))
        case .letsAllWin:
            _ = try place.putIfAbsent(name, bytes)
            return .stored
        case .ignoresCase: return try place.putIfAbsent(lowercased(name), bytes)
        case .hangs where name.description == "cancelled":
            let outcome = try place.putIfAbsent(name, bytes)
            // Work that does not look at the cancellation of its task.
            if outcome == .stored { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
            return outcome
        // The segments of a store are never there.
        case .losesObjects where name.description.hasSuffix(".segment"): return .stored
        default: return try place.putIfAbsent(name, bytes)
        }
    }

    func replace(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) {
        switch flaw {
        case .keepsTheFirst: _ = try place.putIfAbsent(name, bytes)
        case .deletesBeforeReplacing:
            try place.delete(name)
            // Whoever reads now finds nothing.
            for _ in 0..<1_000 { await Task.yield() }
            try place.replace(name, bytes)
        default: try place.replace(flaw == .ignoresCase ? lowercased(name) : name, bytes)
        }
    }

    func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? {
        let limit = flaw == .ignoresLimits ? .max : limit
        let name = flaw == .ignoresCase ? lowercased(name) : name
        let bytes = try place.get(name, range: range, limit: limit)
        if flaw == .inventsObjects { return bytes ?? [] }
        if flaw == .failsBehindTheEnd, let range, bytes?.isEmpty == true, !range.isEmpty {
            throw .unreachable("There are no such bytes.")
        }
        return bytes
    }

    func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) async throws(TransportError) -> [ObjectName] {
        let after = flaw == .repeatsOnePage ? nil : startAfter
        if flaw == .listsLikeNames, let folder = prefix.folder {
            let all = try place.list(prefix: .all, startAfter: after, limit: .max)
            return Array(all.filter { $0.description.hasPrefix(folder.description) }.prefix(limit))
        }
        let names = try place.list(prefix: prefix, startAfter: after, limit: limit)
        return flaw == .listsBackwards ? names.reversed() : names
    }

    func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] {
        guard flaw == .namesObjectsAsFolders else { return try place.folders(prefix: prefix, limit: limit) }
        let names = try place.list(prefix: prefix, startAfter: nil, limit: .max)
        let parts = names.map { $0.description.dropFirst(prefix.description.count).prefix { $0 != "/" } }
        return Array(Set(parts.map(String.init)).sorted().prefix(limit))
    }

    func delete(_ name: ObjectName) async throws(TransportError) {
        guard flaw == .deletesTheFolder, let slash = name.description.lastIndex(of: "/"),
            let folder = ObjectPrefix(folder: String(name.description[..<slash]))
        else { return try place.delete(name) }
        for name in try place.list(prefix: folder, startAfter: nil, limit: .max) { try place.delete(name) }
    }

    private func lowercased(_ name: ObjectName) -> ObjectName { ObjectName(name.description.lowercased()) ?? name }
}
