import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@testable import GroundwaveObserving
@testable import GroundwaveStore

@Suite struct `A store whose log another one rewrites` {
    /// Everything that `reading` of `store` shows: a digest, and the list. Or why it cannot be told.
    ///
    /// A process opens a file once: the views of the other store that is open let go of theirs.
    private static func shown(_ reading: some Reading, of store: Store) throws -> String {
        defer { store.views.close() }
        do {
            let calls = try reading.read { try $0.all(.everything).map { "\($0.id) \(Contact($0).call)" } }
            let digest = try reading.digest()
            return "\(digest.views) \(digest.content) \(calls)"
        } catch let error as StoreError where error.code == .archived { return "archived" }
    }

    /// One random thing that a user does; what cannot be done now is passed over.
    private static func act(
        in store: Store, _ archives: inout [String], _ folder: TemporaryFolder, _ numbers: inout SeededGenerator
    ) async throws {
        let ids = try store.read { try $0.all(.everything).map(\.id) }
        do {
            switch Int.random(in: 0..<12, using: &numbers) {
            case 0:
                if let id = ids.randomElement(using: &numbers) { try await store.erase([id]) }
            case 1, 2:
                let last = try store.log.lastPosition()
                let path = folder.path("\(UInt64.random(in: 0 ... .max, using: &numbers)).gwa")
                try await store.archive(before: .position(.random(in: 1...last, using: &numbers)), to: path)
                archives.append(path)
            case 3:
                try await store.restoreArchives(archives)
                archives = []
            case 4:
                if archives.isEmpty, Bool.random(using: &numbers) {
                    let clearing = try await store.prepareClearing()
                    try await store.clear(clearing, discarding: clearing.unsent)
                }
            case 5, 6:
                if let id = ids.randomElement(using: &numbers) { try await store.edit(id, ["NAME": "\(ids.count)"]) }
            default:
                for _ in 0..<3 { _ = try await store.log("N\(UInt16.random(in: 0 ... .max, using: &numbers))CALL") }
            }
        } catch let error as StoreError where [.archived, .usage, .notFound].contains(error.code) {}
    }

    @Test(arguments: UInt64(1)...3)
    func `answers as one that was opened just now, and so does what it has pinned and laid over`(seed: UInt64)
        async throws
    {
        var numbers = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let made = try await TemporaryStore(Configuration.full(author: "N0CALL", deviceName: "shack"))
        var archives: [String] = []
        for _ in 0..<8 { _ = try await made.store.log("N\(UInt16.random(in: 0 ... .max, using: &numbers))CALL") }
        made.store.views.close()
        let reader = try await made.reopened(.full())
        defer { try? reader.close() }
        reader.views.close()
        var pins: [PastStore] = []
        for step in 0..<20 {
            try await Self.act(in: made.store, &archives, folder, &numbers)
            made.store.views.close()
            let then = try Self.shown(reader, of: reader)
            let told = try pins.map { try Self.shown($0, of: reader) }
            #expect(try Self.shown(made.store, of: made.store) == then, "step \(step)")
            let fresh = try await made.reopened(.full())
            #expect(try Self.shown(fresh, of: fresh) == then, "step \(step)")
            for (pin, shown) in zip(pins, told) {
                let now = try await fresh.at(.vector(pin.vector))
                #expect(try Self.shown(now, of: fresh) == shown, "step \(step), the point \(pin.vector)")
            }
            // Not closed: the log is open once in a process, and the others go on.
            if step % 3 == 0 {
                let last = try reader.log.lastPosition()
                let near = last > 3 ? last - 3 : 0
                for position in [near, .random(in: 0...last, using: &numbers)] {
                    let pin = try await reader.at(.position(position))
                    _ = try Self.shown(pin, of: reader)
                    pins.append(pin)
                }
            }
        }
    }

    // MARK: - Lost events that come back

    /// A store that lost events with a damaged page and was restored, and a peer that has them.
    private static func restored() async throws -> (fleet: SyncedFleet, store: Store, lost: EventSet) {
        let fleet = try await SyncedFleet(2)
        try await fleet[0].logMany(120)
        try await fleet.settle()
        try fleet[0].close()
        let lost = try Damage.loseEvents(of: fleet.stores[0].url)
        let recovery = try await fleet.stores[0].recovery()
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let store = try await fleet.stores[0].opening().whole
        #expect(try store.log.lostRanges() == lost)
        return (fleet, store, EventSet(lost))
    }

    @Test func `says how many of the events that came had been lost here, by a place and by a bundle`() async throws {
        let (fleet, store, lost) = try await Self.restored()
        defer { try? store.close() }
        let bundle = fleet.folder.path("all.gwb")
        _ = try await fleet[1].createBundle(to: bundle)
        let content = try store.log.content()
        let summary = try await store.sync(try store.remote("place"))
        #expect(summary.receivedEvents == Int(lost.count) && summary.returnedEvents == Int(lost.count))
        // Nothing was written anew.
        #expect(try store.log.content() == LogContent(generation: content.generation, late: lost.count))
        let again = try await store.sync(try store.remote("place"))
        #expect(again.receivedEvents == 0 && again.returnedEvents == 0)
        let applied = try await store.applyBundle(bundle)
        #expect(applied.events == 0 && applied.returned == 0)

        let (others, other, missing) = try await Self.restored()
        defer { try? other.close() }
        let file = others.folder.path("all.gwb")
        _ = try await others[1].createBundle(to: file)
        let first = try await other.applyBundle(file)
        #expect(first.events == Int(missing.count) && first.returned == Int(missing.count))
        #expect(try Store.recoveryStatus(at: other.url).lost.isEmpty)
    }

    @Test func `shows what came back at the next read, tells who observes, and changes no list that is pinned`()
        async throws
    {
        let (fleet, store, lost) = try await Self.restored()
        defer { try? store.close() }
        store.views.close()
        let reader = try await fleet.stores[0].reopened(.full())
        defer { try? reader.close() }
        let before = try reader.calls()
        let expected = try fleet[1].calls()
        let pin = try await reader.at(.vector(reader.log.vector()))
        let near = try await reader.at(.position(reader.log.lastPosition() - 2))
        let pinned = try (Self.shown(pin, of: reader), Self.shown(near, of: reader))
        var feed = ChangeFeed(store: reader, filter: .all)
        try feed.start(at: reader.currentToken())
        #expect(try feed.next(through: nil) == nil)
        let token = try reader.currentToken()
        reader.views.close()
        let waiting = Task {
            for try await contacts in store.values(of: .contacts) where contacts.count == expected.count {
                return Set(contacts.map(\.call))
            }
            return []
        }
        let limit = Task {
            try await Task.sleep(for: .seconds(30))
            waiting.cancel()
        }
        #expect(try await store.sync(try store.remote("place")).returnedEvents == Int(lost.count))
        #expect(try await waiting.value == expected, "who waits for values is woken")
        limit.cancel()
        #expect(before.count == expected.count - Int(lost.count))
        #expect(try store.calls() == expected)
        store.views.close()
        #expect(try reader.calls() == expected)

        var told = EventSet()
        while let set = try feed.next(through: nil) {
            #expect(set.token == token, "positions stay, and so does where to go on")
            for change in set.changes {
                #expect(!told.contains(change.event) && change.kind == "qso")
                told.insert(change.event)
            }
        }
        #expect(told == lost)
        #expect(try Self.shown(pin, of: reader) == pinned.0, "a list that is pinned shows what it did")
        #expect(try Self.shown(near, of: reader) == pinned.1)
        let now = try await reader.at(.vector(pin.vector))
        let list = try now.read { try $0.all(.contacts).map { Contact($0).call } }
        #expect(Set(list) == expected, "the same point, looked at now, has them")
    }
}
