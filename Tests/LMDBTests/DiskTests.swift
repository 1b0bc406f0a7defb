#if os(Linux)
import Foundation
import GroundwaveLMDB
import Testing

@Suite(.enabled(if: Mount.isAllowed, "mounting a file system needs privileges")) struct `A full disk` {
    @Test(arguments: [1 << 20, 2 << 20, 5_000_000])
    func `is named, loses nothing, and takes writes again once there is room`(byteCount: Int) throws {
        let disk = try Mount(byteCount: byteCount)
        // Something to delete later.
        let ballast = disk.folder("ballast")
        try write([UInt8](repeating: 1, count: 200_000), to: ballast)
        let environment = try Environment.make(disk.folder())
        var next: UInt64 = 0
        let refusal = try reason {
            while true {
                try environment.put(next..<next + 20)
                next += 20
            }
        }
        guard case .diskFull(let free) = refusal else {
            Issue.record("The full disk was reported as \(String(describing: refusal)).")
            return
        }
        #expect(free < 1 << 20)
        #expect(next > 0)
        #expect(try environment.allEntries() == values(for: 0..<next))
        guard case .diskFull = try reason({ try Environment.create(at: disk.folder("new")) { _ in } }) else {
            Issue.record("There is no room for another environment.")
            return
        }
        #expect(disk.folder.names == ["ballast", "store", "store-lock", "store-writer"])

        try FileManager.default.removeItem(atPath: ballast)
        try environment.put(next..<next + 20)
        environment.close()
        #expect(try Environment.open(disk.folder()).allEntries() == values(for: 0..<next + 20))
    }

    @Test func `without room for a lock file lets readers in, and no writer`() throws {
        let disk = try Mount(byteCount: 1 << 20)
        try Environment.make(disk.folder(), keys: 0..<100).close()
        try FileManager.default.removeItem(atPath: disk.folder("store-lock"))
        let free = try #require(
            FileManager.default.attributesOfFileSystem(forPath: disk.path)[.systemFreeSize] as? Int)
        try write([UInt8](repeating: 1, count: free), to: disk.folder("ballast"))
        // A lock file that takes no room would end this process at its first touch.
        #expect(try reason { _ = try Environment.open(disk.folder()) } == .diskFull(freeBytes: 0))
        let environment = try Environment.open(disk.folder(), options: .init(isReadOnly: true))
        #expect(try environment.allEntries() == values(for: 0..<100))
        #expect(disk.folder.names == ["ballast", "store"])
    }
}

@Suite(.enabled(if: Mount.isAllowed, "mounting a file system needs privileges")) struct `Read-only media` {
    @Test func `refuse writers by name and let readers in`() throws {
        let disk = try Mount(byteCount: 4 << 20)
        try Environment.make(disk.folder(), keys: 0..<100).close()
        try Environment.make(disk.folder("without-lock"), keys: 0..<100).close()
        try FileManager.default.removeItem(atPath: disk.folder("without-lock-lock"))
        try #require(disk.setReadOnly(true))
        for path in [disk.folder(), disk.folder("without-lock")] {
            #expect(try reason { _ = try Environment.open(path) } == .readOnlyFileSystem)
            let environment = try Environment.open(path, options: .init(isReadOnly: true))
            #expect(try environment.allEntries() == values(for: 0..<100))
            #expect(try environment.read { try $0.table("other", of: UInt64.self) } == nil)
            environment.close()
        }
        #expect(try reason { try Environment.create(at: disk.folder("new")) { _ in } } == .readOnlyFileSystem)
    }
}
#endif
