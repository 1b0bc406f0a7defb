import Everything
import Foundation
import Groundwave
import GroundwaveTesting
import Synchronization
import Testing

@Suite struct `Several processes on one store` {
    @Test func `one imports, one lists, one edits: nothing is missing, nothing is there twice`() async throws {
        let log = try GeneratedLog(count: 10_000)
        let folder = try TemporaryFolder()
        let store = folder.url.appending(path: "store")
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        let importing = try Child(Program.path("groundwave"), ["import", "-", "--store", store.path], isFed: true)
        let editing = try Child(Program.path("fault-writer"), [store.path, "100", "beside"])
        let file = try Data(contentsOf: URL(filePath: log.path))
        importing.feed([UInt8](file.prefix(file.count / 2)))

        var most = 0
        var lists = 0
        repeat {
            let records = try Inspection.exported(store)
            lists += 1
            // Three lists are read while the import waits for the rest, and some more while it goes on.
            if lists == 3 {
                #expect(importing.isRunning)
                importing.feed([UInt8](file.dropFirst(file.count / 2)))
                try importing.endInput()
            }
            #expect(records.count >= most, "a list never gets shorter")
            most = records.count
            let numbers = Inspection.numbers(in: records)
            #expect(numbers == Array(0..<numbers.count), "of the import, the beginning of the file shows")
        } while importing.isRunning || editing.isRunning

        #expect(importing.wait().ended(0))
        let edits = editing.wait().output.split(separator: "\n")
        #expect(edits == (1...100).map { "saved \($0)" })
        _ = try Inspection.log(of: store)
        let records = try Inspection.exported(store)
        #expect(records.count == 10_100)
        #expect(Inspection.numbers(in: records) == Array(0..<10_000))
        let beside = records.filter { $0.range(of: Data(">beside ".utf8)) != nil }
        #expect(beside.count == 100)
        for number in 1...100 {
            let comment = Data(">beside \(number)\n".utf8)
            #expect(beside.count { $0.range(of: comment) != nil } == 1)
        }
        let digests = try await Inspection.digests(of: store)
        #expect(digests.shown == digests.folded, "what both processes folded is what one fold gives")
    }

    @Test func `count together what each reads before it writes, and write once what has an id`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.write { try $0.add("equipment", [Assignment("POWER", text: "0")]) }.value
        let children = try (0..<2).map { _ in
            try Child(Program.path("fault-writer"), [store.url.path, "count", "100"], state: temporary.stateFolder)
        }
        for child in children { #expect(child.wait().output.hasSuffix("counted\n")) }
        let record = try #require(try store.record("equipment", id))
        #expect(store.kinds["equipment"]?.value(of: "POWER", in: record) == Array("200".utf8))
        #expect(!record.hasConflict)
        let calls = try store.read { view in
            var calls: [String] = []
            try view.forEachRecord(of: "friend") { friend in
                calls.append(String(decoding: view.kinds["friend"]?.value(of: "CALL", in: friend) ?? [], as: UTF8.self))
                return true
            }
            return calls
        }
        #expect(calls.sorted() == (1...100).map { "N0CALL/\($0)" }.sorted())
    }

    @Test func `a write that finds nothing left to change notices that its record has changed meanwhile`() async throws
    {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.write { try $0.add("equipment", [Assignment("POWER", text: "0")]) }.value
        let seen = try #require(try store.record("equipment", id))
        let runs = Mutex(0)
        let state = temporary.stateFolder
        let error = await #expect(throws: StoreError.self) {
            try await store.write(expecting: .unchanged([seen])) { batch in
                let isFirst = runs.withLock { runs in
                    runs += 1
                    return runs == 1
                }
                if isFirst {
                    // Behind the check, and before the batch reads the record again.
                    let other = try Child(
                        Program.path("groundwave"),
                        ["record", "edit", "equipment", "\(id)", "POWER=1", "--store", store.url.path], state: state)
                    #expect(other.wait().ended(0))
                }
                return try batch.set("equipment", id, [Assignment("POWER", text: "1")])
            }
        }
        #expect(error?.code == .conflict && runs.withLock { $0 } == 1)
    }

    @Test func `one keeps synchronising, one imports, one edits: nothing that was acknowledged is missing anywhere`()
        async throws
    {
        let log = try GeneratedLog(count: 10_000)
        let folder = try TemporaryFolder()
        let (store, other) = (folder.url.appending(path: "store"), folder.url.appending(path: "other"))
        let place = folder.url.appending(path: "place").path
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        #expect(try Program.groundwave("remote", "add", "place", place, "--store", store.path).ended(0))
        let watching = try Child(Program.path("groundwave"), ["sync", "--watch", "--store", store.path])
        let importing = try Child(Program.path("groundwave"), ["import", log.path, "--store", store.path])
        let editing = try Child(Program.path("fault-writer"), [store.path, "100", "beside"])
        // Meanwhile another device joins, and logs too.
        while try !Program.groundwave("join", place, "--store", other.path).ended(0) {
            try await Task.sleep(for: .milliseconds(50))
        }
        for number in 0..<10 {
            let contact = ["N0CALL", "BAND=20m", "MODE=CW", "COMMENT=other \(number)"]
            let adding = try Child(Program.path("groundwave"), ["qso", "add"] + contact + ["--store", other.path])
            #expect(adding.wait().ended(0))
            #expect(try Program.groundwave("sync", "--store", other.path).ended(0))
        }
        #expect(importing.wait().ended(0))
        #expect(editing.wait().output.split(separator: "\n") == (1...100).map { "saved \($0)" })
        // The one that watches takes and leaves all of it by itself.
        var rounds = 0
        while rounds < 60, try !isComplete(other) {
            rounds += 1
            try await Task.sleep(for: .milliseconds(500))
            #expect(try Program.groundwave("sync", "--store", other.path).ended(0))
        }
        #expect(try isComplete(other))
        #expect(watching.isRunning)
        watching.killNow()
        for url in [store, other] {
            _ = try Inspection.log(of: url)
            let records = try Inspection.exported(url)
            #expect(records.count == 10_110)
            #expect(Set(Inspection.numbers(in: records)).count == 10_000)
            let digests = try await Inspection.digests(of: url)
            #expect(digests.shown == digests.folded)
        }
        let digests = try await (Inspection.digests(of: store).shown, Inspection.digests(of: other).shown)
        #expect(digests.0 == digests.1)
    }

    private func isComplete(_ store: URL) throws -> Bool {
        try Program.groundwave("sync", "status", "--exit-code", "--store", store.path).ended(0)
    }

    @Test func `two imports of one file at once leave each contact once`() async throws {
        let log = try GeneratedLog(count: 3000)
        let folder = try TemporaryFolder()
        let store = folder.url.appending(path: "store")
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        let children = try (0..<2).map { _ in
            try Child(Program.path("groundwave"), ["import", log.path, "--store", store.path])
        }
        for child in children { #expect(child.wait().ended(0)) }
        let records = try Inspection.exported(store)
        #expect(records.count == 3000)
        #expect(Set(Inspection.numbers(in: records)).count == 3000)
        let digests = try await Inspection.digests(of: store)
        #expect(digests.shown == digests.folded)
    }

    @Test func `what another process writes is observed like a write of this one`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let token = try store.currentToken()
        let child = try Child(
            Program.path("fault-writer"), [store.url.path, "5", "other"], state: temporary.stateFolder)
        var counts: [Int] = []
        for try await contacts in store.values(of: .contacts) {
            counts.append(contacts.count)
            if contacts.count == 5 { break }
        }
        #expect(counts == counts.sorted())
        var comments: [String] = []
        for try await set in store.changes(since: token, matching: .contacts()) {
            if set.changes.isEmpty { continue }
            #expect(set.isLocal, "it is the same device, and so the same replica")
            let comment = set.changes.first?.fields.first { $0.field == "COMMENT" }?.after ?? []
            comments.append(String(decoding: comment, as: UTF8.self))
            if comments.count == 5 { break }
        }
        #expect(comments == (1...5).map { "other \($0)" })
        #expect(child.wait().ended(0))
    }

    @Test func `who writes while another holds the store waits, and then both are there`() throws {
        let folder = try TemporaryFolder()
        let store = folder.url.appending(path: "store")
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        let holder = try Child(Program.path("fault-writer"), [store.path, "hold"], isFed: true)
        #expect(holder.waitUntilSaid("holding"))
        let other = try Child(Program.path("fault-writer"), [store.path, "1", "other"])
        #expect(other.waitUntilSaid("saved 1"), "a batch that is being filled keeps nobody else out")
        try holder.endInput()
        #expect(holder.wait().output.contains("saved 1"))
        #expect(other.wait().ended(0))
        #expect(try Inspection.log(of: store).events == 3)
    }

    @Test func `who dies while it holds the store keeps nobody out`() throws {
        let folder = try TemporaryFolder()
        let store = folder.url.appending(path: "store")
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        let holder = try Child(Program.path("fault-writer"), [store.path, "hold"], isFed: true)
        #expect(holder.waitUntilSaid("holding"))
        holder.killNow()
        _ = holder.wait()
        #expect(try Program.fault("1", in: store).output == "saved 1\n")
        #expect(try Inspection.log(of: store).events == 2)
    }
}
