import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSealing
import GroundwaveSeededNumbers
import Testing

@Suite struct `A sealed object` {
    private static let expected =
        "475758311db7cb1a088694e47be3699401204da5404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f"
        + "160065cea754f744d352c57e6b0933f35c49ab0649c3a237bfaf6cf7f2fbea1c5d5c0100fcf3"

    private func sealed(
        _ content: [UInt8] = Samples.text, as name: String = Samples.name, with key: EpochKey = Samples.key
    ) -> [UInt8] {
        var bytes = CountedBytes(from: 0x40)
        return SealedObject.seal(content, as: name, of: Samples.log, with: key, using: &bytes)
    }

    private func open(_ bytes: [UInt8], limit: Int = 1000) throws(SealingError) -> [UInt8] {
        try SealedObject.open(bytes, as: Samples.name, of: Samples.log, with: Samples.ring, limit: limit)
    }

    @Test func `has the bytes that its table says`() throws {
        #expect(Hexadecimal.encode(sealed()) == Self.expected)
        #expect(try open(try #require(Hexadecimal.decode(Self.expected))) == Samples.text)
    }

    @Test(arguments: UInt64(1)...50)
    func `opens to what was sealed, and has the size that was foretold`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let content = numbers.bytes(Int.random(in: 0...(1 << Int.random(in: 0...16, using: &numbers)), using: &numbers))
        let key = EpochKey.random(using: &numbers)
        let (log, name) = (LogID.random(using: &numbers), "snapshots/heads/é\(seed)")
        let bytes = SealedObject.seal(content, as: name, of: log, with: key, using: &numbers)
        #expect(bytes.count == SealedObject.sealedSize(of: content.count))
        #expect(SealedObject.epoch(of: bytes) == key.id)
        let ring = Keyring(namesKey: Samples.keyBytes, keys: [Samples.key, key])
        #expect(try SealedObject.open(bytes, as: name, of: log, with: ring, limit: content.count) == content)
    }

    @Test func `of eight mebibytes opens to what was sealed`() throws {
        var numbers = SeededGenerator(seed: 1)
        let content = [UInt8](repeating: 7, count: 8 << 20)
        let bytes = SealedObject.seal(content, as: Samples.name, of: Samples.log, with: Samples.key, using: &numbers)
        #expect(try open(bytes, limit: 8 << 20) == content)
    }

    @Test func `of the same content is another one each time`() {
        var numbers = SeededGenerator(seed: 1)
        let two = (0..<2).map { _ in
            SealedObject.seal(Samples.text, as: Samples.name, of: Samples.log, with: Samples.key, using: &numbers)
        }
        #expect(zip(two[0][20...], two[1][20...]).count { $0 == $1 } < 10)
    }

    @Test func `with any bit changed is refused`() {
        let bytes = sealed()
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                let error = refusal { () throws(SealingError) in try open(changed) }
                switch index {
                case 0..<4: #expect(error == .wrongMagic)
                case 4..<20: #expect(error == .unknownEpoch(EpochID(Array(changed[4..<20]))))
                default: #expect(error == .wrongKeyOrChanged, "byte \(index)")
                }
            }
        }
    }

    @Test func `cut short or made longer is refused`() {
        let bytes = sealed()
        for count in 0..<bytes.count {
            let error = refusal { () throws(SealingError) in try open(Array(bytes.prefix(count))) }
            #expect(error == (count < 72 ? .wrongSize(count) : .wrongKeyOrChanged))
        }
        #expect(refusal { () throws(SealingError) in try open(bytes + [0]) } == .wrongKeyOrChanged)
    }

    @Test func `of another name or log is refused`() {
        let bytes = sealed()
        for name in ["", "stores/x/catalo", "stores/x/catalog ", "stores/y/catalog", "Stores/x/catalog"] {
            let error = refusal { () throws(SealingError) in
                try SealedObject.open(bytes, as: name, of: Samples.log, with: Samples.ring, limit: 1000)
            }
            #expect(error == .wrongKeyOrChanged)
        }
        let error = refusal { () throws(SealingError) in
            try SealedObject.open(bytes, as: Samples.name, of: LogID(high: 0, low: 0), with: Samples.ring, limit: 1000)
        }
        #expect(error == .wrongKeyOrChanged)
    }

    @Test func `spliced from two is refused`() {
        var numbers = SeededGenerator(seed: 3)
        let one = sealed()
        let other = SealedObject.seal(
            Samples.text.reversed(), as: Samples.name, of: Samples.log, with: Samples.key, using: &numbers)
        for cut in 21..<one.count {
            let error = refusal { () throws(SealingError) in try open(Array(one[..<cut] + other[cut...])) }
            #expect(error == .wrongKeyOrChanged, "at byte \(cut)")
        }
    }

    @Test func `under another key is refused, also under the name of the right epoch`() {
        let other = Samples.epochKey([UInt8](1..<33))
        var bytes = sealed(with: other)
        #expect(refusal { () throws(SealingError) in try open(bytes) } == .unknownEpoch(other.id))
        bytes.replaceSubrange(4..<20, with: Samples.key.id.bytes)
        #expect(refusal { () throws(SealingError) in try open(bytes) } == .wrongKeyOrChanged)
    }

    @Test func `larger than the limit is refused before it is decrypted`() throws {
        let bytes = sealed([UInt8](repeating: 1, count: 100))
        #expect(try open(bytes, limit: 100).count == 100)
        #expect(refusal { () throws(SealingError) in try open(bytes, limit: 50) } == .wrongSize(bytes.count))
        // As large as one of 97 bytes: only the length says that it is larger.
        #expect(refusal { () throws(SealingError) in try open(bytes, limit: 97) } == .malformed)
    }

    // Sealed with the right key by a program that pads otherwise: the key is then no reason to believe the lengths.
    @Test(arguments: [
        // The content has one byte less than a size, and the byte behind it is not zero.
        (
            "475758311db7cb1a088694e47be3699401204da5404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
            "090065ce8567b463e714e14722073dbf6807b5147fee62aa4a9fd451cc0ed87bf435"
        ),
        // There are more zeros than needed.
        (
            "475758311db7cb1a088694e47be3699401204da5404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
            "080065ce8567b463e714e14722073dbf0506327fbbe0056b583526a6f14c4436a2ad"
        ),
        // The length is greater than what there is.
        (
            "475758311db7cb1a088694e47be3699401204da5404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
            "0b0065ce8567b463e714e14722073dbf686892637c90bd686cf8592609f66b6c3ce5"
        ),
    ])
    func `that was padded otherwise is refused`(header: String, rest: String) throws {
        let bytes = try #require(Hexadecimal.decode(header + rest))
        #expect(refusal { () throws(SealingError) in try open(bytes) } == .malformed)
    }

    @Test(arguments: [[], [0x47], [UInt8](repeating: 0, count: 72)])
    func `is told from other bytes`(bytes: [UInt8]) { #expect(SealedObject.epoch(of: bytes) == nil) }
}
