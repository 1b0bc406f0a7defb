import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogRepair
import GroundwaveTesting

/// Damages the logs of stores.
enum Damage {
    static func log(of url: URL) -> URL { url.appending(path: "log.mdb") }

    /// Zeroes a page that some events of the log lie on, and what the file has of them beside it; returns which events
    /// are lost with it.
    @discardableResult
    static func loseEvents(of url: URL) throws -> [EventRange] {
        let file = log(of: url)
        let whole = try Data(contentsOf: file)
        func verify(without pages: [Int]) throws -> LogReport {
            var bytes = whole
            for page in pages { bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(count: 4096)) }
            try bytes.write(to: file)
            return try LogVerifier.verify(path: file.path)
        }
        // Pages of the past may have copies of what is lost.
        let unused = try (2..<whole.count / 4096).filter {
            try verify(without: [$0]).damage.allSatisfy { $0.what == .lostRange }
        }
        let known = EventSet(try verify(without: []).missing)
        for page in 2..<whole.count / 4096 where !unused.contains(page) {
            let missing = EventSet(try verify(without: unused + [page]).missing).subtracting(known).ranges
            // Not the first events: one of them holds the key of the replica.
            if !missing.isEmpty, missing.allSatisfy({ $0.first > 3 }), missing.reduce(0, { $0 + $1.count }) < 60 {
                return try Salvage(path: file.path).missing
            }
        }
        throw CocoaError(.fileReadCorruptFile)
    }

    /// Flips a bit wherever the file has `text`, without another file taking its place.
    static func flip(_ text: String, of url: URL) throws {
        let bytes = try Data(contentsOf: log(of: url))
        let handle = try FileHandle(forUpdating: log(of: url))
        var start = bytes.startIndex
        while let found = bytes.range(of: Data(text.utf8), in: start..<bytes.endIndex) {
            try handle.seek(toOffset: UInt64(found.lowerBound))
            try handle.write(contentsOf: [bytes[found.lowerBound] ^ 1])
            start = found.upperBound
        }
        try handle.close()
    }

    /// Zeroes the meta pages, so that nothing leads anywhere.
    static func loseMetaPages(of url: URL) throws {
        var bytes = try Data(contentsOf: log(of: url))
        bytes.replaceSubrange(0..<8192, with: Data(count: 8192))
        try bytes.write(to: log(of: url))
    }

    /// Every file of a store and what it holds, but for locks.
    static func bytes(of url: URL) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for case let path as String in FileManager.default.enumerator(atPath: url.path) ?? .init() {
            let file = url.appending(path: path)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue,
                !path.hasSuffix("-lock"), !path.hasSuffix("-writer")
            else { continue }
            found[path] = try Data(contentsOf: file)
        }
        return found
    }
}

extension TemporaryStore {
    /// A closed store of `count` contacts that has lost a page of events; which these are, and which calls it had.
    static func damaged(_ count: Int = 120) async throws -> (store: TemporaryStore, lost: [EventRange], Set<String>) {
        let made = try await TemporaryStore(Configuration.full(author: "N0CALL", deviceName: "shack"))
        try await made.store.logMany(count)
        let calls = try made.store.calls()
        try made.store.close()
        let lost = try Damage.loseEvents(of: made.url)
        return (made, lost, calls)
    }

    /// Opens the folder once more, whatever comes of it.
    func opening(_ configuration: Configuration = Configuration.full()) async throws -> Opening {
        var configuration = configuration
        configuration.stateFolder = stateFolder
        return try await Store.open(at: url, configuration)
    }

    /// Opens the folder once more, which waits in recovery.
    func recovery(_ configuration: Configuration = Configuration.full()) async throws -> Recovery {
        guard case .recovering(let recovery) = try await opening(configuration) else {
            throw StoreError(.bug, "The store does not wait in recovery.")
        }
        return recovery
    }
}

extension Store {
    /// Logs `count` contacts by hand.
    func logMany(_ count: Int, _ prefix: String = "N0C") async throws {
        for number in 0..<count {
            _ = try await log("\(prefix)\(number)", at: String(format: "%02d%02d", number / 60 % 24, number % 60))
        }
    }

    /// The calls of all contacts that show.
    func calls() throws -> Set<String> { Set(try read { try $0.all(.contacts).map { Contact($0).call } }) }
}
