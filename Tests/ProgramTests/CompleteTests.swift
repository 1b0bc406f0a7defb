import Foundation
import Testing

/// Two devices of one log that meet in a folder.
struct MeetingDevices {
    let shack: Program
    let laptop: URL
    var place: String { shack.folder.appending(path: "place").path }

    init() throws {
        shack = try Program()
        laptop = shack.folder.appending(path: "laptop")
        try shack.json("remote", "add", "stick", place)
        try shack.json("sync")
        try shack.json("join", place, "--store", laptop.path, "--name", "laptop")
    }

    /// Runs the program on the store of the laptop.
    func onLaptop(_ arguments: String...) throws -> Program.Outcome {
        try shack.run(arguments + ["--store", laptop.path])
    }

    /// Each looks until both have seen that the other has all.
    func settle() throws {
        for _ in 0..<2 {
            try shack.json("sync")
            try shack.json("sync", "--store", laptop.path)
        }
    }

    /// The folder of a device's segments.
    func segments(of store: URL? = nil) throws -> URL {
        let replica = try #require(
            try shack.json("info", "--store", (store ?? shack.store).path)["replica"] as? String)
        return URL(filePath: place).appending(path: "stores/\(replica)")
    }

    /// The name of the segment that a device writes next.
    func nextSegment(of store: URL? = nil) throws -> URL {
        let folder = try segments(of: store)
        let count = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".segment") }.count
        let digits = String(count + 1)
        return folder.appending(path: String(repeating: "0", count: 20 - digits.count) + digits + ".segment")
    }
}

@Suite struct `Complete is one answer, which` {
    @Test func `nobody gives while ranges wait here for events that exist`() throws {
        let devices = try MeetingDevices()
        let program = devices.shack
        try devices.settle()
        #expect(try devices.onLaptop("sync").output.contains("Complete"))
        for number in 0..<3 { try program.json("qso", "add", "N\(number)CALL", "BAND=20m", "MODE=CW") }
        let replica = try #require(try program.json("info")["replica"] as? String)
        let events = try #require((try program.json("digest")["vector"] as? [String: Int])?[replica])
        // The last contact comes by hand, without the two before it.
        let bundle = program.folder.appending(path: "last.gwb").path
        try program.json("bundle", "create", "--missing-from", "\(replica)=\(events - 1)", "-o", bundle)
        #expect(try devices.onLaptop("bundle", "apply", bundle).status == 3)

        let synced = try devices.onLaptop("sync", "--json")
        #expect(synced.status == 3 && synced.json["complete"] as? Bool == false, "\(synced.output)")
        #expect(synced.json["parked"] as? Int == 1)
        let text = try devices.onLaptop("sync")
        #expect(text.status == 3 && !text.output.contains("Complete"), "\(text.output)")
        #expect(text.output.contains("Not complete: 3 events are not here yet, 1 of which waits for the others"))
        let status = try devices.onLaptop("sync", "status", "--exit-code")
        #expect(status.status == 1 && status.output.contains("Not complete: 3 events are not here yet"))
        let remotes = try #require(
            try program.json("sync", "status", "--store", devices.laptop.path)["remotes"] as? [[String: Any]])
        #expect(remotes.map { $0["complete"] as? Bool } == [false])
        #expect(try devices.onLaptop("replicas").errors.contains("Not complete"))
        try devices.settle()
        #expect(try devices.onLaptop("sync").status == 0)
        #expect(try devices.onLaptop("sync", "status", "--exit-code").output.contains("Complete: both devices"))
        #expect(try devices.onLaptop("replicas").errors.isEmpty)
    }

    @Test func `nobody gives while values that are wanted are missing here`() throws {
        let program = try Program()
        for number in 0..<4 {
            try program.json("qso", "add", "N\(number)CALL", "BAND=20m", "MODE=CW")
        }
        let point = "@\(try #require(try program.json("info")["events"] as? Int))"
        let archive = program.folder.appending(path: "old.gwa").path
        try program.json("archive", "--before", point, "-o", archive, "--yes")
        try program.json("remote", "add", "stick", program.folder.appending(path: "place").path)
        try program.json("sync")
        let laptop = program.folder.appending(path: "laptop").path
        let place = program.folder.appending(path: "place").path
        let joined = try program.run("join", place, "--store", laptop, "--name", "laptop")
        #expect(joined.status == 3, "\(joined.output)\(joined.errors)")
        #expect(joined.errors.contains("Not complete: the values of 4 events are missing here"), "\(joined.errors)")
        let synced = try program.run("sync", "--store", laptop, "--json")
        #expect(synced.status == 3 && synced.json["complete"] as? Bool == false, "\(synced.output)")
        let text = try program.run("sync", "--store", laptop)
        #expect(text.status == 3 && text.output.contains("the values of 4 events are missing here"), "\(text.output)")
        #expect(try program.run("sync", "status", "--exit-code", "--store", laptop).status == 1)
        // Once they are there again, everybody says so.
        try program.json("archive", "--restore", archive)
        for _ in 0..<3 {
            try program.json("sync")
            _ = try program.run("sync", "--store", laptop)
        }
        let whole = try program.run("sync", "--store", laptop)
        #expect(whole.status == 0 && whole.output.contains("Complete: both devices"), "\(whole.output)")
    }
}
