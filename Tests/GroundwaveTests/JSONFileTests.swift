import Everything
import Foundation
import GroundwaveTesting
import Testing

@testable import GroundwaveStore

@Suite struct `A small file of a store` {
    @Test func `that cannot be read now is refused, and not begun anew`() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        let file = JSONFile(folder: folder, name: "sync.json", empty: ["none"], contents: "remotes")
        #expect(try file.read() == ["none"])
        try file.update { names in
            names = ["club"]
            return true
        }
        let aside = folder.appending(path: "aside")
        try FileManager.default.moveItem(atPath: file.path, toPath: aside.path)
        // The system gives nothing of what lies there.
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        #expect(throws: (any Error).self) { try file.read() }
        #expect(throws: (any Error).self) { try file.update { _ in true } }
        try FileManager.default.removeItem(atPath: file.path)
        try FileManager.default.moveItem(atPath: aside.path, toPath: file.path)
        #expect(try file.read() == ["club"])
    }

    @Test func `that another process makes just then is read as it was before or as it is now`() throws {
        let temporary = try TemporaryFolder()
        let file = JSONFile(folder: temporary.url, name: "sync.json", empty: ["none"], contents: "remotes")
        try JSONEncoder().encode(["club"]).write(to: temporary.url.appending(path: "whole"))
        let making = Process()
        making.executableURL = URL(filePath: "/bin/sh")
        making.currentDirectoryURL = temporary.url
        making.arguments = ["-c", "while cp whole aside && mv aside sync.json && rm sync.json; do :; done"]
        try making.run()
        // Read until it has come a hundred times.
        var (comings, wasThere) = (0, true)
        let end = Date.now + 60
        while comings < 100, Date.now < end {
            let isThere = try file.read() == ["club"]
            if isThere, !wasThere { comings += 1 }
            wasThere = isThere
        }
        #expect(making.isRunning)
        making.terminate()
        making.waitUntilExit()
        #expect(comings == 100)
    }
}
