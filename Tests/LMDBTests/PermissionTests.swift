import Foundation
import GroundwaveLMDB
import Testing

@Suite struct `Without permission` {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Environment.make(folder(), keys: 0..<10).close()
        // As restored from a copy: lock files stay behind.
        try FileManager.default.removeItem(atPath: folder("store-lock"))
    }

    private func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// What an ordinary user gets who opens the file.
    private func outcome(isReadOnly: Bool) throws -> String {
        try setMode(0o555, of: folder.path)
        defer { try? setMode(0o755, of: folder.path) }
        return try ChildProcess("open-unprivileged", folder(), isReadOnly ? "1" : "0").text()
    }

    @Test func `to write, the file opens for reading only, without a lock file`() throws {
        try setMode(0o444, of: folder())
        #expect(try outcome(isReadOnly: false) == "permission denied")
        #expect(try outcome(isReadOnly: true) == "opened")
        #expect(folder.names == ["store"])
    }

    @Test func `to write the lock file of others, nothing opens`() throws {
        try setMode(0o444, of: folder())
        try write([], to: folder("store-lock"))
        try setMode(0o444, of: folder("store-lock"))
        #expect(try outcome(isReadOnly: true) == "permission denied")
    }

    @Test func `to read, nothing opens`() throws {
        try setMode(0, of: folder())
        #expect(try outcome(isReadOnly: false) == "permission denied")
        #expect(try outcome(isReadOnly: true) == "permission denied")
    }
}
