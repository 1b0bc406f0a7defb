import GroundwaveByteCoding
import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMetering

@Suite struct `Decoding the answers of a TC66C` {
    static let words = [
        48: 50_712, 52: 123_456, 56: 62_607, 68: 410, 72: 1_201, 76: 6_033, 80: 17, 84: 91, 88: 0, 92: 31, 96: 271,
        100: 269,
    ]

    @Test func `each number is where it belongs`() throws {
        let rows = MeterModel.tc66c.rows(of: MadeUp.tc66(Self.words))
        #expect(rows.refusals.isEmpty)
        #expect(rows.all == [[50_712, 123_456, 62_607, 410, 31, 271, 269, 1_201, 6_033, 17, 91]])
    }

    @Test(arguments: [(0, 5), (1, -5), (2, 5)])
    func `a temperature is below zero where its sign is 1`(sign: Int, celsius: Int64) {
        let rows = MeterModel.tc66c.rows(of: MadeUp.tc66([88: sign, 92: 5]))
        #expect(rows.values(of: "temperature") == [celsius])
    }

    @Test(arguments: [0, 1, 2])
    func `each of the three checks is held to, and a wrong one costs one frame`(part: Int) {
        var plain = MadeUp.tc66(Self.words).withSpan { RDTechTC66.deciphered($0) }
        plain[64 * part + 50] ^= 1
        let broken = plain.withSpan { RDTechTC66.enciphered($0) }
        let rows = MeterModel.tc66c.rows(of: broken + MadeUp.tc66([48: 777]))
        #expect(rows.values(of: "voltage") == [777] && rows.refusals == [.init(.check, 192)])
    }

    @Test(.enabled(if: Captures.folder != nil, Comment(rawValue: Captures.reason)))
    func `the frame that was captured is deciphered to the text that was published with it`() throws {
        // The capture may be used and not shown: nothing of it is in a message.
        let lines = try Captures.text("tc66c-frame.txt").split(separator: "\n").dropFirst()
            .map { try #require(Hexadecimal.decode(String($0)), "A line is not hexadecimal.") }
        let isSame = lines[0].withSpan { RDTechTC66.deciphered($0) } == lines[1]
        #expect(isSame)
        let rows = MeterModel.tc66c.rows(of: lines[0])
        #expect(rows.refusals.isEmpty)
        let words = [48, 52, 56, 68, 92, 96, 100, 72, 76, 80, 84].map { offset in
            (0..<4).reduce(Int64(0)) { $0 | Int64(lines[1][offset + $1]) << (8 * $1) }
        }
        let isRead = rows.all == [words]
        #expect(isRead)
        let checks = (0..<3).map { part in
            lines[1].withSpan { FrameCheck.modbus($0.extracting(64 * part..<64 * part + 60)) }
        }
        #expect(checks == [0x77BE, 0x816A, 0x0528])
    }
}
