import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting

/// Devices of one log that meet in a folder.
final class SyncedFleet: Sendable {
    let folder: TemporaryFolder
    let stores: [TemporaryStore]

    var place: URL { folder.url.appending(path: "place") }

    /// - Parameter configurations: One for each device; the first one makes the log.
    init(_ configurations: [Configuration]) async throws {
        folder = try TemporaryFolder()
        var stores: [TemporaryStore] = []
        for configuration in configurations {
            if stores.isEmpty {
                let first = try await TemporaryStore(configuration)
                stores.append(first)
                try await first.store.add(remote: "place", at: .folder(folder.url.appending(path: "place")))
                try await first.store.sync(try first.store.remote("place"))
            } else {
                stores.append(
                    try await TemporaryStore(joining: .folder(folder.url.appending(path: "place")), configuration))
            }
        }
        self.stores = stores
    }

    convenience init(_ count: Int) async throws {
        try await self.init((0..<count).map { Configuration.full(author: "N\($0)CALL", deviceName: "device \($0)") })
    }

    subscript(index: Int) -> Store { stores[index].store }

    /// One device looks at the place.
    @discardableResult
    func sync(_ index: Int, isFull: Bool = false) async throws -> SyncSummary {
        try await self[index].sync(try self[index].remote("place"), isFull: isFull)
    }

    /// Everybody looks until nobody has anything new.
    func settle() async throws {
        for _ in 0..<3 { for index in stores.indices { try await sync(index) } }
    }

    /// The digests of all, which are one where they agree.
    func digests() throws -> Set<Hash256> { Set(try stores.map { try $0.store.digest().views }) }
}

extension Store {
    /// Logs a contact by hand, now.
    func log(_ call: String, at time: String = "1200", _ fields: [String: String] = [:]) async throws -> RecordID {
        try await write { batch in
            try batch.add(
                "qso",
                [
                    Assignment("CALL", text: call), Assignment("QSO_DATE", text: "20260501"),
                    Assignment("TIME_ON", text: time), Assignment("BAND", text: "20m"), Assignment("MODE", text: "CW"),
                ] + fields.sorted { $0.key < $1.key }.map { Assignment($0.key, text: $0.value) })
        }.value
    }

    /// Edits fields of a contact.
    func edit(_ id: RecordID, _ fields: [String: String]) async throws {
        try await write { batch in
            _ = try batch.set("qso", id, fields.sorted { $0.key < $1.key }.map { Assignment($0.key, text: $0.value) })
        }
    }

    /// A field of a contact as it shows.
    func field(_ name: String, of id: RecordID) throws -> String? {
        try read { try $0.record("qso", id) }.flatMap { QSOKind.schema.value(of: name, in: $0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// How many contacts show.
    func contactCount() throws -> Int { try read { try $0.count(.contacts) } }
}
