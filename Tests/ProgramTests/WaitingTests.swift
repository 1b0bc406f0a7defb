import Foundation
import Testing

/// Another program writes to the store and does not finish: played by the writer lock, which this process holds.
@Suite struct `A verb that waits for another program` {
    private static func whileLocked<Result>(_ program: Program, _ body: () throws -> Result) throws -> Result {
        let lock = try FileHandle(forUpdating: program.store.appending(path: "log.mdb-writer"))
        #expect(flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        defer { try? lock.close() }
        return try body()
    }

    @Test func `says for whom after two seconds, ends with 75 after its patience, and writes nothing`() throws {
        let program = try Program()
        let add = ["qso", "add", "N0CALL", "BAND=20m", "MODE=CW", "--wait", "3"]
        let refused = try Self.whileLocked(program) { try program.run(add) }
        #expect(refused.status == 75, "\(refused)")
        #expect(refused.errors.hasPrefix("Waiting for groundwave (process "), "\(refused)")
        #expect(try program.json("qso", "count")["total"] as? Int == 0)
        #expect(try program.run(add).status == 0)
    }

    @Test func `may be told to wait for longer than anybody lives`() throws {
        let program = try Program()
        let added = try program.run(["qso", "add", "N0CALL", "BAND=20m", "MODE=CW", "--wait", "\(Int.max)"])
        #expect(added.status == 0, "\(added)")
        #expect(try program.run(["qso", "add", "N0CALL", "--wait=-1"]).status == 64)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/script")))
    func `shows on a terminal that it opens the store, and the line gives way to what is said`() throws {
        let program = try Program()
        // Views that are built while nobody else writes: the opening itself has to wait.
        try FileManager.default.removeItem(at: program.store.appending(path: "views.mdb"))
        let shown = try Self.whileLocked(program) {
            try program.script("script -qec '\"$GROUNDWAVE\" qso add N0CALL --wait 3' /dev/null < /dev/null")
        }
        #expect(shown.status == 75, "\(shown)")
        #expect(shown.output.contains("\rOpening the store  1 s\u{1B}[K"), "\(shown.output.debugDescription)")
        #expect(shown.output.contains("\r\u{1B}[JWaiting for "), "\(shown.output.debugDescription)")
    }
}
