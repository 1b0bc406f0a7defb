import EventLog
import Events
import Foundation
import Testing

@Suite struct `Verifying a damaged log` {
    static let intact = Result { try IntactLog() }

    @Test func `the log that the other tests damage is whole`() throws {
        let intact = try Self.intact.get()
        #expect(intact.report.damage == [])
        #expect(intact.report.events == UInt64(intact.contents.ids.count))
        for replica in intact.report.replicas {
            #expect(try replica.root == intact.contents.root(of: replica.replica))
        }
        #expect(intact.report.replicas.count == 2)
        #expect(intact.pages.overflows.count > 50)
    }

    @Test(arguments: UInt64(1)...8)
    func `a flipped bit in a byte that means something is seen`(seed: UInt64) throws {
        let intact = try Self.intact.get()
        let offsets = intact.pages.offsets([.live])
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<400 {
            let offset = try #require(offsets.randomElement(using: &numbers))
            let bit = UInt8(1) << UInt8.random(in: 0...7, using: &numbers)
            let report = try intact.verify { $0[offset] ^= bit }
            #expect(!report.ok, "offset \(offset), bit \(bit)")
        }
    }
}
