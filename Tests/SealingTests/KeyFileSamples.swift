import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSealing
import GroundwaveSeededNumbers

/// Key files with the key of `Samples`, and those who can open them.
enum KeyFileSamples {
    /// A device whose secret is the bytes 32 to 63.
    static let device: RecipientKey = {
        guard let identity = Identity(secret: [UInt8](0x20..<0x40)) else { preconditionFailure("32 bytes are a key.") }
        return RecipientKey(identity: identity)
    }()
    /// The phrase `legal winner thank …`.
    static let phrase: RecoveryPhrase = {
        guard let phrase = RecoveryPhrase(entropy: [UInt8](repeating: 0x7F, count: 16)) else {
            preconditionFailure("16 bytes are a phrase.")
        }
        return phrase
    }()
    static let passphrase = "seven \u{FB01}sh A\u{30A}ngstro\u{308}m \u{2460}"
    static let passphraseKey = "09d5db6785f9f8637c709f19b67d0ea10e663cb028a70f901416f4c1bee20200"
    static let salt = [UInt8](0x60..<0x80)
    static let former = [Samples.epochKey([UInt8](1..<33)), Samples.epochKey([UInt8](2..<34))]

    static func recipients() -> [KeyFile.Recipient] {
        [
            KeyFile.Recipient(.passphrase, publicKey: Hexadecimal.decode(passphraseKey) ?? []),
            KeyFile.Recipient(.phrase, publicKey: phrase.recipient.publicKey),
            KeyFile.Recipient(.device, publicKey: device.publicKey),
        ]
    }

    static func contents(
        _ recipients: [KeyFile.Recipient] = recipients(), former: [EpochKey] = former
    ) -> KeyFile.Contents {
        KeyFile.Contents(
            log: Samples.log, root: Hash256(at: 0, of: [UInt8](0xA0..<0xC0).span.bytes), namesKey: [UInt8](0xC0..<0xE0),
            recipients: recipients, formerKeys: former)
    }

    static func file(_ contents: KeyFile.Contents = contents(), seed: UInt64 = 1) throws -> [UInt8] {
        var numbers = SeededGenerator(seed: seed)
        return try KeyFile.bytes(
            contents, with: Samples.key, scrypt: ScryptParameters(log2N: 15, salt: salt), using: &numbers)
    }

    /// A key file with any wraps and any plain contents, put together from the table of its bytes.
    static func handMade(wraps: [[UInt8]], plain: [UInt8]) -> [UInt8] {
        var (writer, numbers) = (ByteWriter(), SeededGenerator(seed: 2))
        writer.append(contentsOf: Array("GWK1".utf8))
        writer.append(littleEndian: UInt32(59 + 80 * wraps.count + SealedObject.sealedSize(of: plain.count)))
        writer.append(Samples.key.id)
        writer.append(15)
        writer.append(contentsOf: salt)
        writer.append(littleEndian: UInt16(wraps.count))
        for wrap in wraps { writer.append(contentsOf: wrap) }
        var hash = ByteWriter()
        writer.withSpan { hash.append(Hash256(hashing: $0)) }
        let sealed = SealedObject.seal(
            plain, as: "keys", of: LogID(high: 0, low: 0), also: hash.bytes, with: Samples.key, using: &numbers)
        return writer.bytes + sealed
    }

    // Written in Python, from the tables: for the three recipients, with two former keys.
    static let written =
        "47574b318f0200001db7cb1a088694e47be3699401204da50f606162636465666768696a6b6c6d6e6f707172737475767778797a"
        + "7b7c7d7e7f0300b972ba2795c4f6ac03c7b1a8de97cb22ae44e3595ab8ad483d20ef61e318c63766985a43513036be31347c6495"
        + "2fd8f981bd121d02e909cfe916bb06ac90ecf8ce669c28ff74b451c30d858f6faf84a087763a7b64dbb148f078276375df703ffb"
        + "30b50f8e79e8f5c1ff6c1fd7210b1ed5e3f2ce1b6ff12410bac47f09178cd1b9990b83e45dc9c91cb527a737b4250438ec0dc981"
        + "f182124c182fb071175ec43b26cc093a5b71c9cef3ab9cd805015a1505d638e09517164af3970b518dee0a41043548d43f4abc2b"
        + "7d21c51108e6dae8b1add85cccedd80aee2723c5e6d75f7e8b5b94970a755a9688f9047394bf1c475758311db7cb1a088694e47b"
        + "e3699401204da5404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f130165ce6484558406f700a8c3"
        + "e4dc58898b16c8ab2192ce4bbd846dc0f30fda7561dd1149ad21f8a6420b55652df48bd5ec080c6b50034235cd7044cdf7c61319"
        + "78c833f7d6e6229ccd31a12eefe588155632e63b0fad525b55fcf8e94564d6be07687e81d10b48421d64ea7eda437f2d35651e4c"
        + "2c699b742d44a8eccadb4ad35937961fc9f29ecd863b8a2f8d612634be57b774ed782f00b0954ae7307a4291b150b3d9a6f6d17f"
        + "765b6e75fd82ce2830bb2c320da8a034b41229a94effba9eca1e4408da53eedfaa9f3c966ef26721e70233fdf5256ee476c54020"
        + "4482602f94e7cab0cae49c6bae79c6d939156a5e714dbf629819796aed945bcc7782294f70d107becb4948e6c0db4877f4185944"
        + "36f7c23486fa5da3c02169d8f24a163cb5dc5868414456571e805adf9220c1"

    // The same without former keys; its wraps have another key than that of the epoch.
    static let wrongWrap =
        "47574b312f0200001db7cb1a088694e47be3699401204da50f606162636465666768696a6b6c6d6e6f707172737475767778797a"
        + "7b7c7d7e7f030054b87a189b391809e4b133706a53fa431ef1116ea14b4d810dba0f4188f88c677baa60bd5cb5bacd6984e0d9c1"
        + "fad407a438535b8c24aa3b98f49419e68cd8d8e73e80bbfbe9e361ffaaa351d49fdde5acb4b3a02f678a28c54afa2257cb7861e8"
        + "ccfe93bc45a624ea6c5f6c5d021a298d8e4cfb7bafeb0a35a191bafe89065266e89a7fea0281299328cbfa0a8a607ad3cb114b3f"
        + "9e18a2c3973ce31791ce4406eb2af53300abf0ba836c715799c63b9c91502971cb959d4d87226b37867f0d0a888de964a0d9cc49"
        + "291411a5fe237d900922eae451afc49a7c5c1c7efe3903f0a973e1f82369eb99d62203fc497374475758311db7cb1a088694e47b"
        + "e3699401204da5404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5fb30065ce6484558406f700a8c3"
        + "e4dc58898b16c8ab2192ce4bbd846dc0f30fda7561dd1149ad21f8a6420b55652df48bd5ec080c6b50034235cd7044cdf7c61319"
        + "78c833f7d6e6229ccd31a12eefe588155632e63b0fad525b55fcf8e94564d6be07687e81d10b48421d64ea7eda437f2d35651e4c"
        + "2c699b742d44a8eccadb4ad35937961fc9f29ecd863b8a2f8d612634be57b774ed782f00b0954ae7307a4291b150b3d9a6f6d17f"
        + "765b6e75fd82ce2830bb2c320da8a034b6127605b0abb78879c56e2757095ba77d5d8e75a7337e"

    // A wrap for the device whose encapsulated key is zero, so that its shared secret is zero for every recipient.
    static let smallOrderWrap =
        "00000000000000000000000000000000000000000000000000000000000000008faa49fd40ee126248b6037d627ad01a51ec78b1"
        + "880b654f236b15195b7ff850c406bbcd9abc3be56afd94e745c564d3"
}
