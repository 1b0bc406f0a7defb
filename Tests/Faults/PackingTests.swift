import Everything
import Foundation
import GroundwaveTesting
import Testing

/// The number of moments at which the program is killed: ten, or `GROUNDWAVE_PACKING_KILLS`.
private let moments: Int = {
    let text = ProcessInfo.processInfo.environment["GROUNDWAVE_PACKING_KILLS"] ?? ""
    return max(1, Int(text) ?? 10)
}()

/// A device that pushes contact after contact, in this process, until the next push packs.
private struct Pusher {
    let url: URL
    let state: URL
    let place: URL
    private let configuration: Configuration
    /// The replica ID of the store.
    private let replica: String
    private(set) var count = 0

    init(in folder: TemporaryFolder) async throws {
        (url, state) = (folder.url.appending(path: "store"), folder.url.appending(path: "state"))
        place = folder.url.appending(path: "place")
        var configuration = Configuration.full(author: "N0CALL", deviceName: "shack")
        configuration.stateFolder = state
        self.configuration = configuration
        let store = try await Store.create(at: url, configuration)
        replica = "\(try #require(store.replica))"
        try await store.add(remote: "place", at: .folder(place))
        try store.close()
    }

    /// Writes and pushes until one more push packs, and writes once more. Takes another engine for each `round`.
    mutating func prepare(round: Int) async throws {
        let store = try await Store.open(at: url, configuration).whole
        let remote = try store.remote("place")
        _ = try await store.set(setting: "syncEngine", to: round.isMultiple(of: 2) ? "journal" : "records")
        // Deletes what an interrupted pass has left: it would be counted.
        try await store.sync(remote, isFull: true)
        while true {
            try await write(store)
            if names(".segment").count >= 63 { break }
            try await store.sync(remote)
        }
        try store.close()
    }

    private mutating func write(_ store: Store) async throws {
        count += 1
        let call = "N\(count)CALL"
        _ = try await store.write { batch in
            try batch.add("qso", [Assignment("CALL", text: call), Assignment("BAND", text: "20m")])
        }
    }

    func run(_ arguments: String..., at other: URL? = nil) throws -> Program.Outcome {
        try Child(Program.path("groundwave"), arguments + ["--store", (other ?? url).path], state: state).wait()
    }

    /// What a verb says as JSON.
    func json(_ outcome: Program.Outcome) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: outcome.data)
        return try #require(object as? [String: Any])
    }

    private func names(_ ending: String) -> [String] {
        let path = place.appending(path: "stores/\(replica)").path
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0.hasSuffix(ending) }
    }

    func packs() -> Set<String> { Set(names(".pack")) }

    /// Waits until there is another pack than those before, at most for a while.
    func waitForPack(beside before: Set<String>, atMost microseconds: Double) {
        let end = ContinuousClock.now + .microseconds(microseconds)
        while packs().isSubset(of: before), ContinuousClock.now < end {}
    }
}

@Suite struct `A device that packs its segments, killed,` {
    @Test func `goes on, and others miss nothing and read nothing twice into their logs`() async throws {
        let folder = try TemporaryFolder()
        var pusher = try await Pusher(in: folder)
        let laptop = folder.url.appending(path: "laptop")
        var numbers = SeededGenerator(seed: 7)
        var packedCount = 0
        // How long it takes if nothing disturbs it.
        try await pusher.prepare(round: 0)
        let start = ContinuousClock.now
        #expect(try pusher.run("sync").ended(0))
        let whole = (ContinuousClock.now - start) / .microseconds(1)
        try #require(pusher.packs().count == 1)
        for round in 0..<moments {
            try await pusher.prepare(round: round)
            let before = pusher.packs()
            let packing = try Child(
                Program.path("groundwave"), ["sync", "--store", pusher.url.path], state: pusher.state)
            if round.isMultiple(of: 3) {
                usleep(UInt32(Double.random(in: 0..<whole, using: &numbers)))
            } else {
                // Between the pack and the end of the pass: the catalog is written, and segments are deleted.
                pusher.waitForPack(beside: before, atMost: 4 * whole)
                if round % 3 == 1 { usleep(UInt32.random(in: 0..<300, using: &numbers)) }
            }
            packing.killNow()
            if packing.wait().status != 0, !pusher.packs().isSubset(of: before) { packedCount += 1 }
            // Whoever reads now misses nothing that is named, and finds nothing wrong.
            let read =
                round == 0
                ? try pusher.run("join", pusher.place.path, "--name", "laptop", at: laptop)
                : try pusher.run("sync", at: laptop)
            #expect([0, 3].contains(read.status) && !read.errors.contains("Quarantined"), "\(round): \(read.errors)")
            #expect(!read.errors.contains("had lost data"), "\(round): \(read.errors)")
            let next = try pusher.run("sync", "--json")
            #expect(next.ended(0), "\(round): \(next.errors)")
            #expect(!String(decoding: next.data, as: UTF8.self).contains("newReplica"), "\(round)")
            _ = try pusher.run("sync", at: laptop)
            let contacts = try pusher.json(try pusher.run("qso", "count", "--json", at: laptop))
            #expect(contacts["total"] as? Int == pusher.count, "\(round)")
        }
        print("killed \(moments) times, \(packedCount) of them between a pack and the end of its pass")
        #expect(packedCount > moments / 10, "the moments are those that matter")
        _ = try pusher.run("sync")
        let digests = try [pusher.url, laptop].map { url in
            try pusher.json(try pusher.run("digest", "--json", at: url))["digest"] as? String
        }
        #expect(digests[0] != nil && digests[0] == digests[1])
        #expect((1...8).contains(pusher.packs().count))
    }
}
