import Foundation
import GroundwaveTesting
import Testing

/// The code of the article RecoveryScreen, compiled and run.
@Suite struct `The article about a recovery screen` {
    private let base: TemporaryFolder

    init() throws { base = try TemporaryFolder() }

    @Test func `goes on in a temporary store, and adds what was written there to what is restored`() async throws {
        let configuration = Configuration(
            author: "N0CALL", kinds: [Inspection.self], stateFolder: base.url.appending(path: "state"))
        let folder = base.url.appending(path: "damaged")
        let store = try await Store.create(at: folder, configuration)
        for number in 1...50 {
            try await store.write { _ = try $0.add(Inspection(device: "Ladder \(number)")) }
        }
        try store.close()
        var messages: [String] = []
        try await open(folder, configuration) { messages.append($0) }.close()
        #expect(messages.isEmpty)
        let log = try FileHandle(forUpdating: folder.appending(path: "log.mdb"))
        try log.truncate(atOffset: 40_000)
        try log.close()
        let temporary = try await open(folder, configuration) { messages.append($0) }
        try await temporary.write { _ = try $0.add(Inspection(device: "Scaffold")) }
        try temporary.close()
        #expect(messages.count == 1)
        guard case .recovering(let recovery) = try await Store.open(at: folder, configuration) else {
            Issue.record("the store is not in recovery")
            return
        }
        await #expect(throws: StoreError.self, "there is no remote") { try await recovery.stageRestore(from: .remote) }
        try await restore(recovery, from: .salvage)
        let restored = try await Store.open(at: folder, configuration).whole
        let devices = try restored.all(Inspection.self).map(\.device)
        #expect(devices.contains("Scaffold"), "what was written meanwhile is there")
        try restored.close()
    }

    func open(_ folder: URL, _ configuration: Configuration, _ show: (String) -> Void) async throws -> Store {
        switch try await Store.open(at: folder, configuration) {
        case .ready(let store): return store
        case .recovering(let recovery):
            show("\(recovery.failure.message). Recovered: \(recovery.receipt?.recovered ?? 0) changes.")
            return recovery.temporary
        }
    }

    func restore(_ recovery: Recovery, from source: Recovery.Source) async throws {
        try await recovery.stageRestore(from: source)
        try recovery.temporary.close()
    }
}
