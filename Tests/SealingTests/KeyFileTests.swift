import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSealing
import GroundwaveSeededNumbers
import Testing

@Suite struct `A key file` {
    private typealias Samples = KeyFileSamples
    private static let key = SealingTests.Samples.key

    /// Opens a file for the device, as a device does.
    @discardableResult
    private func opened(
        _ bytes: [UInt8], by recipient: RecipientKey = Samples.device
    ) throws(SealingError) -> KeyFile.Contents {
        let file = try KeyFile(reading: bytes)
        return try file.contents(with: try file.epochKey(with: recipient))
    }

    private func refusalOfOpening(_ bytes: [UInt8]) -> SealingError? {
        refusal { () throws(SealingError) in try opened(bytes) }
    }

    private func wraps(of bytes: [UInt8]) -> [[UInt8]] {
        (0..<Int(bytes.span.bytes.uint16(at: 57))).map { Array(bytes[59 + 80 * $0..<139 + 80 * $0]) }
    }

    private func expectSamples(_ contents: KeyFile.Contents) {
        #expect(contents.log == SealingTests.Samples.log && contents.namesKey == [UInt8](0xC0..<0xE0))
        #expect(contents.root.description.hasPrefix("a0a1a2") && contents.recipients == Samples.recipients())
        #expect(Set(contents.formerKeys.map(\.bytes)) == Set(Samples.former.map(\.bytes)))
        #expect(contents.isSigned(by: Samples.phrase.identity.publicKey))
        #expect(contents.isConfirmed(by: Samples.passphraseRecipient))
    }

    @Test func `that another program wrote from the table opens for all its recipients`() throws {
        let file = try KeyFile(reading: try #require(Hexadecimal.decode(Samples.written)))
        for recipient in [
            Samples.device, Samples.phrase.recipient, try file.passphraseKey(Samples.passphrase),
        ] {
            let key = try file.epochKey(with: recipient)
            #expect(key.bytes == Self.key.bytes && key.id == file.epoch)
            expectSamples(try file.contents(with: key))
        }
    }

    @Test func `opens for all its recipients, and for nobody else`() throws {
        let bytes = try Samples.file()
        #expect(bytes.count == Samples.written.count / 2)
        let file = try KeyFile(reading: bytes)
        for recipient in [Samples.device, Samples.phrase.recipient, try file.passphraseKey(Samples.passphrase)] {
            expectSamples(try opened(bytes, by: recipient))
        }
        let strangers = [
            RecipientKey(identity: Identity()),
            try #require(RecoveryPhrase(entropy: .init(repeating: 0, count: 16))).recipient,
            try file.passphraseKey("seven fishes"),
        ]
        for stranger in strangers {
            #expect(refusal { () throws(SealingError) in try opened(bytes, by: stranger) } == .notARecipient)
        }
    }

    @Test(arguments: [(1, 0), (1, 1024), (258, 0), (258, 1024)])
    func `has room for all recipients and former keys`(recipients: Int, former: Int) throws {
        var numbers = SeededGenerator(seed: 5)
        let devices = (0..<recipients - 1).map { _ in
            KeyFile.Recipient(.device, publicKey: RecipientKey(identity: .random(using: &numbers)).publicKey)
        }
        let all = devices + [KeyFile.Recipient(.device, publicKey: Samples.device.publicKey)]
        let keys = (0..<former).map { _ in EpochKey.random(using: &numbers) }
        let bytes = try Samples.file(Samples.contents(all, former: keys))
        #expect(bytes.count <= KeyFile.byteLimit)
        let contents = try opened(bytes)
        #expect(contents.recipients == all && contents.formerKeys.map(\.id) == keys.map(\.id).sorted())
    }

    @Test func `with any byte changed is refused`() throws {
        let bytes = try Samples.file()
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1 << (index % 8)
            #expect(refusalOfOpening(changed) != nil, "byte \(index)")
        }
    }

    @Test func `cut short or made longer is refused`() throws {
        let bytes = try Samples.file()
        for count in 0..<bytes.count { #expect(refusalOfOpening(Array(bytes.prefix(count))) != nil) }
        #expect(refusalOfOpening(bytes + [0]) == .malformed)
        let large = bytes + [UInt8](repeating: 0, count: KeyFile.byteLimit)
        #expect(refusalOfOpening(large) == .wrongSize(large.count))
    }

    @Test func `whose wraps were exchanged is refused`() throws {
        let (one, other) = (try Samples.file(seed: 1), try Samples.file(seed: 2))
        // The other file is of the same epoch, and each wrap in it is a valid one.
        for wrap in 0..<3 {
            var changed = one
            changed.replaceSubrange(59 + 80 * wrap..<139 + 80 * wrap, with: other[59 + 80 * wrap..<139 + 80 * wrap])
            #expect(refusalOfOpening(changed) == .wrongKeyOrChanged)
        }
        var swapped = one
        swapped.replaceSubrange(59..<219, with: one[139..<219] + one[59..<139])
        #expect(refusalOfOpening(swapped) == .wrongKeyOrChanged)
        #expect(refusalOfOpening(Array(one[..<299] + other[299...])) == .wrongKeyOrChanged)
    }

    @Test func `with a wrap of another key than that of its epoch is refused`() throws {
        let bytes = try #require(Hexadecimal.decode(Samples.wrongWrap))
        #expect(refusalOfOpening(bytes) == .malformed)
    }

    @Test func `gives its contents to the key of its epoch only`() throws {
        let file = try KeyFile(reading: try Samples.file())
        let error = refusal { () throws(SealingError) in try file.contents(with: Samples.former[0]) }
        #expect(error == .unknownEpoch(Self.key.id))
    }

    // The points of small order on Curve25519 (cr.yp.to/ecdh.html, "How do I validate Curve25519 public keys?").
    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ])
    func `cannot be for a public key that shares its secret with everybody`(digits: String) throws {
        let publicKey = try #require(Hexadecimal.decode(digits))
        let recipients = Samples.recipients() + [KeyFile.Recipient(.device, publicKey: publicKey)]
        #expect(throws: SealingError.unusableRecipient(3)) { _ = try Samples.file(Samples.contents(recipients)) }
    }

    @Test func `is not opened by a wrap that everybody could open`() throws {
        let wrap = try #require(Hexadecimal.decode(Samples.smallOrderWrap))
        let good = try Samples.file()
        let wraps = wraps(of: good)
        let plain = plain(recipients: Samples.recipients().map { ($0.kind.rawValue, $0.publicKey) }, former: [])
        #expect(refusalOfOpening(Samples.handMade(wraps: wraps, plain: plain)) == nil)
        #expect(
            refusalOfOpening(Samples.handMade(wraps: [wraps[0], wraps[1], wrap], plain: plain)) == .notARecipient)
    }

    @Test(arguments: UInt8.min...UInt8.max)
    func `that asks for other parameters of scrypt is refused before any work`(log2N: UInt8) throws {
        var bytes = try Samples.file()
        bytes[24] = log2N
        let times = (0..<5).map { _ in
            ContinuousClock().measure {
                let error = refusal { () throws(SealingError) in try KeyFile(reading: bytes) }
                #expect(error == ((15...18).contains(log2N) ? nil : .unacceptableParameters))
            }
        }
        #expect(try #require(times.min()) < .milliseconds(1))
    }

    /// The bytes of the contents, by their table.
    private func plain(recipients: [(UInt8, [UInt8])], former: [(EpochID, [UInt8])], rest: [UInt8] = []) -> [UInt8] {
        var bytes = SealingTests.Samples.log.bytes + [UInt8](0xA0..<0xE0)
        bytes += Samples.proofs.signature + Samples.proofs.mac
        bytes += [UInt8(recipients.count), 0] + recipients.flatMap { [$0.0] + $0.1 }
        bytes += [UInt8(former.count & 255), UInt8(former.count >> 8)] + former.flatMap { $0.0.bytes + $0.1 }
        return bytes + rest
    }

    @Test func `with contents that break a rule is refused, also by those who have its key`() throws {
        let good = try Samples.file()
        let wraps = wraps(of: good)
        let recipients = Samples.recipients().map { ($0.kind.rawValue, $0.publicKey) }
        let former = Samples.former.map { ($0.id, $0.bytes) }.sorted { $0.0 < $1.0 }
        func error(_ plain: [UInt8], wraps: [[UInt8]]) -> SealingError? {
            refusalOfOpening(Samples.handMade(wraps: wraps, plain: plain))
        }
        #expect(error(plain(recipients: recipients, former: former), wraps: wraps) == nil)
        // Another number of wraps than of recipients.
        #expect(error(plain(recipients: Array(recipients.dropLast()), former: former), wraps: wraps) == .malformed)
        #expect(error(plain(recipients: recipients, former: former), wraps: wraps + [wraps[0]]) == .malformed)
        // Kinds that there are not.
        for kind: UInt8 in [0, 4, 255] {
            let others = [(kind, recipients[0].1)] + recipients.dropFirst()
            #expect(error(plain(recipients: others, former: former), wraps: wraps) == .malformed)
        }
        // Former keys: in another order, twice, with the id of another, the key of the file itself, too many.
        let many = (0..<1025).map {
            SealingTests.Samples.epochKey(
                [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] + .init(repeating: 9, count: 30))
        }
        for wrong in [
            former.reversed(), [former[0], former[0]], [(former[0].0, former[1].1)], [(Self.key.id, Self.key.bytes)],
            many.map { ($0.id, $0.bytes) }.sorted { $0.0 < $1.0 },
        ] {
            #expect(error(plain(recipients: recipients, former: wrong), wraps: wraps) == .malformed)
        }
        #expect(error(plain(recipients: recipients, former: former, rest: [0]), wraps: wraps) == .malformed)
        let cut = plain(recipients: recipients, former: former).dropLast()
        #expect(error(Array(cut), wraps: wraps) == .malformed)
    }

    @Test func `says too many or no recipients is refused`() throws {
        for count: UInt16 in [0, 259, .max] {
            var bytes = try Samples.file()
            bytes.replaceSubrange(57..<59, with: [UInt8(truncatingIfNeeded: count), UInt8(count >> 8)])
            #expect(refusalOfOpening(bytes) == .malformed)
        }
    }

    @Test func `shows no key in texts`() throws {
        let contents = Samples.contents()
        for text in Secrets.texts(of: contents) {
            for secret in [contents.namesKey] + Samples.former.map(\.bytes) { #expect(!Secrets.shows(text, secret)) }
        }
    }
}
