import GroundwaveEvents
import GroundwaveSealing
import GroundwaveSeededNumbers
import Testing

@Suite struct `The key of an epoch` {
    @Test func `is named by the beginning of a hash of it`() {
        #expect(Samples.key.id.description == "1db7cb1a088694e47be3699401204da5")
    }

    @Test(arguments: [0, 16, 31, 33, 64])
    func `has 32 bytes`(byteCount: Int) {
        #expect(EpochKey(bytes: [UInt8](repeating: 1, count: byteCount)) == nil)
    }

    @Test func `is made of all the randomness that it is given`() {
        var bytes = CountedBytes(from: 0)
        #expect(EpochKey.random(using: &bytes).bytes == Samples.keyBytes)
        #expect(EpochKey.random(using: &bytes).bytes == [UInt8](32..<64))
    }

    @Test func `is found in a keyring by its name, and no other one is`() {
        var numbers = SeededGenerator(seed: 1)
        let keys = (0..<5).map { _ in EpochKey.random(using: &numbers) }
        var ring = Keyring(namesKey: Samples.keyBytes, keys: Array(keys.dropLast()))
        #expect(ring.key(of: keys[4].id) == nil && ring.epochs.count == 4)
        ring.add(keys[4])
        for key in keys { #expect(ring.key(of: key.id)?.bytes == key.bytes) }
        #expect(ring.epochs == keys.map(\.id).sorted() && ring.namesKey == Samples.keyBytes)
    }

    @Test func `shows in no text`() {
        for text in Secrets.texts(of: Samples.key) + Secrets.texts(of: Samples.ring) {
            #expect(!Secrets.shows(text, Samples.keyBytes), "\(text)")
        }
    }
}

/// What is printed of a value by mistake.
enum Secrets {
    /// All the texts that the standard library makes of a value, also of one that contains it.
    static func texts(of value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var contained = ""
        dump(["key": value], to: &contained)
        return [
            String(describing: value), String(reflecting: value), dumped, contained, "\([value])", "\(value as Any?)",
        ]
    }

    /// Whether `text` has four consecutive bytes of a secret, as numbers or hexadecimal digits.
    static func shows(_ text: String, _ secret: [UInt8]) -> Bool {
        let compact = text.lowercased().filter { !$0.isWhitespace && $0 != "-" }
        return (0...secret.count - 4).contains { start in
            let part = secret[start..<start + 4]
            return compact.contains(part.map(String.init).joined(separator: ","))
                || compact.contains(part.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
        }
    }
}

@Suite struct `The search for secrets in texts` {
    @Test func `finds them where they are`() {
        struct Open { let bytes = Samples.keyBytes }
        for text in Secrets.texts(of: Samples.keyBytes) + ["08090A0B"] {
            #expect(text.contains("more") || Secrets.shows(text, Samples.keyBytes), "\(text)")
        }
        #expect(Secrets.shows("\(Open())", Samples.keyBytes))
    }
}
