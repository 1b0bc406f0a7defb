import EventLog
import Events
import Foundation
import Groundwave
import Records

/// Sync of stores of one log: over TCP with another process, and in a folder.
///
/// The folder of the benchmark holds `one` and `two`, which have all events; `three`, `four` and `five`, which pushed
/// a few events; `place`, the remote; and `state`, of the device. Other processes are the program itself.
enum SyncBench {
    private static let names = ["one", "two", "three", "four", "five"]

    private static func configuration(_ folder: URL, _ name: String, isReadOnly: Bool = false) -> Configuration {
        var configuration = Configuration(author: "N0CALL", deviceName: name, isReadOnly: isReadOnly)
        configuration.stateFolder = folder.appending(path: "state")
        return configuration
    }

    private static func opened(_ folder: URL, _ name: String, isReadOnly: Bool = false) async throws -> Store {
        let configuration = configuration(folder, name, isReadOnly: isReadOnly)
        return try await Store.open(at: folder.appending(path: name), configuration).whole
    }

    // MARK: - Stores

    /// Creates the stores: the last of the five clones the log after all events are pushed.
    static func build(_ path: String, events: Int) async throws {
        try? FileManager.default.removeItem(atPath: path)
        let folder = URL(filePath: path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let place = RemoteAddress.folder(folder.appending(path: "place"))
        let one = try await Store.create(at: folder.appending(path: "one"), configuration(folder, "one"))
        try await one.add(remote: "place", at: place)
        try await one.sync(try one.remote("place"))
        func join(_ name: String) async throws -> Store {
            try await Store.join(place, at: folder.appending(path: name), configuration(folder, name)).store
        }
        for (number, name) in names.enumerated().dropFirst(2) {
            let store = try await join(name)
            try await write(10, from: number * 100, to: store)
            try await store.sync(try store.remotes()[0])
            try store.close()
        }
        let written = try await elapsed { try await write(events, from: 1000, to: one) }
        let left = try await elapsed { try await one.sync(try one.remote("place")) }
        let joined = try await elapsed { try await join("two").close() }
        for _ in 0..<2 {
            for name in names {
                let store = name == "one" ? one : try await opened(folder, name)
                // The others do not sync again: their last manifests are old.
                if ["one", "two"].contains(name) { try await store.sync(try store.remotes()[0]) }
                if name != "one" { try store.close() }
            }
        }
        try one.close()
        print(
            "engine sync-build \(events): join \(text(joined)) s write \(text(written)) s leave \(text(left)) s log "
                + "\(try size(folder.appending(path: "one/log.mdb").path) >> 20) MiB place "
                + "\(try bytes(of: folder.appending(path: "place")) >> 20) MiB")
    }

    /// Writes `events` events: of ten, six are new contacts and four are edits of one field of these.
    @discardableResult
    private static func write(_ events: Int, from first: Int, to store: Store) async throws -> RecordID? {
        var ids: [RecordID] = []
        var made = 0
        while made < events {
            let (start, count, known) = (first + made, min(304, events - made), ids)
            ids += try await store.write(note: "Batch") { batch in
                var added: [RecordID] = []
                for number in start..<(start + count) {
                    let random = mixed(UInt64(number))
                    if known.isEmpty || random % 10 < 6 {
                        added.append(try batch.add(TimeTravelBench.contact(number, random)))
                    } else {
                        let id = known[Int((random >> 8) % UInt64(known.count))]
                        try TimeTravelBench.edit(id, number, random, &batch)
                    }
                }
                return added
            }.value
            made += count
        }
        return ids.last
    }

    // MARK: - One edit

    /// Measures edits in this process, which is connected to `groundwave serve` of the other store, until the other
    /// store shows them. Afterwards counts the bytes of the same edits through a relay.
    static func edit(_ path: String, program: String, edits: Int) async throws {
        let folder = URL(filePath: path)
        let server = try Child(program, ["serve", "--json", "--listen", "127.0.0.1:0"], folder, "one")
        defer { server.end() }
        let port = try server.port()
        let (here, there) = (try await opened(folder, "two"), try await opened(folder, "one", isReadOnly: true))
        let direct = try await talking(here, port) { try await times(edits, here, there) }
        let relay = try CountingRelay(to: port)
        let counted = try await talking(here, relay.port) {
            try await Task.sleep(for: .milliseconds(300))
            let start = relay.counts
            _ = try await times(edits, here, there)
            try await Task.sleep(for: .milliseconds(300))
            return relay.counts - start
        }
        try here.close()
        try there.close()
        let shown = direct.map(\.shown).sorted()
        let whole = direct.map(\.whole).sorted()
        print(
            "engine sync-edit \(edits): \(text(shown[edits / 2] * 1000)) ms from the commit whole "
                + "\(text(whole[edits / 2] * 1000)) p95 \(text(shown[edits * 95 / 100] * 1000)) bytes "
                + "\(counted.bytes / edits) turns \(text(Double(counted.turns) / Double(edits)))")
    }

    /// Measures edits by a third process, while `groundwave sync --watch` of both stores watches the folder.
    static func watch(_ path: String, program: String, edits: Int) async throws {
        let folder = URL(filePath: path)
        let children = try ["one", "two"].map { name in
            try Child(program, ["sync", "--watch"], folder, name)
        }
        defer { for child in children { child.end() } }
        let (here, there) = (try await opened(folder, "one"), try await opened(folder, "two", isReadOnly: true))
        // Wait until both watch.
        _ = try await times(2, here, there)
        // Not in step with the watching processes.
        let measured = try await times(edits, here, there) { .milliseconds(Int(mixed(UInt64($0)) % 700)) }
        try here.close()
        try there.close()
        let shown = measured.map(\.shown).sorted()
        print(
            "engine sync-watch \(edits): \(text(shown[edits * 95 / 100] * 1000)) ms at the 95th percentile median "
                + "\(text(shown[edits / 2] * 1000)) most \(text(shown[edits - 1] * 1000))")
    }

    /// How long edits take until they are shown there: from the commit, and from the start of the write.
    private static func times(
        _ edits: Int, _ here: Store, _ there: Store, pause: (Int) -> Duration = { _ in .milliseconds(3) }
    ) async throws -> [(shown: Double, whole: Double)] {
        var query = ContactQuery.contacts
        query.limit = 100
        let ids = try here.read { try $0.all(query).map(\.id) }
        var times: [(shown: Double, whole: Double)] = []
        for number in 0..<edits {
            try await Task.sleep(for: pause(number))
            let (id, words) = (ids[number % ids.count], "edit \(number), \(UInt32.random(in: 0 ... .max))")
            let start = ContinuousClock.now
            try await here.write { try $0.set(\.comment, of: id, to: words) }
            let committed = ContinuousClock.now
            while try there.read({ try $0.record("qso", id) })?.text(.comment) != words {
                guard ContinuousClock.now - start < .seconds(60) else { throw Failure("an edit never showed") }
                usleep(100)
            }
            let end = ContinuousClock.now
            times.append(((end - committed) / .seconds(1), (end - start) / .seconds(1)))
        }
        return times
    }

    private static func talking<Result: Sendable>(
        _ store: Store, _ port: Int, _ body: () async throws -> Result
    ) async throws -> Result {
        let remote = try await remote(of: store, port)
        let syncing = try store.startSyncing(with: [remote])
        var events = syncing.events.makeAsyncIterator()
        guard case .synced = await events.next() else { throw Failure("nobody is connected") }
        let result = try await body()
        syncing.stop()
        while await events.next() != nil {}
        try store.remove(remote: remote.name)
        return result
    }

    private static func remote(of store: Store, _ port: Int) async throws -> Remote {
        if try store.remotes().contains(where: { $0.name == "bench" }) { try store.remove(remote: "bench") }
        try await store.add(remote: "bench", at: .host(name: "127.0.0.1", port: port))
        return try store.remote("bench")
    }

    // MARK: - Many events

    /// Measures new events, pushed over one peer connection to `groundwave serve` of the other store: until they are
    /// in its log, and until it shows them. A second run counts the bytes through a relay.
    static func many(_ path: String, program: String, events: Int) async throws {
        let folder = URL(filePath: path)
        let server = try Child(program, ["serve", "--json", "--listen", "127.0.0.1:0"], folder, "two")
        defer { server.end() }
        let (here, there) = (try await opened(folder, "one"), try await opened(folder, "two", isReadOnly: true))
        let port = try server.port()
        var taken: Double = 0
        var shown: Double = 0
        var counts = CountingRelay.Counts()
        var raw = 0
        for isCounted in [false, true] {
            let relay = isCounted ? try CountingRelay(to: port) : nil
            let remote = try await remote(of: here, relay?.port ?? port)
            try await here.sync(remote)
            let before = try here.read { $0.position }
            let first = Int(mixed(UInt64(Date().timeIntervalSince1970 * 1000)) >> 33)
            let last = try await write(events, from: first, to: here)
            let started = relay?.counts ?? counts
            let start = ContinuousClock.now
            let summary = try await here.sync(remote)
            let end = ContinuousClock.now
            // A write that does not change the value shown is no event.
            guard summary.sentEvents * 100 > events * 99, let last else {
                throw Failure("\(summary.sentEvents) were sent, not \(events)")
            }
            while try there.read({ try $0.record("qso", last) }) == nil { usleep(1000) }
            if let relay {
                counts = relay.counts - started
                raw = try frameBytes(folder.appending(path: "one/log.mdb").path, behind: before)
            } else {
                (taken, shown) = ((end - start) / .seconds(1), (ContinuousClock.now - start) / .seconds(1))
            }
            try here.remove(remote: "bench")
        }
        guard try here.logDigest() == there.logDigest() else { throw Failure("the stores differ") }
        try here.close()
        try there.close()
        print(
            "engine sync-many \(events): \(text(taken)) s shown \(text(shown)) bytes \(counts.bytes) raw \(raw) share "
                + text(Double(counts.bytes) / Double(raw)))
    }

    /// The size of the frames of all events after a position, in bytes, as they are stored in the log.
    private static func frameBytes(_ path: String, behind position: Position) throws -> Int {
        var sum = 0
        // Not closed: a process opens a file once, and the store still uses it.
        try EventLog(opening: path).scan(from: position + 1) { _, frame, _ in
            sum += frame.length
            return true
        }
        return sum
    }

    // MARK: - Small things

    private static func elapsed(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    private static func text(_ number: Double) -> String { String(format: "%.2f", number) }

    private static func size(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? 0
    }

    private static func bytes(of folder: URL) throws -> Int {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        return try files.compactMap { $0 as? URL }.reduce(0) { $0 + (try size($1.path)) }
    }
}

/// Why a measurement failed.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
