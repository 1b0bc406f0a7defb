import Foundation
import GroundwaveEventLog
import GroundwaveMDBPages
import Testing

@Suite struct `A look at the branches of a log` {
    private let store: TestLog
    private let pages: LivePages
    private var copy: String { store.path + "-copy" }

    init() throws {
        store = try TestLog()
        try store.append(6_000)
        try store.append(60, sizes: .mixed)
        for number in 0..<30 { try store.append(2, as: .init(high: UInt64(number % 3), low: 1)) }
        try FileManager.default.copyItem(atPath: store.path, toPath: store.path + "-copy")
        pages = try LivePages(path: store.path)
    }

    /// What is said of the log with `bytes` at `offset`.
    private func damage(putting bytes: [UInt8], at offset: Int) throws -> [PageDamage] {
        var data = Data(pages.bytes)
        data.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        try data.write(to: URL(filePath: copy))
        return try PageCheck.branches(of: copy)
    }

    @Test func `finds nothing in a whole one, also while others append`() throws {
        #expect(try PageCheck.branches(of: store.path) == [])
        #expect(pages.branches["events"]?.count ?? 0 > 1)
        let writer = BackgroundWork { for _ in 0..<150 { try store.append(3) } }
        repeat { #expect(try PageCheck.branches(of: store.path) == []) } while !writer.isDone
        try writer.check()
    }

    @Test func `finds each branch that is lost, hides a child, or is one of long ago`() throws {
        for page in pages.branches.values.flatMap({ $0 }) {
            let start = page * 4096
            #expect(try damage(putting: [UInt8](repeating: 0, count: 4096), at: start) != [])
            // One slot less; a child of one before it; a key that is another one.
            let lower = pages.bytes[start + 12]
            #expect(try damage(putting: [lower &- 2], at: start + 12) != [])
            #expect(try damage(putting: Array(pages.bytes[start + 18..<start + 20]), at: start + 16) != [])
            let entry = start + Int(pages.bytes[start + 18]) + Int(pages.bytes[start + 19]) << 8
            #expect(try damage(putting: [pages.bytes[entry] ^ 1], at: entry) != [])
        }
    }

    @Test func `finds whatever bit of a meta page that leads to the trees is flipped, and that a file was cut`() throws
    {
        let newest = pages.newestMeta * 4096
        for offset in [0..<8, 10..<12, 16..<24, 46..<48, 80..<88, 94..<112, 128..<136, 144..<152].flatMap({ $0 }) {
            // A transaction that seems to be two older is neighbour of the other one: that state is whole too.
            for bit in 0..<8 where offset != 144 || bit != 1 {
                let byte = pages.bytes[newest + offset] ^ 1 << UInt8(bit)
                #expect(try damage(putting: [byte], at: newest + offset) != [], "byte \(offset), bit \(bit)")
            }
        }
        try Data(pages.bytes.dropLast(4096 * 20)).write(to: URL(filePath: copy))
        #expect(try PageCheck.branches(of: copy) != [])
        try Data().write(to: URL(filePath: copy))
        #expect(try PageCheck.branches(of: copy) != [])
        try Data("This is no log, and no file of LMDB.".utf8).write(to: URL(filePath: copy))
        #expect(try PageCheck.branches(of: copy) != [])
    }
}
