import Foundation
import GroundwaveTesting
import Testing

@Suite(.serialized, .enabled(if: SmallDisk.isAllowed, "Mounting a file system in memory takes root on Linux"))
struct `A full disk` {
    @Test func `stops an import with a sentence, and lets it go on when there is room`() throws {
        let log = try GeneratedLog(count: 9000)
        let disk = try SmallDisk(megabytes: 3)
        let store = disk.url.appending(path: "store")
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        let stopped = try Program.groundwave("import", log.path, "--store", store.path)
        #expect(stopped.ended(74), "\(stopped.status) \(stopped.errors)")
        #expect(stopped.errors.contains("log.mdb") || stopped.errors.contains("views.mdb"), "\(stopped.errors)")
        #expect(stopped.errors.contains("disk is full"), "\(stopped.errors)")
        #expect(stopped.errors.contains("free some space"), "\(stopped.errors)")
        _ = try Inspection.log(of: store)

        try disk.resize(megabytes: 40)
        let numbers = Inspection.numbers(in: try Inspection.exported(store))
        #expect(numbers == Array(0..<numbers.count))
        #expect(try Program.groundwave("import", log.path, "--store", store.path).ended(0))
        _ = try Inspection.log(of: store)
        #expect(Inspection.numbers(in: try Inspection.exported(store)) == Array(0..<9000))
    }

    @Test func `refuses each write, keeps all before it, and the same process goes on when there is room`() throws {
        let disk = try SmallDisk(megabytes: 3)
        let store = disk.url.appending(path: "store")
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        #expect(try Program.fault("20", in: store).ended(0))
        disk.fill("ballast")
        let child = try Child(Program.path("fault-writer"), [store.path, "3000", "full"])
        #expect(child.waitUntilSaid("refused"))
        try FileManager.default.removeItem(at: disk.url.appending(path: "ballast"))
        try disk.resize(megabytes: 60)
        let lines = child.wait().output.split(separator: "\n").map(String.init)
        let saved = lines.filter { $0.hasPrefix("saved") }.count
        let refused = lines.filter { $0.hasPrefix("refused") }
        #expect(lines.count == 3000)
        #expect(refused.allSatisfy { $0.hasSuffix(" 74") }, "\(refused.first ?? "")")
        #expect(lines.last == "saved 3000", "\(lines.suffix(3))")
        // The replica, twenty before, and what was acknowledged: a refused write left nothing.
        #expect(try Inspection.log(of: store).events == 1 + 20 + saved)
    }

    @Test(arguments: [[], ["log.mdb-lock", "views.mdb-lock"], ["views.mdb"]])
    func `is a sentence and no crash for who only reads, whichever files are missing`(missing: [String]) throws {
        let disk = try SmallDisk(megabytes: 3)
        let store = disk.url.appending(path: "store")
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        #expect(try Program.fault("20", in: store).ended(0))
        for name in missing { try FileManager.default.removeItem(at: store.appending(path: name)) }
        disk.fill("ballast")
        let outcome = try Program.groundwave("export", "--store", store.path)
        if outcome.ended(0) {
            #expect(Inspection.records(in: outcome.data).count == 20)
        } else {
            #expect(outcome.ended(74), "\(outcome.status) \(outcome.wasKilled) \(outcome.errors)")
            #expect(outcome.errors.contains("full"), "\(outcome.errors)")
        }
    }
}

@Suite(.serialized, .enabled(if: SmallDisk.isAllowed, "Mounting a file system in memory takes root on Linux"))
struct `A read-only disk` {
    @Test(arguments: [true, false])
    func `is read from, and refuses writing with 77`(viewsAreThere: Bool) throws {
        let disk = try SmallDisk(megabytes: 20)
        let store = disk.url.appending(path: "store")
        #expect(try Program.groundwave("init", "--store", store.path).ended(0))
        #expect(try Program.fault("20", in: store).ended(0))
        if !viewsAreThere { try FileManager.default.removeItem(at: store.appending(path: "views.mdb")) }
        #expect(try disk.setReadOnly(true))
        let exported = try Program.groundwave("export", "--store", store.path)
        #expect(exported.ended(0), "\(exported.errors)")
        #expect(Inspection.records(in: exported.data).count == 20)
        #expect(try Program.groundwave("qso", "list", "--store", store.path).ended(0))
        let log = try GeneratedLog(count: 3)
        for arguments in [["import", log.path], ["qso", "add", "N0CALL"]] {
            let written = try Child(Program.path("groundwave"), arguments + ["--store", store.path]).wait()
            #expect(written.ended(77), "\(arguments): \(written.status) \(written.errors)")
            #expect(written.errors.contains(store.path), "\(written.errors)")
        }
        #expect(try disk.setReadOnly(false))
        #expect(try Inspection.log(of: store).events == 21)
    }
}

/// A user who may read the files and not write them.
@Suite(.serialized, .enabled(if: OtherUser.isAvailable, "Becoming another user takes root and setpriv"))
struct `A store of somebody else` {
    @Test func `is read where its files can be read, and refuses writing with 77`() throws {
        let store = try PreparedStore()
        for (name, mode) in [("", 0o755), ("log.mdb", 0o644), ("views.mdb", 0o644)] {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: store.url.appending(path: name).path)
        }
        for lock in ["log.mdb-lock", "views.mdb-lock"] {
            try? FileManager.default.removeItem(at: store.url.appending(path: lock))
        }
        let exported = try OtherUser.groundwave("export", "--store", store.url.path)
        #expect(exported.ended(0), "\(exported.status) \(exported.errors)")
        #expect(Inspection.records(in: exported.data).count == PreparedStore.count)
        let written = try OtherUser.groundwave("qso", "add", "N0CALL", "--store", store.url.path)
        #expect(written.ended(77), "\(written.status) \(written.errors)")
    }

    @Test func `that may not even be read is 77 and says which file`() throws {
        let store = try PreparedStore()
        for (name, mode) in [("", 0o755), ("log.mdb", 0o600)] {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: store.url.appending(path: name).path)
        }
        let exported = try OtherUser.groundwave("export", "--store", store.url.path)
        #expect(exported.ended(77), "\(exported.status) \(exported.errors)")
        #expect(exported.errors.contains("log.mdb"))
    }
}

/// Runs the program as somebody without rights.
enum OtherUser {
    static func groundwave(_ arguments: String...) throws -> Program.Outcome {
        guard let setpriv = Program.installed("setpriv") else { throw CocoaError(.featureUnsupported) }
        let prefix = ["--reuid=65534", "--regid=65534", "--clear-groups", Program.path("groundwave")]
        return try Child(setpriv, prefix + arguments).wait()
    }

    /// Whether it can be done, and the program can be reached by others.
    static let isAvailable: Bool = {
        #if os(Linux)
        return getuid() == 0 && ((try? groundwave("--version"))?.ended(0) ?? false)
        #else
        return false
        #endif
    }()
}
