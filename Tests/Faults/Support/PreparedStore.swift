import Foundation
import Groundwave
import GroundwaveRadio
import GroundwaveTesting
import Testing

/// A closed store of 300 contacts in a folder of its own, copied from one that is made once.
struct PreparedStore {
    static let count = 300
    let url: URL
    private let folder: TemporaryFolder

    private static let original = Result { try Original() }

    private struct Original {
        let folder = Result { try TemporaryFolder() }
        var url: URL

        init() throws {
            url = try folder.get().url.appending(path: "store")
            let log = try GeneratedLog(count: PreparedStore.count)
            #expect(try Program.groundwave("init", "--store", url.path).ended(0))
            #expect(try Program.groundwave("import", log.path, "--store", url.path).ended(0))
        }
    }

    init() throws {
        folder = try TemporaryFolder()
        url = folder.url.appending(path: "store")
        try FileManager.default.copyItem(at: try Self.original.get().url, to: url)
    }

    var log: URL { url.appending(path: "log.mdb") }
    var views: URL { url.appending(path: "views.mdb") }

    /// What the whole store shows, in whatever way it can be asked: records, lists by time and by call.
    struct Shown: Equatable {
        var digest: Hash256
        var byTime: [RecordID]
        var byCall: [String: [RecordID]]
    }

    func shown() async throws -> Shown {
        let store = try await Inspection.open(url)
        defer { try? store.close() }
        return try store.read { view in
            let contacts = try view.all(.contacts)
            var byCall: [String: [RecordID]] = [:]
            for call in Set(contacts.map { Contact($0).call }) {
                byCall[call] = try view.all(.contacts.worked(call)).map(\.id)
            }
            return Shown(digest: try view.digest().hash, byTime: contacts.map(\.id), byCall: byCall)
        }
    }
}
