#if os(Linux)
@preconcurrency import Dispatch
import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveTesting
import Synchronization
import Testing

/// A store that this process has open, and that the program may use at the same time.
private struct SharedStore {
    let program: Program
    let store: Store

    init(isReadOnly: Bool = false) async throws {
        program = try Program()
        store = try await Store.open(
            at: program.store, .full(author: "N0CALL", isReadOnly: isReadOnly, stateFolder: program.state)
        ).whole
    }

    func log(_ call: String) async throws {
        try await store.write { try $0.add(Contact(call)) }
    }

    /// The program logs a contact.
    func programLogs(_ call: String) throws { try program.json("qso", "add", call, "BAND=20m", "MODE=CW") }

    func calls() throws -> [String] {
        try store.read { try $0.all(.contacts).map { Contact($0).call } }.sorted()
    }

    /// What is held; `nil` if that is nothing.
    var heldNow: HeldFiles? {
        get throws {
            let held = try held
            return held.isNothing ? nil : held
        }
    }

    var held: HeldFiles {
        get throws { try HeldFiles(below: program.store, program.state.appending(path: "open")) }
    }
}

@Suite struct `A suspended store` {
    @Test func `holds no map, no open file, no lock and no mark until the next call`() async throws {
        let shared = try await SharedStore()
        try await shared.log("W1AW")
        let used = try shared.held
        #expect(used.maps.count >= 2 && used.locks.count >= 2 && used.descriptors.count >= 4, "\(used)")
        try await shared.store.suspend()
        #expect(try shared.heldNow == nil)
        // Notes about files are beside the folders of marks.
        let marks = try FileManager.default.subpathsOfDirectory(atPath: shared.program.state.path + "/open")
        #expect(marks.filter { $0.contains("/") }.isEmpty)
        try await shared.store.suspend()
        #expect(try shared.held.isNothing, "twice is as once")
        try shared.programLogs("K1AA")
        #expect(try shared.held.isNothing)
        #expect(try shared.calls() == ["K1AA", "W1AW"], "what the program wrote meanwhile is seen")
        #expect(try !shared.held.maps.isEmpty && !shared.held.locks.isEmpty)
        try await shared.store.suspend()
        try await shared.log("N0CALL")
        #expect(try shared.calls() == ["K1AA", "N0CALL", "W1AW"], "a write takes it up, too")
        try shared.store.close()
        #expect(try shared.held.isNothing)
        #expect(try shared.program.run("verify").status == 0)
    }

    @Test func `is waited for by all who follow it, who then miss nothing`() async throws {
        let shared = try await SharedStore()
        let store = shared.store
        try await shared.log("W1AW")
        let start = try store.currentToken()
        let counts = store.values(of: ["qso"]) { try $0.count(.contacts) }.makeAsyncIterator()
        var changes = store.changes(since: start).makeAsyncIterator()
        let consumer = try store.consumer("index")
        var steps = consumer.steps().makeAsyncIterator()
        guard case .reset(let token)? = try await steps.next() else { throw Unexpected() }
        try await shared.log("K1AA")
        var values = counts
        #expect(try await values.next() == 2)
        #expect(try await changes.next()?.changes.count == 1)
        try await store.suspend()

        let observed = Task { [values] in
            var values = values
            while let value = try await values.next() { if value == 10 { return value } }
            return 0
        }
        let read = Task { [changes] in
            var (changes, records) = (changes, [RecordID]())
            while records.count < 8, let set = try await changes.next() { records += set.changes.map(\.record) }
            return records
        }
        let consumed = Task { [steps] in
            var (steps, count) = (steps, 0)
            try await consumer.acknowledge(.reset(token))
            while count < 9, let step = try await steps.next() {
                if case .changes(let set) = step { count += set.changes.count }
                try await consumer.acknowledge(step)
            }
            return count
        }
        // Each run takes longer than others are polled for.
        for number in 0..<8 {
            try shared.programLogs("N0C\(number)")
            #expect(try shared.heldNow == nil)
        }
        #expect(try shared.calls().count == 10)
        #expect(try await observed.value == 10)
        let records = try await read.value
        #expect(records.count == 8 && Set(records).count == 8)
        #expect(try await consumed.value == 9)
        #expect(try consumer.place() == store.currentToken())
        try store.close()
    }

    @Test func `keeps its followers waiting until they are cancelled`() async throws {
        let shared = try await SharedStore()
        var values = shared.store.values(of: ["qso"]) { try $0.count(.contacts) }.makeAsyncIterator()
        var changes = shared.store.changes(since: nil, matching: .kind("qso")).makeAsyncIterator()
        #expect(try await values.next() == 0)
        _ = try await changes.next()
        try await shared.store.suspend()
        let observed = Task { [values] in
            var values = values
            return try await values.next()
        }
        let read = Task { [changes] in
            var changes = changes
            return try await changes.next()
        }
        observed.cancel()
        read.cancel()
        #expect(try await observed.value == nil)
        #expect(try await read.value == nil)
        #expect(try shared.held.isNothing)
        try shared.store.close()
    }

    @Test func `has finished the writes that were under way, and ends a suspension that is cancelled`() async throws {
        let shared = try await SharedStore()
        let store = shared.store
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let mayGoOn = DispatchSemaphore(value: 0)
        let order = Order()
        let writing = Task {
            // The closure runs on the writer's own thread, which may be blocked.
            try await store.write { batch in
                enter.yield()
                mayGoOn.wait()
                _ = try batch.add(Contact("W1AW"))
                order.add("written")
            }
        }
        for await _ in entered { break }
        func isSuspending() -> Bool { store.usage.isWantedClosed || !order.names.isEmpty }
        let cancelled = Task {
            try await store.suspend()
            order.add("not cancelled")
        }
        while !isSuspending() { await Task.yield() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let suspending = Task {
            try await store.suspend()
            order.add("suspended")
        }
        while !isSuspending() { await Task.yield() }
        #expect(try shared.calls().isEmpty, "a call that begins meanwhile runs")
        mayGoOn.signal()
        try await suspending.value
        #expect(order.names == ["written", "suspended"])
        #expect(try shared.held.isNothing)
        #expect(try shared.program.json("qso", "count")["total"] as? Int == 1)
        _ = try await writing.value
        try store.close()
    }

    @Test func `is closed as it is, and a closed store stays closed`() async throws {
        let shared = try await SharedStore()
        try await shared.log("W1AW")
        var values = shared.store.values(of: ["qso"]) { try $0.count(.contacts) }.makeAsyncIterator()
        #expect(try await values.next() == 1)
        try await shared.store.suspend()
        let waiting = Task { [values] in
            var values = values
            return try await values.next()
        }
        try shared.store.close()
        await #expect(throws: StoreError.self) { try await waiting.value }
        #expect(throws: StoreError.self) { try shared.calls() }
        try await shared.store.suspend()
        #expect(throws: StoreError.self) { try shared.calls() }
        #expect(try shared.heldNow == nil)
        #expect(try shared.program.json("qso", "count")["total"] as? Int == 1)
    }

    @Test func `throws what opening would if it is gone, and goes on when it is back`() async throws {
        let shared = try await SharedStore()
        try await shared.log("W1AW")
        try await shared.store.suspend()
        let elsewhere = shared.program.folder.appending(path: "elsewhere")
        try FileManager.default.moveItem(at: shared.program.store, to: elsewhere)
        let gone = #expect(throws: StoreError.self) { try shared.calls() }
        #expect(gone?.code == .notFound)
        await #expect(throws: StoreError.self) { try await shared.log("K1AA") }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: shared.program.folder.path).contains("store") == false)
        try FileManager.default.moveItem(at: elsewhere, to: shared.program.store)
        try await shared.log("K1AA")
        #expect(try shared.calls() == ["K1AA", "W1AW"])
        try shared.store.close()
    }

    @Test func `is not read by liblmdb again if it was damaged meanwhile`() async throws {
        let shared = try await SharedStore()
        for number in 0..<40 { try await shared.log("N0C\(number)") }
        try await shared.store.suspend()
        let log = shared.program.store.appending(path: "log.mdb")
        let whole = try Data(contentsOf: log)
        var damaged = whole
        // The number of every page but the two with the roots: liblmdb, which does not look at it, would read on.
        for index in 2 * 4096..<damaged.count where index % 4096 == 0 { damaged[index] ^= 0x5A }
        try damaged.write(to: log)
        let error = #expect(throws: StoreError.self) { try shared.calls() }
        #expect(error?.code == .recovering)
        #expect(try shared.held.isNothing)
        try shared.store.close()
        guard
            case .recovering(let recovery) = try await Store.open(
                at: shared.program.store, .full(stateFolder: shared.program.state))
        else { throw Unexpected() }
        try recovery.temporary.close()
    }

    @Test func `follows a log that was replaced meanwhile`() async throws {
        let shared = try await SharedStore()
        try await shared.log("W1AW")
        try await shared.log("N0GONE")
        try await shared.store.suspend()
        try shared.program.json("erase", "--call", "N0GONE", "--yes")
        #expect(try shared.calls() == ["W1AW"])
        try await shared.log("K1AA")
        #expect(try shared.calls() == ["K1AA", "W1AW"])
        try shared.store.close()
    }

    @Test func `that can only be read is suspended as any other`() async throws {
        let shared = try await SharedStore(isReadOnly: true)
        #expect(try shared.calls().isEmpty)
        try await shared.store.suspend()
        #expect(try shared.heldNow == nil)
        try shared.programLogs("W1AW")
        #expect(try shared.calls() == ["W1AW"])
        try shared.store.close()
    }

    /// A storage whose first request never ends by itself.
    private final class SlowTransport: Transport {
        let memory = MemoryTransport()
        let asked: AsyncStream<Void>
        private let ask: AsyncStream<Void>.Continuation
        private let hasAsked = Mutex(false)

        init() { (asked, ask) = AsyncStream.makeStream(of: Void.self) }

        private func wait() async throws(TransportError) {
            let isFirst = hasAsked.withLock { hasAsked in
                defer { hasAsked = true }
                return !hasAsked
            }
            guard isFirst else { return }
            ask.yield()
            do { try await Task.sleep(for: .seconds(3600)) } catch { throw .unreachable("It was cut short.") }
        }

        func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome {
            try await wait()
            return try memory.putIfAbsent(name, bytes)
        }

        func replace(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) {
            try await wait()
            try memory.replace(name, bytes)
        }

        func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? {
            try await wait()
            return try memory.get(name, range: range, limit: limit)
        }

        func list(
            prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
        ) async throws(TransportError) -> [ObjectName] {
            try await wait()
            return try memory.list(prefix: prefix, startAfter: startAfter, limit: limit)
        }

        func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] {
            try await wait()
            return try memory.folders(prefix: prefix, limit: limit)
        }

        func delete(_ name: ObjectName) async throws(TransportError) { try memory.delete(name) }
    }

    @Test func `lets a sync pass wait that was under way, and finish later`() async throws {
        let shared = try await SharedStore()
        let store = shared.store
        try await shared.log("W1AW")
        let transport = SlowTransport()
        let passing = Task { try await store.sync(with: transport, as: "cloud") }
        for await _ in transport.asked { break }
        try await store.suspend()
        #expect(try shared.heldNow == nil)
        try shared.programLogs("K1AA")
        #expect(try shared.held.isNothing)
        #expect(try shared.calls().count == 2)
        #expect(try await passing.value.sentEvents > 0)
        let other = try await TemporaryStore(joining: transport.memory, as: "cloud", .full())
        #expect(try other.store.read { try $0.count(.contacts) } == 2)
        try other.store.close()
        try store.close()
    }

    @Test func `is left alone by continuous synchronising`() async throws {
        let shared = try await SharedStore()
        let remote = shared.program.folder.appending(path: "remote")
        try FileManager.default.createDirectory(at: remote, withIntermediateDirectories: true)
        let syncing = try await shared.store.startSyncing(with: .folder(remote))
        var events = syncing.events.makeAsyncIterator()
        guard case .synced? = await events.next() else { throw Unexpected() }
        try await shared.store.suspend()
        for number in 0..<5 {
            try shared.programLogs("N0C\(number)")
            try shared.program.json("sync")
            #expect(try shared.heldNow == nil)
        }
        try await shared.log("W1AW")
        while let event = await events.next() {
            if case .synced(let summary) = event, summary.sentEvents > 0 { break }
        }
        syncing.stop()
        #expect(try shared.program.json("qso", "count")["total"] as? Int == 6)
        try shared.store.close()
    }

    @Test func `ends a conversation with a device that says nothing`() async throws {
        let shared = try await SharedStore()
        let store = shared.store
        let (here, there) = MemoryStream.pair()
        let talking = Task { try await store.sync(over: here, as: "portable") }
        // Its greeting.
        _ = try await there.read(upTo: 1)
        try await store.suspend()
        #expect(try shared.heldNow == nil)
        let error = await #expect(throws: StoreError.self) { try await talking.value }
        #expect(error?.code == .unreachable)
        #expect(try shared.heldNow == nil)
        try store.close()
    }

    private struct Unexpected: Error {}

    /// What happened, in order.
    private final class Order: Sendable {
        private let list = Mutex<[String]>([])
        var names: [String] { list.withLock { $0 } }
        func add(_ name: String) { list.withLock { $0.append(name) } }
    }
}
#endif
