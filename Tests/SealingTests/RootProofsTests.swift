import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSealing
import GroundwaveSeededNumbers
import Testing

@Suite struct `What a device that joins believes a key file by` {
    private typealias Samples = KeyFileSamples
    private let signer = Samples.phrase.identity.publicKey

    // Computed with Python's cryptography, from the tables.
    private static let signature =
        "d6c9806ead54875e3abec84bdb62dbce9f59db4ab12cdd8e1ea4e88cc678fde7ef7617ed115a2df72741ab4bf03d538e2af2da189ba48b"
        + "84d562558671799301"
    private static let mac = "82fa3d812381277c1f022da39cd4442811a1ddcd8bc7250e44667ffa6496c4dd"

    /// Whether whoever has the phrase, and whoever has the passphrase, believes the contents.
    private func isBelieved(_ contents: KeyFile.Contents) -> [Bool] {
        [contents.isSigned(by: signer), contents.isConfirmed(by: Samples.passphraseRecipient)]
    }

    @Test func `is what another program computes from the tables`() throws {
        #expect(Hexadecimal.encode(Samples.proofs.mac) == Self.mac)
        // A signature of Ed25519 may have random bits in it, where the system makes it so.
        let computed = RootProofs(
            signature: try #require(Hexadecimal.decode(Self.signature)), mac: Samples.proofs.mac)
        #expect(isBelieved(Samples.contents(proofs: computed)) == [true, true])
        #expect(isBelieved(Samples.contents()) == [true, true])
    }

    @Test func `is of this log, this root and this key of names`() throws {
        var numbers = SeededGenerator(seed: 1)
        for _ in 0..<20 {
            let other = numbers.bytes(32)
            #expect(isBelieved(Samples.contents(log: LogID(Array(other[..<16])))) == [false, false])
            #expect(isBelieved(Samples.contents(root: Hash256(at: 0, of: other.span.bytes))) == [false, false])
            #expect(isBelieved(Samples.contents(namesKey: other)) == [false, false])
        }
        // Recipients and former keys change with each epoch: whoever begins one copies the proofs.
        let device = Samples.recipients()[2]
        #expect(isBelieved(Samples.contents([device], former: [])) == [true, true])
    }

    @Test func `is no signature or MAC of which a bit was changed`() {
        let proofs = Samples.proofs
        for bit in 0..<64 * 8 {
            var signature = proofs.signature
            signature[bit / 8] ^= 1 << (bit % 8)
            let changed = RootProofs(signature: signature, mac: proofs.mac)
            #expect(isBelieved(Samples.contents(proofs: changed)) == [false, true], "bit \(bit) of the signature")
        }
        for bit in 0..<32 * 8 {
            var mac = proofs.mac
            mac[bit / 8] ^= 1 << (bit % 8)
            let changed = RootProofs(signature: proofs.signature, mac: mac)
            #expect(isBelieved(Samples.contents(proofs: changed)) == [true, false], "bit \(bit) of the MAC")
        }
        let zeros = RootProofs(signature: .init(repeating: 0, count: 64), mac: .init(repeating: 0, count: 32))
        #expect(isBelieved(Samples.contents(proofs: zeros)) == [false, false])
    }

    @Test func `is of nobody but the phrase and the passphrase of the log`() throws {
        let contents = Samples.contents()
        let other = try #require(RecoveryPhrase(entropy: .init(repeating: 1, count: 16)))
        for key in [other.identity.publicKey, Samples.phrase.recipient.publicKey, Samples.device.publicKey, []] {
            #expect(!contents.isSigned(by: key))
        }
        let parameters = try ScryptParameters(log2N: 15, salt: Samples.salt)
        for key in [
            try RecipientKey(passphrase: "seven fishes", parameters: parameters), Samples.device,
            Samples.phrase.recipient,
        ] {
            #expect(!contents.isConfirmed(by: key))
        }
        // A device that has all keys of the log, and none of the two, makes them for another root.
        let root = Hash256(at: 0, of: [UInt8](0..<32).span.bytes)
        let forged = RootProofs(
            of: contents.log, root, namesKey: contents.namesKey, phrase: other, passphrase: Samples.device)
        #expect(isBelieved(Samples.contents(root: root, proofs: forged)) == [false, false])
    }

    @Test func `is had for another passphrase, and the signature stays`() throws {
        let parameters = try ScryptParameters(log2N: 15, salt: [UInt8](0..<32))
        let another = try RecipientKey(passphrase: "another one", parameters: parameters)
        let proofs = Samples.contents().proofs(for: another)
        let changed = Samples.contents(proofs: proofs)
        #expect(proofs.signature == Samples.proofs.signature && isBelieved(changed) == [true, false])
        #expect(changed.isConfirmed(by: another))
    }
}
