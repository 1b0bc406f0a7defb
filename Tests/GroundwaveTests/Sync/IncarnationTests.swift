import Everything
import Foundation
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveTesting
import Testing

@Suite struct `A store that was copied or put back` {
    private static func replace(_ store: TemporaryStore, by backup: URL) throws {
        try FileManager.default.removeItem(at: store.url)
        try FileManager.default.copyItem(at: backup, to: store.url)
    }

    // Scenario C1: append, sync, put an older copy back, append, sync, on three devices; at each of some cut points.
    @Test(arguments: [0, 1, 7, 20])
    func `goes on as a new replica, and nothing that was acknowledged is lost`(cut: Int) async throws {
        let fleet = try await SyncedFleet(3)
        for minute in 0..<cut { _ = try await fleet[0].log("N0CALL", at: String(format: "10%02d", minute)) }
        if cut % 2 == 1 { try await fleet.sync(0) }
        try fleet[0].close()
        let backup = fleet.folder.url.appending(path: "backup")
        try FileManager.default.copyItem(at: fleet.stores[0].url, to: backup)
        let first = try await fleet.stores[0].reopened(.full())
        for minute in 0..<20 { _ = try await first.log("N0CALL", at: String(format: "11%02d", minute)) }
        try await first.sync(try first.remote("place"))
        let old = try #require(first.replica)
        try first.close()
        try Self.replace(fleet.stores[0], by: backup)
        let restored = try await fleet.stores[0].reopened(.full())
        for minute in 0..<10 { _ = try await restored.log("N0CALL", at: String(format: "12%02d", minute)) }
        #expect(restored.replica != old)
        for _ in 0..<2 {
            try await restored.sync(try restored.remote("place"))
            for index in 1..<3 { try await fleet.sync(index) }
        }
        #expect(try restored.contactCount() == cut + 30)
        let digests = try Set([restored, fleet[1], fleet[2]].map { try $0.digest().views })
        #expect(digests.count == 1)
        #expect(try fleet[2].syncStatus().isComplete)
        let replicas = try fleet[1].replicas()
        #expect(replicas.filter { $0.former == old }.count == 1, "one change of incarnation")
        #expect(try fleet[1].syncStatus().forked.isEmpty)
        try restored.close()
    }

    // A disk that does not give a file for a moment is no copy of anything.
    @Test func `is refused where what tells it from its copies cannot be read now, and goes on as it was afterwards`()
        async throws
    {
        let made = try await TemporaryStore(.full())
        let first = made.store
        _ = try await first.log("N0CALL")
        let replica = first.replica
        try first.close()
        let tokens = made.stateFolder.appending(path: "tokens")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: tokens.path)
            .filter { $0.contains("-") && !$0.hasSuffix(".heads") }.map { tokens.appending(path: $0) }
        let file = try #require(paths.first { !$0.hasDirectoryPath && $0.pathExtension.isEmpty })
        let aside = file.deletingLastPathComponent().appending(path: "aside")
        try FileManager.default.moveItem(at: file, to: aside)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let second = try await made.reopened(.full())
        await #expect(throws: StoreError.self) { try await second.log("N0ONE") }
        #expect(second.replica == replica)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: aside, to: file)
        _ = try await second.log("N0TWO")
        #expect(try second.replica == replica && second.contactCount() == 2)
        try second.close()
    }

    @Test func `both of two go on, each under its own name`() async throws {
        let fleet = try await SyncedFleet(2)
        _ = try await fleet[0].log("N0CALL")
        try fleet[0].close()
        let copy = fleet.folder.url.appending(path: "copy")
        try FileManager.default.copyItem(at: fleet.stores[0].url, to: copy)
        let original = try await fleet.stores[0].reopened(.full())
        let twin = try await Store.open(
            at: copy, Configuration.full(stateFolder: fleet.stores[0].stateFolder)
        ).whole
        let before = original.replica
        _ = try await original.log("N0ONE")
        _ = try await twin.log("N0TWO")
        #expect(original.replica == before)
        #expect(twin.replica != before)
        for _ in 0..<2 {
            try await original.sync(try original.remote("place"))
            try await twin.sync(try twin.remote("place"))
            try await fleet.sync(1)
        }
        #expect(try fleet[1].contactCount() == 3)
        #expect(try original.digest().views == twin.digest().views)
        try original.close()
        try twin.close()
    }

    @Test func `put back together with what tells it from its copies, learns it from what it has signed itself`()
        async throws
    {
        let fleet = try await SyncedFleet(2)
        _ = try await fleet[0].log("N0CALL")
        try await fleet.settle()
        try fleet[0].close()
        // The image of a whole machine: nothing tells the two apart.
        let image = try await fleet.stores[0].twin(.full())
        let original = try await fleet.stores[0].reopened(.full())
        for minute in 10..<15 { _ = try await original.log("N0ONE", at: "12\(minute)") }
        try await original.sync(try original.remote("place"))
        try original.close()
        let old = image.store.replica
        let summary = try await image.store.sync(try image.store.remote("place"))
        #expect(summary.newReplica != nil && summary.newReplica == image.store.replica && summary.newReplica != old)
        #expect(try image.store.contactCount() == 6)
        _ = try await image.store.log("N0TWO")
        for _ in 0..<2 {
            try await image.store.sync(try image.store.remote("place"))
            try await fleet.sync(1)
        }
        #expect(try fleet[1].contactCount() == 7)
        #expect(try fleet[1].syncStatus().isComplete)
    }

    @Test func `that is only read changes nothing, not even its name`() async throws {
        let temporary = try await TemporaryStore(.full())
        _ = try await temporary.store.log("N0CALL")
        try temporary.store.close()
        let copy = temporary.url.deletingLastPathComponent().appending(path: "copy")
        try FileManager.default.copyItem(at: temporary.url, to: copy)
        let key = try Data(contentsOf: copy.appending(path: "identity"))
        let store = try await Store.open(at: copy, Configuration.full(isReadOnly: true)).whole
        #expect(try store.contactCount() == 1)
        try store.close()
        #expect(try Data(contentsOf: copy.appending(path: "identity")) == key)
    }

    @Test func `between the two halves of its token a crash costs nothing`() async throws {
        // The outer half names both what is inside and what will be, so either is right.
        let temporary = try await TemporaryStore(.full())
        let replica = temporary.store.replica
        try temporary.store.close()
        let tokens = temporary.stateFolder.appending(path: "tokens/\(temporary.store.logID)")
        let file = tokens.appending(
            path: try #require(
                try FileManager.default.contentsOfDirectory(atPath: tokens.path).first { !$0.hasSuffix(".heads") }))
        for _ in 0..<3 {
            let store = try await temporary.reopened(.full())
            _ = try await store.log("N0CALL")
            #expect(store.replica == replica)
            try store.close()
            // As if the process had died after the outer half of a further rotation, before the inner one.
            let halves = [UInt8](try Data(contentsOf: file))
            let inner = halves.suffix(16)
            try Data(inner + [UInt8](repeating: 7, count: 16)).write(to: file)
        }
        // With neither half right it is another store.
        try Data([UInt8](repeating: 9, count: 32)).write(to: file)
        let store = try await temporary.reopened(.full())
        _ = try await store.log("N0CALL")
        #expect(store.replica != replica)
        try store.close()
    }

    // Scenario C2: one name, two histories that nothing told apart. Both are kept, named, and stop nobody.
    @Test func `with nothing to tell it from its twin leaves a fork, of which both histories count and are listed`()
        async throws
    {
        let fleet = try await SyncedFleet(2)
        for minute in 10..<15 { _ = try await fleet[0].log("N0CALL", at: "12\(minute)") }
        try await fleet.settle()
        try fleet[0].close()
        let image = try await fleet.stores[0].twin(.full())
        let original = try await fleet.stores[0].reopened(.full())
        let old = try #require(original.replica)
        let split = try original.log.vector()[old] + 1
        for minute in 20..<23 { _ = try await original.log("N0ONE", at: "12\(minute)") }
        for minute in 30..<32 { _ = try await image.store.log("N0TWO", at: "12\(minute)") }
        // The first meets the place, the other one the second device, by a bundle.
        try await original.sync(try original.remote("place"))
        let bundle = fleet.folder.path("twin.gwb")
        _ = try await image.store.createBundle(to: bundle)
        try await fleet.sync(1)
        let applied = try await fleet[1].applyBundle(bundle)
        #expect(!applied.apart.isEmpty)
        let fork = try #require(try fleet[1].forks().first)
        #expect(fork.replica == old && fork.stream == old && fork.split == split && fork.after == split - 1)
        #expect(Set(fork.branches.map(\.events)) == [2, 3])
        let first = try [original, image.store].map { try $0.log.leaf(of: EventID(old, split)) }
        #expect(Set(fork.branches.map(\.first)) == Set(first.compactMap { $0 }))
        #expect(try fleet[1].contactCount() == 10, "5 before, 3 here, 2 there")
        #expect(try await Store.verify(at: fleet[1].url, components: .all).isOK)
        // Everybody else goes on, and the twin goes on under a name of its own once it learns of it.
        _ = try await fleet[1].log("N0SIX", at: "1240")
        try await fleet.sync(1)
        try await original.sync(try original.remote("place"))
        #expect(try original.contactCount() == 11)
        let summary = try await image.store.sync(try image.store.remote("place"))
        #expect(summary.newReplica != nil && summary.newReplica != old)
        try await fleet.sync(1)
        try await original.sync(try original.remote("place"))
        try await image.store.sync(try image.store.remote("place"))
        #expect(try image.store.forks() == fleet[1].forks())
        #expect(try original.forks() == fleet[1].forks())
        #expect(try original.digest() == fleet[1].digest())
        #expect(try image.store.contactCount() == 11)
        #expect(try image.store.digest() == fleet[1].digest())
        // Somebody decides: the longer history counts alone, everywhere, and no event is gone.
        let adopted = try #require(fork.branches.max { $0.events < $1.events }).stream
        let before = try fleet[1].log.vector().eventCount
        let decided = try await fleet[1].revert(try fleet[1].events(beside: adopted))
        #expect(decided.changed.count == 2 && decided.left.isEmpty)
        try await fleet.sync(1)
        for store in [original, image.store] {
            try await store.sync(try store.remote("place"))
            #expect(try store.contactCount() == 9)
            #expect(try store.digest() == fleet[1].digest())
            #expect(try store.forks().allSatisfy(\.isResolved))
            #expect(try store.syncStatus().forked.isEmpty)
            #expect(try store.log.vector().eventCount > before)
        }
        // An undo gives it back.
        try await fleet[1].revert(decided.batches.first)
        #expect(try fleet[1].contactCount() == 11 && !fleet[1].forks().allSatisfy(\.isResolved))
        #expect(try await Store.verify(at: image.url, components: .all).isOK)
        try original.close()
        // A replay to another place has the same histories by the same names.
        let url = fleet.folder.url.appending(path: "copy")
        #expect(try await fleet[1].replay(to: url).isSame)
        #expect(try await Store.verify(at: url, isDeep: true, components: .all).isOK)
        let copy = try await Store.open(at: url, .full()).whole
        #expect(try copy.log.streams() == fleet[1].log.streams())
        #expect(try copy.forks() == fleet[1].forks())
        try copy.close()
    }

    @Test func `has a twin of which somebody erases something, and loses nothing by that under the same numbers`()
        async throws
    {
        let fleet = try await SyncedFleet(3)
        _ = try await fleet[0].log("N0CALL")
        try await fleet.settle()
        try fleet[0].close()
        let image = try await fleet.stores[0].twin(.full())
        let original = try await fleet.stores[0].reopened(.full())
        let shown = try await original.log("N0ONE", at: "1220")
        let gone = try await image.store.log("N0GONE", at: "1230")
        for minute in 31..<33 { _ = try await image.store.log("N0TWO", at: "12\(minute)") }
        // The second device knows the twin's history, and erases one of its contacts; the third one knows the other.
        let bundle = fleet.folder.path("twin.gwb")
        _ = try await image.store.createBundle(to: bundle)
        _ = try await fleet[1].applyBundle(bundle)
        try await fleet[1].erase([gone])
        try await original.sync(try original.remote("place"))
        try await fleet.sync(2)
        // All that the second one wrote itself comes, and nothing of what it had seen.
        let author = try #require(fleet[1].replica)
        let known = try fleet[2].log.vector()[author]
        let range = EventRange(author, known + 1, through: try fleet[1].log.vector()[author])
        let frame = try #require(
            try fleet[1].log.frame(of: range, signedBy: fleet[1].files.readIdentity(), preferredBytes: 1 << 20))
        _ = try StoreLog(store: fleet[2]).receive([frame], arrival: .now())
        _ = try await fleet[2].log("N0SIX", at: "1250")
        #expect(try fleet[2].forks().isEmpty && fleet[2].log.erased().isEmpty)
        #expect(try fleet[2].field("CALL", of: shown) == "N0ONE")
        // Once the twin's history is there, its contact goes and nothing else, on all devices.
        _ = try await fleet[2].applyBundle(bundle)
        for store in [fleet[1], fleet[2], original, fleet[1], fleet[2]] {
            try await store.sync(try store.remote("place"))
        }
        for store in [fleet[1], fleet[2], original] {
            #expect(try store.field("CALL", of: shown) == "N0ONE")
            #expect(try StoreSearch.files(below: store.url, holding: ["N0GONE"]) == [])
            #expect(try store.digest().views == fleet[1].digest().views)
            #expect(try store.log.erased() == fleet[1].log.erased())
        }
        try original.close()
    }

    @Test func `whose state folder cannot be written keeps its key, and the last word of the old one is signed later`()
        async throws
    {
        let fleet = try await SyncedFleet(2)
        _ = try await fleet[0].log("N0CALL")
        let old = try #require(fleet[0].replica)
        try fleet[0].close()
        let copy = fleet.folder.url.appending(path: "copy")
        try FileManager.default.copyItem(at: fleet.stores[0].url, to: copy)
        // A file where the folder should be.
        let state = fleet.folder.url.appending(path: "state")
        try Data().write(to: state)
        let key = try Data(contentsOf: copy.appending(path: "identity"))
        for _ in 0..<3 {
            let store = try await Store.open(at: copy, Configuration.full(stateFolder: state)).whole
            await #expect(throws: StoreError.self) { _ = try await store.log("N0TWO") }
            try store.close()
            #expect(try Data(contentsOf: copy.appending(path: "identity")) == key)
        }
        try FileManager.default.removeItem(at: state)
        let store = try await Store.open(at: copy, Configuration.full(stateFolder: state)).whole
        _ = try await store.log("N0TWO")
        #expect(try store.replicas().first { $0.isThisDevice }?.former == old)
        #expect(try store.replicas().first { $0.isThisDevice }?.device == "device 0", "it is still the same device")
        try await store.sync(try store.remote("place"))
        try await fleet.sync(1)
        #expect(try fleet[1].contactCount() == 2)
        try store.close()
    }

    @Test func `of which only the log was put back to what it was at the opening before goes on as a new replica`()
        async throws
    {
        let temporary = try await TemporaryStore(.full())
        _ = try await temporary.store.log("N0CALL")
        let replica = temporary.store.replica
        try temporary.store.close()
        // Its key stays what and where it is: only the halves of the token tell.
        let log = temporary.url.appending(path: "log.mdb")
        let earlier = try Data(contentsOf: log)
        let store = try await temporary.reopened(.full())
        _ = try await store.log("N0LATER")
        #expect(store.replica == replica)
        try store.close()
        try earlier.write(to: log)
        let restored = try await temporary.reopened(.full())
        _ = try await restored.log("N0NEW")
        #expect(restored.replica != replica)
        try restored.close()
    }

    @Test func `of which only the log was put back takes again what its notes say was taken`() async throws {
        let fleet = try await SyncedFleet(2)
        try await fleet.settle()
        try fleet[0].close()
        let backup = fleet.folder.url.appending(path: "log.mdb")
        let file = fleet.stores[0].url.appending(path: "log.mdb")
        try FileManager.default.copyItem(at: file, to: backup)
        let first = try await fleet.stores[0].reopened(.full())
        _ = try await fleet[1].log("N0CALL")
        try await fleet.sync(1)
        try await first.sync(try first.remote("place"))
        #expect(try first.contactCount() == 1)
        try first.close()
        try FileManager.default.removeItem(at: file)
        try FileManager.default.copyItem(at: backup, to: file)
        let restored = try await fleet.stores[0].reopened(.full())
        try await restored.sync(try restored.remote("place"))
        #expect(try restored.contactCount() == 1)
        try restored.close()
    }
}
