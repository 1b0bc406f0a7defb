import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogRepair
import GroundwaveSeededNumbers
import Testing

@Suite struct `Verifying a damaged log` {
    static let intact = Result { try IntactLog() }
    let intact: IntactLog

    init() throws { intact = try Self.intact.get() }

    @Test func `the log that the other tests damage is whole`() throws {
        #expect(intact.report.damage == [])
        #expect(intact.report.events == UInt64(intact.contents.ids.count))
        for replica in intact.report.replicas {
            #expect(try replica.root == intact.contents.root(of: replica.replica))
        }
        #expect(intact.report.replicas.count == 2)
        #expect(intact.pages.overflows.count > 20)
        #expect(intact.pages.branches["events"] != nil)
    }

    @Test(arguments: UInt64(1)...4)
    func `a flipped bit in a byte that means something is seen`(seed: UInt64) throws {
        // Not the bytes of frames: they are most of the file, and another test flips those.
        let frames = Set(intact.pages.frames.values.flatMap { $0.bytes })
        let offsets = intact.pages.offsets([.live]).filter { !frames.contains($0) }
        let copy = try FlippedCopy(intact)
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<250 {
            let offset = try #require(offsets.randomElement(using: &numbers))
            let bit = Int.random(in: 0...7, using: &numbers)
            let report = try copy.verify(flipping: bit, at: offset)
            let isSeen = !report.ok
            #expect(isSeen, "offset \(offset), bit \(bit)")
            let isAccountedFor = intact.accounts(for: report)
            #expect(isAccountedFor, "offset \(offset), bit \(bit), \(report)")
        }
    }

    @Test(arguments: UInt64(1)...4)
    func `a flipped bit in an event costs that event, which is named`(seed: UInt64) throws {
        let copy = try FlippedCopy(intact)
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let position = UInt64.random(in: 1...UInt64(intact.contents.ids.count), using: &numbers)
            let frame = try #require(intact.pages.frames[position])
            let offset = Int.random(in: frame.bytes, using: &numbers)
            let report = try copy.verify(flipping: Int.random(in: 0...7, using: &numbers), at: offset)
            let id = intact.contents.ids[Int(position) - 1]
            #expect(report.missing == [EventRange(id.replica, id.sequence, through: id.sequence)])
            #expect(report.damage.map(\.what) == [.frame])
            #expect(report.damage.first?.replica == id.replica)
            #expect(report.damage.first?.first == id.sequence)
            #expect(report.damage.first?.position == position)
            let isAccountedFor = intact.accounts(for: report)
            #expect(isAccountedFor)
        }
    }

    @Test(arguments: UInt64(1)...4)
    func `a flipped bit anywhere is seen, or the byte means nothing and the report is the same`(seed: UInt64) throws {
        let copy = try FlippedCopy(intact)
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let offset = Int.random(in: 0..<intact.pages.bytes.count, using: &numbers)
            let bit = Int.random(in: 0...7, using: &numbers)
            let report = try copy.verify(flipping: bit, at: offset)
            if report.ok {
                let use = intact.pages.uses[offset]
                #expect(use != .live, "offset \(offset), bit \(bit)")
                #expect(report == intact.report, "offset \(offset), bit \(bit)")
            }
        }
    }
}
