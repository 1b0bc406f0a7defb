import Foundation
import Testing

/// A device that has synchronised with a folder, and what its store holds.
private struct Device {
    let program: Program
    var place: URL { program.folder.appending(path: "place") }

    init(isSynced: Bool = true) throws {
        program = try Program()
        for minute in 10..<20 {
            try program.json("qso", "add", "N0CALL", "BAND=20m", "MODE=CW", "QSO_DATE=20260501", "TIME_ON=12\(minute)")
        }
        guard isSynced else { return }
        try program.json("remote", "add", "stick", place.path)
        try program.json("sync")
    }

    /// The bundles beside the store.
    func bundles() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: program.folder, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasPrefix("store-cleared-") }
    }

    func digest() throws -> String { try #require(try program.json("digest")["content"] as? String) }

    func count() throws -> Int { try #require(try program.json("qso", "count")["total"] as? Int) }

    /// Clears, and checks that the one bundle beside the store brings back what was there.
    func clearAndApply(_ words: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let before = try digest()
        let told = try program.run("clear", "--confirm", "CLEAR")
        #expect(!told.output.contains("All of it") && !told.output.contains("Nothing is lost"), "\(told.output)")
        #expect(!told.errors.contains("Nothing is lost"), "\(told.errors)")
        for word in words { #expect((told.output + told.errors).contains(word), "\(told.output)\(told.errors)") }
        let bundles = try bundles()
        #expect(bundles.count == 1, sourceLocation: sourceLocation)
        let bundle = try #require(bundles.first)
        #expect(told.output.contains(bundle.path), "\(told.output)")
        let mode = try FileManager.default.attributesOfItem(atPath: bundle.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try program.run("bundle", "apply", bundle.path).status == 0)
        #expect(try digest() == before, sourceLocation: sourceLocation)
    }
}

@Suite struct `groundwave clear` {
    @Test func `with the folder of the remote deleted puts the only copy into a bundle first`() throws {
        let device = try Device()
        try FileManager.default.removeItem(at: device.place)
        try device.clearAndApply("stick", "cannot be reached")
    }

    @Test func `with the remote emptied and synchronising off puts the only copy into a bundle first`() throws {
        let device = try Device()
        for name in try FileManager.default.contentsOfDirectory(atPath: device.place.path) {
            try FileManager.default.removeItem(at: device.place.appending(path: name))
        }
        try device.program.json("sync", "off")
        try device.clearAndApply("stick", "there is no log there")
    }

    @Test func `with the remote put back to an earlier state and synchronising off saves what it lost`() throws {
        let device = try Device()
        let earlier = device.program.folder.appending(path: "earlier")
        try FileManager.default.copyItem(at: device.place, to: earlier)
        try device.program.json("qso", "add", "W1AW", "BAND=40m", "MODE=CW")
        try device.program.json("sync")
        try FileManager.default.removeItem(at: device.place)
        try FileManager.default.moveItem(at: earlier, to: device.place)
        try device.program.json("sync", "off")
        let told = try device.program.json("clear", "--dry-run")
        #expect(told["unsent"] as? Int == 1)
        let before = try device.digest()
        let cleared = try device.program.json("clear", "--confirm", "CLEAR")
        let bundle = try #require(cleared["bundle"] as? String)
        #expect(cleared["unsent"] as? Int == 1 && cleared["qsosNow"] as? Int == 0)
        try device.program.json("sync", "on")
        try device.program.json("sync")
        #expect(try device.count() == 10)
        #expect(try device.program.run("bundle", "apply", bundle).status == 0)
        #expect(try device.digest() == before)
    }

    @Test func `with a remote whose segments cannot be read puts what they held into a bundle`() throws {
        let device = try Device()
        try device.program.json("sync", "off")
        let stores = device.place.appending(path: "stores")
        for folder in try FileManager.default.contentsOfDirectory(at: stores, includingPropertiesForKeys: nil) {
            for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
                var bytes = try Data(contentsOf: file)
                bytes[bytes.count / 2] ^= 1
                try bytes.write(to: file)
            }
        }
        try device.clearAndApply("stick", "could not be read")
    }

    @Test func `without a remote puts everything into a bundle`() throws {
        try Device(isSynced: false).clearAndApply("no remote")
    }

    @Test func `with everything just read back at a remote leaves no bundle and says so`() throws {
        let device = try Device()
        let before = try device.digest()
        let told = try device.program.run("clear", "--confirm", "CLEAR")
        #expect(told.status == 0 && told.output.contains("were just read back from a remote"), "\(told.output)")
        #expect(try device.bundles().isEmpty)
        #expect(try device.digest() == before, "and it was fetched again")
    }

    @Test func `--discard leaves no bundle, and wants the number of events that go`() throws {
        let device = try Device(isSynced: false)
        let program = device.program
        let unsent = try #require(try program.json("clear", "--dry-run", "--discard")["unsent"] as? Int)
        #expect(unsent == 11)
        for word in ["CLEAR", "10", ""] {
            #expect(try program.run("clear", "--discard", "--confirm", word).status == 64)
        }
        #expect(try program.run("clear", "--confirm", "11").status == 64)
        #expect(try device.count() == 10)
        let cleared = try program.json("clear", "--discard", "--confirm", "11")
        #expect(cleared["bundle"] == nil && cleared["qsosNow"] as? Int == 0)
        #expect(try device.bundles().isEmpty)
    }

    @Test func `writes its bundle to the file that is named, and never over another one`() throws {
        let device = try Device(isSynced: false)
        let (program, file) = (device.program, device.program.folder.appending(path: "mine.gwb"))
        try Data("mine".utf8).write(to: file)
        let refused = try program.run("clear", "--confirm", "CLEAR", "-o", file.path)
        #expect(refused.status == 73, "\(refused.errors)")
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
        #expect(try device.count() == 10)
        try FileManager.default.removeItem(at: file)
        let before = try device.digest()
        #expect(try program.json("clear", "--confirm", "CLEAR", "-o", file.path)["bundle"] as? String == file.path)
        try program.json("bundle", "apply", file.path)
        #expect(try device.digest() == before)
    }

    @Test func `that cannot write the bundle deletes nothing`() throws {
        let device = try Device(isSynced: false)
        let missing = device.program.folder.appending(path: "nowhere/x.gwb").path
        let refused = try device.program.run("clear", "--confirm", "CLEAR", "-o", missing)
        #expect(refused.status == 66, "\(refused.errors)")
        #expect(refused.errors.contains("Nothing was deleted"), "\(refused.errors)")
        #expect(try device.count() == 10)
    }

    @Test func `keeps the name of the device, whichever program writes next`() throws {
        let device = try Device(isSynced: false)
        let bundle = try #require(try device.program.json("clear", "--confirm", "CLEAR")["bundle"] as? String)
        try device.program.json("qso", "add", "W1AW", "BAND=20m", "MODE=CW")
        #expect(try device.deviceName() == "shack")
        // Once more, with nobody having written in between.
        try device.program.json("clear", "--confirm", "CLEAR")
        try device.program.json("clear", "--confirm", "CLEAR")
        try device.program.json("qso", "add", "W1AW", "BAND=20m", "MODE=CW")
        #expect(try device.deviceName() == "shack")
        try device.program.json("bundle", "apply", bundle)
        #expect(try device.count() == 11)
    }
}

extension Device {
    fileprivate func deviceName() throws -> String? {
        let replicas = try program.json("replicas")["replicas"] as? [[String: Any]]
        return replicas?.first { $0["isThisDevice"] as? Bool == true }?["device"] as? String
    }
}
