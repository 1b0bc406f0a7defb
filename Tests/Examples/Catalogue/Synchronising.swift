import Foundation
import GroundwaveTesting
import Testing

#if canImport(Security)
import Security

struct SystemKeychain: Keychain {
    struct Refused: Error { let status: OSStatus }

    func secret(named name: String) throws -> [UInt8]? {
        var found: CFTypeRef?
        let status = SecItemCopyMatching(item(name, [kSecReturnData: true]), &found)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = found as? Data else { throw Refused(status: status) }
        return [UInt8](data)
    }

    func add(_ secret: [UInt8], named name: String) throws -> Bool {
        let access = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        let status = SecItemAdd(item(name, [kSecValueData: Data(secret), kSecAttrAccessible: access]), nil)
        if status == errSecDuplicateItem { return false }
        guard status == errSecSuccess else { throw Refused(status: status) }
        return true
    }

    private func item(_ name: String, _ more: [CFString: Any]) -> CFDictionary {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "inspections", kSecAttrAccount: name,
            kSecUseDataProtectionKeychain: true,
        ]
        return item.merging(more) { $1 } as CFDictionary
    }
}
#endif

/// The code of the article Synchronising, compiled and run.
@Suite struct `The article about synchronising` {
    private let base: TemporaryFolder

    init() throws { base = try TemporaryFolder() }

    @Test func `keeps two devices in sync, and decides a conflict`() async throws {
        let configuration = Configuration(
            author: "N0CALL", kinds: [Inspection.self], stateFolder: base.url.appending(path: "state"))
        let temporary = try await TemporaryStore(configuration)
        let store = temporary.store
        let shared = base.url.appending(path: "shared")
        let id = try await store.write { try $0.add(Inspection(device: "Ladder")) }.value
        let syncing = try await store.startSyncing(with: .folder(shared))
        let following = Task { for await state in syncing.status { print(badge(state)) } }
        let state = try await syncing.once(deadline: .seconds(25))
        #expect(badge(state) == "in sync")
        syncing.stop()
        await following.value
        let folder = base.url.appending(path: "other")
        let (other, _) = try await Store.join(.folder(shared), at: folder, configuration)
        #expect(other.logID == store.logID)
        try await other.write { try $0.edit(Inspection.self, id) { $0.day = CalendarDay("2026-05-01") } }
        try await store.write { try $0.edit(Inspection.self, id) { $0.day = CalendarDay("2026-05-02") } }
        try await other.sync(try other.remotes()[0])
        try await store.sync(try store.remotes()[0])
        for record in try store.conflicts() {
            for conflict in try store.conflicts(in: record) {
                for candidate in conflict.candidates {
                    print(conflict.field, String(decoding: candidate.value ?? [], as: UTF8.self), candidate.note.author)
                }
            }
        }
        let record = try #require(try store.record("inspection", id))
        let conflict = try #require(try store.conflicts(in: record).first)
        let candidate = try #require(conflict.candidates.first { !$0.isShown })
        _ = try await store.choose(candidate, in: conflict, note: "Seen on site")
        #expect(try store.find(Inspection.self, id)?.day.map { "\($0)" }?.utf8.map(\.self) == candidate.value)
        #expect(try store.conflicts().isEmpty)
        try other.close()
    }

    func badge(_ state: SyncState) -> String {
        switch state {
        case .complete: "in sync"
        case .behind(let events): "\(events) changes to go"
        case .offline(let unsent): "offline, \(unsent) changes wait"
        case .needs(let action): action
        }
    }
}
