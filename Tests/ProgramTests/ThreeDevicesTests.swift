#if os(Linux)
import Everything
import Foundation
import ObjectServers
import Testing

/// Three devices of one log that meet in a bucket, as processes, and what each of them has acknowledged.
private final class Fleet {
    let shack: Program
    let stores: [URL]
    let address: String
    /// The calls that a verb has acknowledged.
    private(set) var acknowledged: Set<String> = []

    init(_ server: ObjectStoreServer) throws {
        shack = try Program()
        stores = [shack.store] + ["phone", "laptop"].map { [shack] in shack.folder.appending(path: $0) }
        address = "\(RemoteAddress.bucket(try server.freshBucket()))"
        try json(0, "remote", "add", "cloud", address, "--open")
        try log(0, "W1AW")
        try json(0, "sync")
        for device in 1...2 {
            try json(device, "join", address, "--name", device == 1 ? "phone" : "laptop", mayLag: true)
        }
    }

    func run(_ device: Int, _ arguments: [String], _ environment: [String: String] = [:]) throws -> Program.Outcome {
        try shack.run(
            arguments + ["--store", stores[device].path],
            environment: ObjectStoreServer.environment.merging(environment) { $1 })
    }

    /// Runs a verb that must succeed; what is still on its way elsewhere is no error.
    @discardableResult
    func json(
        _ device: Int, _ arguments: String..., mayLag: Bool = false, environment: [String: String] = [:]
    ) throws -> [String: Any] {
        let outcome = try run(device, arguments + ["--json"], environment)
        try #require(
            outcome.status == 0 || mayLag && outcome.status == 3, "\(device) \(arguments): \(outcome.errors)")
        return outcome.json
    }

    func log(_ device: Int, _ calls: String..., environment: [String: String] = [:]) throws {
        for call in calls {
            try json(device, "qso", "add", call, "BAND=20m", "MODE=CW", environment: environment)
            acknowledged.insert(call)
        }
    }

    /// Imports so many contacts at once.
    func importing(_ device: Int, _ count: Int, prefix: String) throws {
        let file = shack.folder.appending(path: "\(prefix).adi")
        var text = "<EOH>\n"
        for number in 100..<100 + count {
            let call = "\(prefix)\(number)"
            let time = "\(10 + number / 60 % 10)\(10 + number % 50)"
            text += "<CALL:\(call.utf8.count)>\(call)<QSO_DATE:8>20260501<TIME_ON:4>\(time)<BAND:3>40m<MODE:2>CW<EOR>\n"
            acknowledged.insert(call)
        }
        try text.write(to: file, atomically: false, encoding: .utf8)
        try json(device, "import", file.path)
    }

    func syncAll(_ rounds: Int) throws {
        for _ in 0..<rounds { for device in stores.indices { try json(device, "sync", mayLag: true) } }
    }

    func calls(_ device: Int) throws -> Set<String> {
        let listed = try json(device, "qso", "list", "--limit", "0")["qsos"] as? [[String: Any]] ?? []
        return Set(listed.compactMap { ($0["CALL"] ?? ($0["fields"] as? [String: Any])?["CALL"]) as? String })
    }

    func digests() throws -> Set<String> {
        Set(try stores.indices.compactMap { try json($0, "digest")["digest"] as? String })
    }
}

@Suite(.enabled(if: ObjectStoreServer.seaweedFS.isExpected, Comment(rawValue: ObjectStoreServer.seaweedFS.absence)))
struct `Three devices at an object store` {
    @Test(arguments: [0, 8, 25, 60])
    func `agree after a killed upload, a restored backup, a wrong clock and another engine`(
        milliseconds: UInt32
    ) async throws {
        let fleet = try Fleet(try await ObjectStoreServer.seaweedFS.shared())
        try fleet.syncAll(2)
        // A backup of the phone, which then goes on, and is restored.
        let backup = fleet.shack.folder.appending(path: "backup")
        try FileManager.default.copyItem(at: fleet.stores[1], to: backup)
        try fleet.log(1, "N0PH1", "N0PH2")
        try fleet.json(1, "sync", mayLag: true)
        try FileManager.default.removeItem(at: fleet.stores[1])
        try FileManager.default.copyItem(at: backup, to: fleet.stores[1])
        try fleet.log(1, "N0PH3")
        // The laptop's clock is ten years ahead for two contacts.
        let ahead = ClockAhead.environment(try ClockAhead.library(for: fleet.shack), seconds: 3_652 * 86_400)
        try fleet.log(2, "N0LP1", "N0LP2", environment: ahead)
        try fleet.json(2, "sync", mayLag: true)
        try fleet.log(2, "N0LP3")
        // The shack is killed while it uploads.
        try fleet.importing(0, 300, prefix: "N1S")
        for round in 0..<3 {
            let running = try fleet.shack.start(
                ["sync", "--store", fleet.stores[0].path], environment: ObjectStoreServer.environment)
            usleep(milliseconds * 1_000 + UInt32(round) * 3_000)
            kill(running.process.processIdentifier, SIGKILL)
            running.process.waitUntilExit()
            try fleet.log(0, "N0SH\(round)")
        }
        try fleet.json(0, "settings", "set", "syncEngine", "journal")
        try fleet.log(1, "N0PH4")
        try fleet.syncAll(4)
        #expect(try fleet.digests().count == 1)
        for device in fleet.stores.indices {
            #expect(try fleet.acknowledged.subtracting(fleet.calls(device)) == [], "device \(device)")
            let synced = try fleet.run(device, ["sync", "status", "--exit-code"])
            #expect(synced.status == 0, "device \(device): \(synced.output)")
        }
        #expect(try fleet.json(1, "settings", "get", "syncEngine")["value"] as? String == "journal")
    }
}
#endif
