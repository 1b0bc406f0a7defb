import GroundwaveByteCoding
import GroundwaveSealing
import Testing

@Suite struct `A locked file` {
    /// Computed with Python's cryptography, from the table of bytes.
    private static let expected =
        "47575631404142434445464748494a4b98351ee2162f886630a69c6bd78203a2c4bd116b308937188675a820965a4415"
        + "f4aeb0e876f148fcfa64552fb501f009"
    private static let content = [UInt8](0x60..<0x80)

    private func open(
        _ bytes: [UInt8], as name: String = "identity", with key: [UInt8] = Samples.keyBytes
    ) throws(SealingError) -> [UInt8] {
        try LockedFile.open(bytes, as: name, with: key)
    }

    @Test func `has the bytes that its table says`() throws {
        let bytes = try #require(Hexadecimal.decode(Self.expected))
        #expect(LockedFile.isLocked(bytes))
        #expect(try open(bytes) == Self.content)
    }

    @Test(arguments: [1, 31, 32, 33, 1000])
    func `opens to what was locked, and is another one each time`(count: Int) throws {
        let content = [UInt8](repeating: 7, count: count)
        let files = (0..<2).map { _ in LockedFile.lock(content, as: "keys", with: Samples.keyBytes) }
        for bytes in files {
            #expect(LockedFile.isLocked(bytes) && bytes.count == count + LockedFile.overhead)
            #expect(try open(bytes, as: "keys") == content)
        }
        #expect(files[0][4..<16] != files[1][4..<16] && files[0][16...] != files[1][16...])
    }

    @Test func `with any bit changed is refused, and so is one that was cut`() throws {
        let bytes = try #require(Hexadecimal.decode(Self.expected))
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                let expected: SealingError = index < 4 ? .wrongMagic : .wrongKeyOrChanged
                #expect(refusal { () throws(SealingError) in try open(changed) } == expected)
            }
            let cut = Array(bytes[..<index])
            #expect(refusal { () throws(SealingError) in try open(cut) } != nil)
        }
    }

    @Test func `opens under no other name, and with no other key`() throws {
        let bytes = LockedFile.lock(Self.content, as: "identity", with: Samples.keyBytes)
        #expect(try open(bytes) == Self.content)
        for name in ["keys", "", "identity "] {
            #expect(refusal { () throws(SealingError) in try open(bytes, as: name) } == .wrongKeyOrChanged)
        }
        let other = [UInt8](1...32)
        #expect(refusal { () throws(SealingError) in try open(bytes, with: other) } == .wrongKeyOrChanged)
    }

    // A private key that is not locked has 32 bytes, and may have any.
    @Test func `has more than 32 bytes`() {
        let key = Array("GWV1".utf8) + [UInt8](repeating: 1, count: 28)
        #expect(!LockedFile.isLocked(key) && !LockedFile.isLocked([]))
        #expect(LockedFile.isLocked(key + [1]))
    }
}
