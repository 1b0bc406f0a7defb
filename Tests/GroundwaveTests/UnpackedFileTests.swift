import Everything
import Foundation
import GroundwaveADIF
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Synchronization
import Testing

@Suite struct `A log file in UTF-16` {
    @Test(arguments: [1, 2, 3, 7, 1001], [false, true])
    func `is read however its pieces cut its characters`(pieces: Int, isBigEndian: Bool) async throws {
        let log = "x<EOH><CALL:6>N0CALL<QSO_DATE:8>20260501<NAME:9>\u{1F600}J\u{F6}rg<EOR>"
        var bytes: [UInt8] = isBigEndian ? [0xFE, 0xFF] : [0xFF, 0xFE]
        for unit in log.utf16 {
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            bytes += isBigEndian ? [high, low] : [low, high]
        }
        let temporary = try await TemporaryStore(.full())
        let place = Mutex(0)
        let whole = bytes
        let report = try await temporary.store.importLog(named: "log.adi") {
            place.withLock { place in
                if place >= whole.count { return nil }
                defer { place += pieces }
                return Array(whole[place..<min(place + pieces, whole.count)])
            }
        }
        #expect(report.imported == 1 && report.remarks.isEmpty)
        let contact = try #require(try temporary.store.read { try $0.all(.everything).first })
        #expect(contact.text("NAME") == "\u{1F600}J\u{F6}rg")
    }
}
