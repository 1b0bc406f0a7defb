import Foundation
import GroundwaveLMDB
import Testing

@Suite struct `One environment for a file` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `whatever path leads to it`() throws {
        let environment = try Environment.make(folder(), keys: 0..<10)
        let files = FileManager.default
        try files.createSymbolicLink(atPath: folder("symbolic"), withDestinationPath: folder())
        try files.linkItem(atPath: folder(), toPath: folder("hard"))
        try files.createSymbolicLink(atPath: folder("folder"), withDestinationPath: folder.path)
        for path in [folder(), folder("symbolic"), folder("hard"), folder("folder/store"), folder("./store")] {
            #expect(try Environment.open(path) === environment, "\(path)")
        }
    }

    @Test func `also opened first through a symbolic link, beside whose target the lock file lies`() throws {
        try Environment.make(folder(), keys: 0..<10).close()
        try FileManager.default.removeItem(atPath: folder("store-lock"))
        try FileManager.default.createSymbolicLink(atPath: folder("symbolic"), withDestinationPath: folder())
        let environment = try Environment.open(folder("symbolic"))
        #expect(folder.names == ["store", "store-lock", "symbolic"])
        #expect(try Environment.open(folder()) === environment)
    }

    @Test func `two files are two environments`() throws {
        let first = try Environment.make(folder("first"), keys: 0..<10)
        let second = try Environment.make(folder("second"), keys: 0..<20)
        #expect(first !== second)
        #expect(try first.allEntries().count == 10)
        #expect(try second.allEntries().count == 20)
    }

    @Test func `other options are refused while it is open`() throws {
        let environment = try Environment.make(folder())
        for options in [
            Environment.Options(isReadOnly: true), .init(synchronous: false),
            .init(tables: environment.options.tables + 1),
        ] {
            #expect(try reason { _ = try Environment.open(folder(), options: options) } == .inUse)
        }
        #expect(try Environment.open(folder(), options: .init(tables: 1, initialMapSizeBytes: 1 << 20)) === environment)
        environment.close()
        #expect(try Environment.open(folder(), options: .init(isReadOnly: true)) !== environment)
    }

    @Test func `a new file under the name of a deleted one is opened as soon as that is not used any more`() throws {
        let old = try Environment.make(folder(), keys: 0..<10)
        try old.read { _ in
            try FileManager.default.removeItem(atPath: folder())
            try Environment.create(at: folder()) { _ in }
            #expect(try reason { _ = try Environment.open(folder()) } == .inUse)
        }
        #expect(try old.allEntries().count == 10)
        #expect(try Environment.open(folder()).allEntries().isEmpty)
        #expect(try reason { _ = try old.allEntries() } == .closed)
    }

    @Test func `many threads that open and let go of it never have two`() throws {
        try Environment.make(folder(), keys: 0..<10).close()
        try inParallel(
            (0..<4).map { _ in
                {
                    for _ in 0..<150 {
                        let environment = try Environment.open(folder())
                        #expect(try environment.allEntries().count == 10)
                        #expect(try Environment.open(folder()) === environment)
                    }
                }
            })
    }

    @Test func `a new file that gets the number of one that is just being closed is opened as it is asked for`() throws
    {
        // A file system gives the number of a deleted file to the next one, as soon as nobody has it open any more.
        try inParallel(
            (0..<16).map { thread in
                {
                    for round in 0..<300 {
                        let path = folder("store-\(thread)-\(round)")
                        let options = Environment.Options(tables: thread + 1, synchronous: false)
                        try Environment.create(at: path, options: options) { _ in }
                        let environment = try Environment.open(path, options: options)
                        for name in [path, "\(path)-lock"] { try FileManager.default.removeItem(atPath: name) }
                        environment.close()
                    }
                }
            })
    }
}
