import Everything
import Foundation
import ObjectServers
import Testing

/// Two devices of one log that meet in a bucket.
private struct BucketDevices {
    let shack: Program
    let laptop: URL
    let address: String

    init(_ address: String) throws {
        self.address = address
        shack = try Program()
        laptop = shack.folder.appending(path: "laptop")
    }

    /// Runs the program with the keys of the servers.
    func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Program.Outcome {
        try shack.run(arguments, environment: ObjectStoreServer.environment.merging(environment) { $1 })
    }

    /// Runs a verb that must succeed.
    @discardableResult
    func json(_ arguments: String...) throws -> [String: Any] {
        let outcome = try shack.run(arguments + ["--json"], environment: ObjectStoreServer.environment)
        try #require(outcome.status == 0, "\(arguments): \(outcome.errors)")
        return outcome.json
    }

    /// Joins the laptop, lets both see what the other has, and returns whether they have the same events.
    func agree() throws -> Bool {
        try json("join", address, "--store", laptop.path, "--name", "laptop")
        for _ in 0..<2 {
            try json("sync")
            try json("sync", "--store", laptop.path)
        }
        let digests = [try json("digest"), try json("digest", "--store", laptop.path)].map { $0["digest"] as? String }
        return digests[0] != nil && digests[0] == digests[1]
    }

    func log(_ calls: String...) throws {
        for call in calls { try json("qso", "add", call, "BAND=20m", "MODE=CW") }
    }

    /// The text of every file of the stores and of the device's state.
    func everything() throws -> String {
        let files = FileManager.default.enumerator(at: shack.folder, includingPropertiesForKeys: nil)
        return (files?.allObjects as? [URL] ?? []).compactMap {
            try? String(decoding: Data(contentsOf: $0), as: UTF8.self)
        }
        .joined()
    }
}

@Suite(.enabled(if: ObjectStoreServer.seaweedFS.isExpected, Comment(rawValue: ObjectStoreServer.seaweedFS.absence)))
struct `The program and a bucket of SeaweedFS` {
    @Test func `two devices have the same contacts, and no key is kept`() async throws {
        let server = try await ObjectStoreServer.seaweedFS.shared()
        let bucket = try server.freshBucket()
        let devices = try BucketDevices("s3://\(bucket.name)/\(bucket.prefix)?endpoint=\(server.endpoint)")
        try devices.log("N0CALL", "W1AW")
        let refused = try devices.run("remote", "add", "cloud", devices.address)
        #expect(refused.status == 64 && refused.errors.contains("whoever keeps"), "\(refused.errors)")
        let added = try devices.run(
            "remote", "add", "cloud", "s3://\(bucket.name)/\(bucket.prefix)", "--endpoint", server.endpoint, "--open",
            "--json")
        #expect(added.status == 0 && added.json["url"] as? String == devices.address, "\(added.errors)")
        #expect(try devices.json("sync")["sent"] as? Int == 3)
        #expect(try devices.agree())
        #expect(try devices.json("sync")["complete"] as? Bool == true)
        #expect((try devices.json("remote", "probe", "cloud")["same"]) as? Bool == true)
        let shown = try devices.json("remote", "show", "cloud")
        let stores = try #require(shown["stores"] as? [[String: Any]])
        #expect(Set(stores.compactMap { $0["device"] as? String }) == ["shack", "laptop"])
        #expect(shown["bytes"] as? Int == stores.reduce(0) { $0 + ($1["bytes"] as? Int ?? 0) })
        #expect(try #require(shown["bytes"] as? Int) > 300)
        let estimate = try #require(shown["estimate"] as? [String: Any])
        // An hour of looks every 2 s, one of looks every 60 s, and 22 of looks every 15 min, by two devices, with 3 reads each.
        #expect(estimate["reads"] as? Int == 2 * 30 * (1_800 + 60 + 88) * 3)
        #expect(estimate["writes"] as? Int == 2 * (30 * (120 + 60 + 88 + 2) + 200))
        let text = try devices.run("remote", "show", "cloud")
        #expect(
            text.output.contains("A month of sync --watch on these devices: about 350640 reads and 16600 writes and"))
        #expect(try !devices.everything().contains("TESTSECRET"))
    }

    @Test func `a remote that is removed with its data leaves nothing there, and may come back`() async throws {
        let server = try await ObjectStoreServer.seaweedFS.shared()
        let bucket = try server.freshBucket()
        let devices = try BucketDevices("\(RemoteAddress.bucket(bucket))")
        try devices.log("N0CALL")
        try devices.json("remote", "add", "cloud", devices.address, "--open")
        try devices.json("sync")
        let removed = try devices.json("remote", "remove", "cloud", "--delete-data", "--yes")
        #expect(removed["deleted"] as? Int == 3, "the mark, a segment and a catalog")
        let transport = S3Transport(bucket, ObjectStoreServer.credentials)
        #expect(try await transport.list(prefix: .all, startAfter: nil, limit: 10) == [])
        try devices.json("remote", "add", "cloud", devices.address, "--open")
        #expect(try devices.json("sync")["sent"] as? Int == 2)
        #expect(try devices.agree())
    }
}

@Suite(.enabled(if: ObjectStoreServer.ceph.isExpected, Comment(rawValue: ObjectStoreServer.ceph.absence)))
struct `The program and a bucket of Ceph` {
    @Test func `two devices have the same contacts, and a removed remote leaves nothing`() async throws {
        let bucket = try await ObjectStoreServer.ceph.shared().freshBucket()
        let devices = try BucketDevices("\(RemoteAddress.bucket(bucket))")
        try devices.log("N0CALL", "W1AW")
        try devices.json("remote", "add", "cloud", devices.address, "--open")
        #expect(try devices.json("sync")["sent"] as? Int == 3)
        #expect(try devices.agree())
        try devices.log("K1AA")
        #expect(try devices.json("sync")["complete"] as? Bool == false, "the laptop lacks it")
        try devices.json("sync", "--store", devices.laptop.path)
        #expect(try devices.json("sync")["complete"] as? Bool == true)
        try devices.json("remote", "remove", "cloud", "--delete-data", "--yes")
        let transport = S3Transport(bucket, ObjectStoreServer.credentials)
        #expect(try await transport.list(prefix: .all, startAfter: nil, limit: 10) == [])
    }
}

@Suite struct `The program and a bucket where things go wrong` {
    private func devices(_ server: FaultServer, prefix: String = "log") throws -> BucketDevices {
        try BucketDevices("\(RemoteAddress.bucket(try server.bucket(prefix)))")
    }

    @Test func `a server that overwrites is no remote, and the reason is told`() async throws {
        let server = try await FaultServer.start()
        try await server.order { ["overwrites": true] }
        let devices = try devices(server)
        let outcome = try devices.run("remote", "add", "cloud", devices.address, "--open")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("overwrites objects, although it is asked not to"))
        #expect(outcome.errors.contains("could replace each other's contacts"))
        #expect((try devices.json("remote", "list")["remotes"] as? [Any])?.isEmpty == true)
        #expect(try await server.order().keys == [], "the probe is gone")
    }

    @Test func `the probe leaves nothing, and asks for an object that must not be there`() async throws {
        let server = try await FaultServer.start()
        let devices = try devices(server)
        try devices.json("remote", "add", "cloud", devices.address, "--open")
        let (requests, keys) = try await server.order()
        #expect(keys == [])
        let puts = requests.filter { $0.method == "PUT" }
        #expect(puts.count == 2 && Set(puts.map(\.path)).count == 1 && puts.allSatisfy { $0.condition == "*" })
        try devices.json("remote", "add", "cloud", devices.address, "--open")
        #expect(try await server.order().requests.allSatisfy { $0.method != "PUT" }, "it is known already")
    }

    @Test(arguments: [true, false]) func `a device that is killed in mid-upload goes on`(isStored: Bool) async throws {
        let server = try await FaultServer.start()
        let devices = try devices(server)
        try devices.json("remote", "add", "cloud", devices.address, "--open")
        try devices.log("N0CALL", "W1AW", "K1AA")
        // Each attempt: the test may be slower than the program, which tries again after half a minute.
        let stall = FaultServer.Fault("stall", method: "PUT", contains: "segment", hasEffect: isStored)
        try await server.set([FaultServer.Fault](repeating: stall, count: 6))
        _ = try await server.order()
        let running = try devices.shack.start(["sync"], environment: ObjectStoreServer.environment)
        while try await !server.order().requests.contains(where: { $0.path.contains("segment") && $0.method == "PUT" })
        {}
        kill(running.process.processIdentifier, SIGKILL)
        running.process.waitUntilExit()
        #expect(try await server.order().keys.filter { $0.contains("segment") }.count == (isStored ? 1 : 0))
        try await server.set([])
        let sync = try devices.json("sync")
        #expect(sync["newReplica"] == nil)
        #expect(try devices.agree())
        let qsos = try devices.json("qso", "list", "--store", devices.laptop.path)["qsos"] as? [Any]
        #expect(qsos?.count == 3)
    }

    @Test(arguments: [
        ("PUT", "pack", false), ("PUT", "pack", true), ("PUT", "catalog", false), ("DELETE", "segment", true),
    ])
    func `a device that is killed while it packs loses nothing, and goes on`(
        method: String, name: String, hasEffect: Bool
    ) async throws {
        let server = try await FaultServer.start()
        let devices = try devices(server)
        try devices.json("remote", "add", "cloud", devices.address, "--open")
        for number in 0..<63 {
            try devices.log("N\(number)AA")
            try devices.json("sync")
        }
        try devices.log("N63AA")
        // The catalog is written with the last segment, and then again with the pack.
        var faults = [FaultServer.Fault("stall", method: method, contains: name, hasEffect: hasEffect)]
        if name == "catalog" { faults.insert(.init("pause", method: "PUT", contains: "catalog"), at: 0) }
        try await server.set(faults)
        _ = try await server.order()
        let running = try devices.shack.start(["sync"], environment: ObjectStoreServer.environment)
        var met = 0
        while met < (name == "catalog" ? 2 : 1) {
            met += try await server.order().requests.count { $0.path.contains(name) && $0.method == method }
        }
        kill(running.process.processIdentifier, SIGKILL)
        running.process.waitUntilExit()
        // Whoever comes now has everything.
        let tablet = devices.shack.folder.appending(path: "tablet").path
        try devices.json("join", devices.address, "--store", tablet, "--name", "tablet")
        #expect(try devices.json("qso", "count", "--store", tablet)["total"] as? Int == 64)
        #expect(try devices.json("sync")["newReplica"] == nil)
        #expect(try devices.agree())
        let keys = try await server.order().keys.filter { $0.contains("stores/") }
        #expect(keys.count { $0.hasSuffix(".pack") } == 1, "\(keys)")
    }

    private static let told: [(FaultServer.Fault, Int32, String)] = [
        (.status(403, "AccessDenied"), 77, "these keys have no right to do this (AccessDenied). Check the keys"),
        (.status(507), 74, "is full: it answers 507"),
        (.status(404, "NoSuchBucket"), 66, "there is no bucket bucket"),
        (
            .status(301, "PermanentRedirect", headers: ["x-amz-bucket-region": "eu-west-1"]), 66,
            "is in the region eu-west-1, not in us-east-1"
        ),
        (.status(412, "PreconditionFailed", method: "GET"), 69, "cannot be reached"),
    ]

    @Test(arguments: told.indices) func `a failure is told in words, and nothing is lost by it`(index: Int) async throws
    {
        let server = try await FaultServer.start()
        let devices = try devices(server)
        try devices.json("remote", "add", "cloud", devices.address, "--open")
        try devices.log("N0CALL")
        let (fault, status, words) = Self.told[index]
        try await server.set([fault])
        let outcome = try devices.run("sync", "--verbose")
        #expect(outcome.status == status)
        #expect(
            outcome.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(words),
            "\(outcome.errors)")
        #expect(!outcome.errors.contains("TESTSECRET"))
        try devices.json("sync")
        #expect(try devices.agree())
    }

    @Test func `passing failures are not seen`() async throws {
        let server = try await FaultServer.start()
        let devices = try devices(server)
        try devices.json("remote", "add", "cloud", devices.address, "--open")
        try devices.log("N0CALL", "W1AW")
        try await server.set([
            .status(503, "SlowDown"), .status(500, "InternalError", method: "PUT", hasEffect: true),
            .init("reset", method: "PUT", contains: "segment", hasEffect: true), .status(429, method: "GET"),
            .init("length", method: "GET", ["body": "x", "announced": 5]),
        ])
        #expect(try devices.json("sync")["sent"] as? Int == 3)
        #expect(try devices.agree())
    }

    @Test func `the content of another object, or of none, is not taken`() async throws {
        let server = try await FaultServer.start()
        let devices = try devices(server)
        try devices.json("remote", "add", "cloud", devices.address, "--open")
        try devices.log("N0CALL")
        try devices.json("sync")
        try devices.json("join", devices.address, "--store", devices.laptop.path, "--name", "laptop")
        try devices.log("W1AW")
        try devices.json("sync")
        try await server.set([.init("body", method: "GET", contains: "2.segment", ["body": "another object"])])
        let outcome = try devices.run("sync", "--store", devices.laptop.path)
        #expect(outcome.status == 3 && outcome.errors.contains("Quarantined"), "\(outcome.errors)")
        try devices.json("sync", "--store", devices.laptop.path)
        let qsos = try devices.json("qso", "list", "--store", devices.laptop.path)["qsos"] as? [Any]
        #expect(qsos?.count == 2)
    }

    @Test func `keys come from a file that only its owner can read, and are asked for`() async throws {
        let server = try await FaultServer.start()
        let devices = try devices(server)
        let nobody = ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""]
        let none = try devices.run("remote", "add", "cloud", devices.address, "--open", environment: nobody)
        #expect(none.status == 77 && none.errors.contains("There are no keys for the bucket bucket."))
        let file = devices.shack.folder.appending(path: "keys")
        try Data("[bucket]\naws_access_key_id = TESTKEY\naws_secret_access_key = TESTSECRET\n".utf8).write(to: file)
        let named = nobody.merging(["GROUNDWAVE_S3_KEYS": file.path]) { $1 }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let open = try devices.run("remote", "add", "cloud", devices.address, "--open", environment: named)
        #expect(open.status == 77 && open.errors.contains("Others can read the file with the keys"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        #expect(try devices.run("remote", "add", "cloud", devices.address, "--open", environment: named).status == 0)
        let wrong = try devices.run("sync", environment: ["AWS_SECRET_ACCESS_KEY": "S3CR3T"])
        #expect(wrong.status == 77 && wrong.errors.contains("SignatureDoesNotMatch"))
        #expect(!wrong.errors.contains("S3CR3T"))
    }
}
