import Foundation
import GroundwaveLMDB
import Synchronization
import Testing

@Suite struct `The lock of whoever writes` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func options(_ milliseconds: Int64) -> Environment.Options {
        Environment.Options(patience: WriterLock.Patience(limitMilliseconds: milliseconds))
    }

    @Test(.timeLimit(.minutes(1)))
    func `is waited for as long as somebody has patience, and who has it is told`() throws {
        try Environment.make(folder(), keys: 0..<10).close()
        let child = try ChildProcess("hold-write", folder())
        #expect(child.isReady())
        let told = Mutex<[WriterLock.Holder]>([])
        var options = Environment.Options()
        options.patience = WriterLock.Patience(limitMilliseconds: 2_500) { holder in
            told.withLock { $0.append(holder) }
        }
        let environment = try Environment.open(folder(), options: options)
        let start = ContinuousClock.now
        #expect {
            try environment.put(10..<11)
        } throws: { error in
            guard case .locked(let holder?) = (error as? LMDBError)?.reason else { return false }
            return holder.process == child.identifier && holder.program == "LMDBSecondProcess"
        }
        // The patience is counted on a clock of its own.
        #expect(ContinuousClock.now - start >= .milliseconds(2_490))
        #expect(told.withLock { $0.map(\.process) } == [child.identifier])
        // Reading waits for nobody.
        #expect(try environment.allEntries().count == 10)
        child.kill()
        try environment.put(10..<11)
        #expect(try environment.allEntries().count == 11)
    }

    @Test(.timeLimit(.minutes(1)))
    func `is not given back by a process that was stopped, and is by one that was killed`() throws {
        try Environment.make(folder(), keys: 0..<10).close()
        let child = try ChildProcess("hold-write", folder())
        #expect(child.isReady())
        kill(child.identifier, SIGSTOP)
        let environment = try Environment.open(folder(), options: options(200))
        #expect(throws: LMDBError.self) { try environment.put(10..<11) }
        child.kill()
        try environment.put(10..<11)
    }

    @Test func `may be asked for again by the thread that has it, and keeps others out meanwhile`() throws {
        try Environment.make(folder(), keys: 0..<10).close()
        let environment = try Environment.open(folder())
        try environment.withWriterLock {
            try environment.put(10..<11)
            try WriterLock.at(folder()).withLock { try environment.put(11..<12) }
            // The other process has no patience at all.
            #expect(try ChildProcess("write-now", folder(), "100", "101").status() == 75)
            try environment.put(12..<13)
        }
        #expect(try ChildProcess("write-now", folder(), "100", "101").status() == 0)
        #expect(try environment.allEntries().count == 14)
    }

    @Test func `is that of another file once its file was removed`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        try environment.put(10..<11)
        try FileManager.default.removeItem(atPath: folder() + "-writer")
        let status = try environment.withWriterLock {
            try ChildProcess("write-now", folder(), "100", "101").status()
        }
        #expect(status == 75)
        try environment.put(11..<12)
    }
}

@Suite struct `What is noted of a file` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Changes a byte behind the last page that is used, as nobody of ours does.
    private func touch() throws {
        // The clock of a file system may tick a hundred times a second only.
        usleep(20_000)
        let file = try #require(FileHandle(forUpdatingAtPath: folder()))
        try file.seek(toOffset: 0)
        let byte = try #require(try file.read(upToCount: 1))
        try file.seek(toOffset: 0)
        try file.write(contentsOf: byte)
        try file.close()
    }

    @Test func `is how the last of us left it, whichever process that was`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        #expect(WriterLock.noted(of: folder()) == nil)
        try environment.put(10..<11)
        #expect(WriterLock.noted(of: folder()) == FileState(of: folder()))
        #expect(try ChildProcess("write", folder(), "100", "200").status() == 0)
        #expect(WriterLock.noted(of: folder()) == FileState(of: folder()))
        try touch()
        #expect(WriterLock.noted(of: folder()) != FileState(of: folder()))
    }

    @Test func `has a file that somebody else changed looked at before it is written to`() throws {
        let looks = Mutex(0)
        try Environment.make(folder(), keys: 0..<10).close()
        var options = Environment.Options()
        options.check = { (_: String) throws(LMDBError) in looks.withLock { $0 += 1 } }
        let environment = try Environment.open(folder(), options: options)
        try environment.put(10..<11)
        #expect(looks.withLock { $0 } == 1, "nobody has noted anything before")
        for key in UInt64(11)..<15 { try environment.put(key..<key + 1) }
        #expect(looks.withLock { $0 } == 1)
        try touch()
        try environment.put(15..<16)
        try environment.put(16..<17)
        #expect(looks.withLock { $0 } == 2)
    }

    @Test func `keeps what is damaged from being written to`() throws {
        try Environment.make(folder(), keys: 0..<10).close()
        var options = Environment.Options()
        options.check = { (path: String) throws(LMDBError) in
            throw LMDBError(.damaged(code: 0, text: "on purpose"), path: path, during: .write)
        }
        let environment = try Environment.open(folder(), options: options)
        #expect(throws: LMDBError(.damaged(code: 0, text: "on purpose"), path: environment.path, during: .write)) {
            try environment.put(10..<11)
        }
        #expect(try environment.allEntries().count == 10)
    }

    @Test func `is not noted of a file that has changed since it was looked at`() throws {
        try Environment.make(folder(), keys: 0..<10).close()
        let state = try #require(FileState(of: folder()))
        #expect(FileState(state.bytes) == state)
        #expect(WriterLock.note(state, of: folder()))
        #expect(WriterLock.noted(of: folder()) == state)
        try touch()
        #expect(!WriterLock.note(state, of: folder()))
    }
}
