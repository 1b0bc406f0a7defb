import GroundwaveByteCoding
import Testing

@Suite struct `Hexadecimal digits` {
    @Test func `say every byte, and are read in either case`() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = Hexadecimal.encode(bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.decode(text) == bytes)
        #expect(Hexadecimal.decode(text.uppercased()) == bytes)
        #expect(Hexadecimal.decode("") == [])
    }

    @Test(arguments: ["0", "000", "0g", "g0", " 00", "00 ", "0x00", "+1", "-1", "０１", "é0"])
    func `are refused where they are not pairs of digits and nothing else`(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }
}
