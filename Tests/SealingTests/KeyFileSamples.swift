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
    static let passphraseRecipient: RecipientKey = {
        do {
            return try RecipientKey(passphrase: passphrase, parameters: ScryptParameters(log2N: 15, salt: salt))
        } catch { preconditionFailure("\(error)") }
    }()
    static let root = Hash256(at: 0, of: [UInt8](0xA0..<0xC0).span.bytes)
    static let namesKey = [UInt8](0xC0..<0xE0)
    static let proofs = RootProofs(
        of: Samples.log, root, namesKey: namesKey, phrase: phrase, passphrase: passphraseRecipient)
    static let former = [Samples.epochKey([UInt8](1..<33)), Samples.epochKey([UInt8](2..<34))]

    static func recipients() -> [KeyFile.Recipient] {
        [
            KeyFile.Recipient(.passphrase, publicKey: Hexadecimal.decode(passphraseKey) ?? []),
            KeyFile.Recipient(.phrase, publicKey: phrase.recipient.publicKey),
            KeyFile.Recipient(.device, publicKey: device.publicKey),
        ]
    }

    static func contents(
        _ recipients: [KeyFile.Recipient] = recipients(), former: [EpochKey] = former, log: LogID = Samples.log,
        root: Hash256 = root, namesKey: [UInt8] = namesKey, proofs: RootProofs = proofs
    ) -> KeyFile.Contents {
        KeyFile.Contents(
            log: log, root: root, namesKey: namesKey, proofs: proofs, recipients: recipients, formerKeys: former)
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
        "47574b31ef0200001db7cb1a088694e47be3699401204da50f606162636465666768696a6b6c6d6e6f707172737475767778797a"
        + "7b7c7d7e7f0300d6f0e9b2deecee6df407c6beea661fc057b23caf4de52d21b440052668ced203745b1fa76d0f04794d5b71a87d"
        + "cb79dcea813e694ef150d698abfec388aab47b580f01a11c00e5a6c37e15f494c384eaaf752b5e3b17412e9f609b7396608f429a"
        + "66d5c02d595c169dedfac4771d0d5272469e1398495a4af8c9ef322c9893b6cf44b0691d8064778663c3e1b2230094fd212bb32b"
        + "19978c95cd4faeff4d05073e0618baabc41e967fc16ea4af91371de2db6a85d7906f7f3ab8fdaf2e1709352cfbb8d06e12c2d435"
        + "ddc9f5a7142d8fb8f15fcac9c14548b0b300ab935e01dd58190402daa400b953f96cab186fef06475758311db7cb1a088694e47b"
        + "e3699401204da5404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f730165ce6484558406f700a8c3"
        + "e4dc58898b16c8ab2192ce4bbd846dc0f30fda7561dd1149ad21f8a6420b55652df48bd5ec080c6b50034235cd7044cdf7c61319"
        + "78c833f7d6e6229ccd31a12eefe588155632e6eec62c3523da1c232a03cfe115faaa066386710c950d094cc7713be7fdb9594741"
        + "587e74253f1e512cc15258be4ea7bc21054122043fb5438929f399dfee24b2358ae18c20ce40a4994b2da78ea9b6c68461856c4e"
        + "7ea0a4fbb31a7225a67232f7acf9c8af6d75f3fc48c8cbfc098f4d884dbc758cad9a1632656775301bca8714fb2862ab2ea35cd4"
        + "1ab52fa5a63d74bfe8902626935d567945b8dcff5280e5d844fa3019769ec8af0dfc6acabb7b53f8a6eb355200159dafcfeb0a3b"
        + "21e218e83cb621f3dd0136740c1e1bcac3630341215a8202497fa255a0fa8b400d279ef21cec03f2f0a4176f7c8b9bea20c1612b"
        + "4df22c031ce3a24f085e7ce0e3d9e4160a48067e940826107b66e46a3689e587a6a16c2b66b8f0a3740fd28302e1cd9926990f59"
        + "daa22ea07dbe6ccdc5190db12b1ec7adac49c243b15f12"

    // The same without former keys; its wraps have another key than that of the epoch.
    static let wrongWrap =
        "47574b318f0200001db7cb1a088694e47be3699401204da50f606162636465666768696a6b6c6d6e6f707172737475767778797a"
        + "7b7c7d7e7f03002a84ea10e842c9f2c7ee9f140f9e0505a14d143fc24e05e37264547087014b07ad41e16c473c218cbaf8a3c0f6"
        + "265a4234b98cfc7f9ed2f172876b3328fb3088c7cc86fb0081f89787057bcb4bb4052ba464faa6ee95df687430818b2164c59b4d"
        + "261a24b85ed3c3be823aea606e8318e1f0bdafb4dcb4f17ba4a8cc5eaeae63522db4a7dac23d8d788514eeb35b9e47124edd758a"
        + "7f3fa00807d733d20e9a3fad1cbe724245155e1fc94e34b78becc9e80cc16517391c177be75a38ab5a20697c16aa884ab2306592"
        + "6b44f74736cbe3a5daeff4424ce792bee2848415a69d02bc7dcd4c8b5e360b3c9720cff0b64299475758311db7cb1a088694e47b"
        + "e3699401204da5404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f130165ce6484558406f700a8c3"
        + "e4dc58898b16c8ab2192ce4bbd846dc0f30fda7561dd1149ad21f8a6420b55652df48bd5ec080c6b50034235cd7044cdf7c61319"
        + "78c833f7d6e6229ccd31a12eefe588155632e6eec62c3523da1c232a03cfe115faaa066386710c950d094cc7713be7fdb9594741"
        + "587e74253f1e512cc15258be4ea7bc21054122043fb5438929f399dfee24b2358ae18c20ce40a4994b2da78ea9b6c68461856c4e"
        + "7ea0a4fbb31a7225a67232f7acf9c8af6d75f3fc48c8cbfc098f4d884dbc758cad9a1632656775301bca8714fb2862ab2ea35cd4"
        + "1ab52fa5a63d74bfe8902626935d567945b8dcff5280e5d844fa3019769ec8af0dfc6acabb7b53f8a6eb355200159dafcfeb0a3b"
        + "21e218e83cb621f3df0169d8f24a16058dd9ce291338b9e3a2768ca2a1968e"

    // A wrap for the device whose encapsulated key is zero, so that its shared secret is zero for every recipient.
    static let smallOrderWrap =
        "00000000000000000000000000000000000000000000000000000000000000008faa49fd40ee126248b6037d627ad01a51ec78b1"
        + "880b654f236b15195b7ff850c406bbcd9abc3be56afd94e745c564d3"
}
