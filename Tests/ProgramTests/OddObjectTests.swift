import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#endif

@Suite struct `One odd object at a place` {
    /// What may lie where a device's next segment would be.
    enum Odd: String, CaseIterable {
        case folder, link, fifo, large

        func put(at url: URL) throws {
            switch self {
            case .folder: try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            case .link:
                try FileManager.default.createSymbolicLink(
                    at: url, withDestinationURL: url.deletingLastPathComponent().appending(path: "nowhere"))
            case .fifo: try #require(mkfifo(url.path, 0o600) == 0)
            case .large:
                try #require(FileManager.default.createFile(atPath: url.path, contents: nil))
                try FileHandle(forWritingTo: url).truncate(atOffset: 9 << 20)
            }
        }
    }

    @Test(arguments: Odd.allCases)
    func `puts one store in quarantine, and everybody else is read`(odd: Odd) throws {
        let devices = try MeetingDevices()
        let program = devices.shack
        let tablet = program.folder.appending(path: "tablet").path
        try program.json("join", devices.place, "--store", tablet, "--name", "tablet")
        try devices.settle()
        try program.json("sync", "--store", tablet)
        try devices.settle()
        try odd.put(at: try devices.nextSegment())
        try program.json("qso", "add", "N0TAB", "BAND=20m", "MODE=CW", "--store", tablet)
        #expect(try program.run("sync", "--store", tablet).status == 0, "nobody has named it")

        // The one whose name is taken passes by it, and the others read on behind it. A file it deletes.
        try program.json("qso", "add", "N0SHK", "BAND=20m", "MODE=CW")
        #expect(try program.run("sync").status == (odd == .large ? 0 : 3), "it says what it met")
        #expect(try program.json("qso", "count")["total"] as? Int == 2)
        let read = try devices.onLaptop("sync")
        #expect(try program.json("qso", "count", "--store", devices.laptop.path)["total"] as? Int == 2)
        if odd == .large { return #expect(read.status == 0) }
        #expect(read.status == 3, "\(odd): \(read.output)\(read.errors)")
        #expect(read.errors.contains("Quarantined: ") && read.errors.contains(".segment "), "\(read.errors)")
        #expect(try devices.onLaptop("sync", "status").output.contains("Quarantined: "))
        #expect(try devices.onLaptop("remote", "show", "place").status == 0)
    }

    @Test(arguments: Odd.allCases)
    func `in the place of a catalog puts one store in quarantine, until it is gone`(odd: Odd) throws {
        let devices = try MeetingDevices()
        let program = devices.shack
        try devices.settle()
        let catalog = try devices.segments().appending(path: "catalog")
        try FileManager.default.removeItem(at: catalog)
        try odd.put(at: catalog)
        _ = try devices.onLaptop("qso", "add", "N0LAP", "BAND=20m", "MODE=CW")
        let read = try devices.onLaptop("sync")
        #expect(read.status == 3 && read.errors.contains("Its object catalog "), "\(read.output)\(read.errors)")
        try program.json("qso", "add", "N0SHK", "BAND=20m", "MODE=CW")
        #expect(try program.run("sync").status == 3, "nobody learns of what it pushes")
        #expect(try program.json("qso", "count")["total"] as? Int == 2, "and it reads the others")
        try FileManager.default.removeItem(at: catalog)
        #expect(try program.run("sync").status == 0)
        #expect(try devices.onLaptop("sync").status == 0)
        #expect(try program.json("qso", "count", "--store", devices.laptop.path)["total"] as? Int == 2)
    }

    @Test func `is a link in the place of a device's folder, which is not followed`() throws {
        let devices = try MeetingDevices()
        let program = devices.shack
        try devices.settle()
        let folder = try devices.segments()
        let aside = program.folder.appending(path: "aside")
        try FileManager.default.moveItem(at: folder, to: aside)
        try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: aside)
        let read = try devices.onLaptop("sync")
        #expect(read.status == 3 && read.errors.contains("Quarantined: "), "\(read.output)\(read.errors)")
    }
}

@Suite struct `The mark of a log that was cut short` {
    @Test(arguments: [0, 3, 4, 19])
    func `is written again by a device that pushes`(length: Int) throws {
        let devices = try MeetingDevices()
        let program = devices.shack
        try devices.settle()
        let mark = URL(filePath: devices.place).appending(path: "groundwave-log")
        let whole = try Data(contentsOf: mark)
        try whole.prefix(length).write(to: mark)
        // Whoever only reads says that it is not ready.
        let pulled = try devices.onLaptop("sync", "--pull", "--json")
        #expect(pulled.status == 69 && pulled.error["code"] as? String == "unreachable", "\(pulled.errors)")
        #expect("\(pulled.error)".contains("not ready yet"))
        let joined = try program.run("join", devices.place, "--store", program.folder.appending(path: "new").path)
        #expect(joined.status == 69, "\(joined.errors)")
        #expect(try program.run("remote", "show", "stick").status == 69)
        #expect(try program.run("remote", "remove", "stick", "--delete-data", "--yes").status == 69)
        #expect(try program.run("sync").status == 0)
        #expect(try Data(contentsOf: mark) == whole)
        #expect(try devices.onLaptop("sync", "--pull").status == 0)
        #expect(
            try program.run("join", devices.place, "--store", program.folder.appending(path: "new").path).status == 0)
        #expect(try program.json("remote", "show", "stick")["foreign"] as? [String] == [])
    }

    @Test func `stays as it is where segments of another log lie`() throws {
        let (devices, other) = (try MeetingDevices(), try Program())
        let mark = URL(filePath: devices.place).appending(path: "groundwave-log")
        let theirs = other.folder.appending(path: "theirs")
        try other.json("remote", "add", "mine", theirs.path)
        try other.json("qso", "add", "N0CALL", "BAND=20m", "MODE=CW")
        try other.json("sync")
        for folder in try FileManager.default.contentsOfDirectory(atPath: theirs.appending(path: "stores").path) {
            try FileManager.default.copyItem(
                at: theirs.appending(path: "stores/\(folder)"),
                to: URL(filePath: devices.place).appending(path: "stores/\(folder)"))
        }
        try Data().write(to: mark)
        #expect(try devices.shack.run("sync").status == 73)
        #expect(try Data(contentsOf: mark).isEmpty)
    }

    @Test func `is not written again when it is that of another log`() throws {
        let (devices, other) = (try MeetingDevices(), try Program())
        let mark = URL(filePath: devices.place).appending(path: "groundwave-log")
        try other.json("remote", "add", "mine", other.folder.appending(path: "theirs").path)
        try other.json("sync")
        let theirs = try Data(contentsOf: other.folder.appending(path: "theirs/groundwave-log"))
        for length in [20, 12] {
            try theirs.prefix(length).write(to: mark)
            #expect(try devices.shack.run("sync").status == (length == 20 ? 73 : 65))
            #expect(try Data(contentsOf: mark) == theirs.prefix(length))
        }
    }
}
