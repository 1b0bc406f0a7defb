import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveSealing

@Suite struct `The key of a passphrase` {
    // Computed with Python's hashlib.scrypt and unicodedata.
    @Test(arguments: [
        (KeyFileSamples.passphrase, 15, KeyFileSamples.passphraseKey),
        ("seven fish \u{C5}ngstr\u{F6}m 1", 15, KeyFileSamples.passphraseKey),
        ("x", 16, "5b20207078c248909d1bd0262baa924df2524282370fa412e781b6866f032831"),
        ("correct horse", 17, "4355e0ad444294875a2c3d4480db8142c24c70e3e32c88efa97058926f637c1d"),
        ("x", 18, "57a82ab39a60f54ef058691d9431d794ed51f6056d1c03882d399835325b0337"),
    ])
    func `is that of scrypt, however the letters were typed`(text: String, log2N: Int, publicKey: String) throws {
        let parameters = try ScryptParameters(log2N: log2N, salt: KeyFileSamples.salt)
        let key = try RecipientKey(passphrase: text, parameters: parameters)
        #expect(Hexadecimal.encode(key.publicKey) == publicKey)
    }

    @Test func `of a new passphrase takes 128 MiB and has a salt of its own`() {
        var numbers = SeededGenerator(seed: 1)
        let two = (0..<2).map { _ in ScryptParameters.random(using: &numbers) }
        #expect(two.allSatisfy { $0.log2N == 17 && $0.salt.count == 32 } && two[0].salt != two[1].salt)
    }

    @Test(arguments: [-1, 0, 1, 14, 19, 20, 30, 62, 63, 64, 255, Int.max])
    func `is computed with no other parameters, and they are refused at once`(log2N: Int) throws {
        let times = (0..<5).map { _ in
            ContinuousClock().measure {
                let error = refusal { () throws(SealingError) in
                    try ScryptParameters(log2N: log2N, salt: KeyFileSamples.salt)
                }
                #expect(error == .unacceptableParameters)
            }
        }
        #expect(try #require(times.min()) < .milliseconds(1))
    }

    @Test(arguments: [0, 16, 31, 33])
    func `is computed with no other size of salt`(byteCount: Int) {
        let error = refusal { () throws(SealingError) in
            try ScryptParameters(log2N: 15, salt: [UInt8](repeating: 0, count: byteCount))
        }
        #expect(error == .unacceptableParameters)
    }

    @Test(arguments: ["", String(repeating: "x", count: 1025), String(repeating: "\u{E9}", count: 513)])
    func `is that of one letter at least and 1024 bytes at most`(text: String) throws {
        let parameters = try ScryptParameters(log2N: 15, salt: KeyFileSamples.salt)
        let error = refusal { () throws(SealingError) in try RecipientKey(passphrase: text, parameters: parameters) }
        #expect(error == .unacceptablePassphrase)
        _ = try RecipientKey(passphrase: String(repeating: "\u{E9}", count: 512), parameters: parameters)
    }
}

@Suite struct `The key of a recipient` {
    @Test func `of a device is derived from its identity`() {
        #expect(
            Hexadecimal.encode(KeyFileSamples.device.publicKey)
                == "fff29261797a4683cca25d4c66ae70bacfdec4ca28e74669000dc3c6a150614e")
    }

    @Test func `shows in no text`() throws {
        let identity = try #require(Identity(secret: [UInt8](0x20..<0x40)))
        let key = DerivedKey.bytes(from: identity.secret, for: "groundwave recipient")
        for text in Secrets.texts(of: RecipientKey(identity: identity)) {
            #expect(!Secrets.shows(text, key) && !text.contains("PrivateKey"), "\(text)")
        }
    }
}
