import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveSealing

@Suite struct `A recovery phrase` {
    private func phrase(_ digits: String) throws -> RecoveryPhrase {
        let bytes = try #require(Hexadecimal.decode(digits))
        return try #require(RecoveryPhrase(entropy: bytes))
    }

    // From the test vectors of BIP-39 (github.com/trezor/python-mnemonic, vectors.json).
    static let published = [
        (
            "00000000000000000000000000000000",
            "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
        ),
        (
            "7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f",
            "legal winner thank year wave sausage worth useful legal winner thank yellow"
        ),
        (
            "80808080808080808080808080808080",
            "letter advice cage absurd amount doctor acoustic avoid letter advice cage above"
        ),
        ("ffffffffffffffffffffffffffffffff", "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong"),
        (
            "9e885d952ad362caeb4efe34a8e91bd2",
            "ozone drill grab fiber curtain grace pudding thank cruise elder eight picnic"
        ),
        (
            "c0ba5a8e914111210f2bd131f3d5e08d",
            "scheme spot photo card baby mountain device kick cradle pact join borrow"
        ),
        (
            "23db8160a31d3e0dca3688ed941adbf3",
            "cat swing flag economy stadium alone churn speed unique patch report train"
        ),
        (
            "f30f8c1da665478f49b001d94c5fc452",
            "vessel ladder alter error federal sibling chat ability sun glass valve picture"
        ),
    ]

    @Test(arguments: published)
    func `has the words that BIP-39 says, and is read from them`(digits: String, words: String) throws {
        let phrase = try phrase(digits)
        #expect(phrase.words.joined(separator: " ") == words)
        #expect(try RecoveryPhrase(reading: words).recipient.publicKey == phrase.recipient.publicKey)
    }

    @Test func `has its words from the list of BIP-39`() {
        let text = RecoveryWords.all.map { $0 + "\n" }.joined()
        let hash = Array(text.utf8).withSpan { Hash256(hashing: $0) }
        #expect(hash.description == "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda")
        #expect(Set(RecoveryWords.all.map { $0.prefix(4) }).count == 2048)
    }

    @Test(arguments: [
        "LEGAL Winner thank year wave sausage worth useful legal winner thank yellow",
        "  legal\twinner\nthank\r\nyear \u{A0} wave sausage worth useful legal winner thank yellow\n",
        "legal-winner-thank-year-wave-sausage-worth-useful-legal-winner-thank-yellow",
        "legal \u{2010} winner\u{2011}thank - year wave sausage worth useful legal winner thank yellow",
        "lega winn than year wave saus wort usef lega winn than yell",
        "Lega Winner Than year wave saus worth usef legal winn thank Yell",
    ])
    func `is read however it was typed`(text: String) throws {
        #expect(try RecoveryPhrase(reading: text).words.first == "legal")
        #expect(try RecoveryPhrase(reading: text).identity.publicKey == KeyFileSamples.phrase.identity.publicKey)
    }

    @Test func `has twelve words`() {
        for count in [0, 1, 11, 13, 24] {
            let text = [String](repeating: "abandon", count: count).joined(separator: " ")
            #expect(refusal { () throws(SealingError) in try RecoveryPhrase(reading: text) } == .wrongWordCount(count))
        }
    }

    @Test(arguments: ["abandom", "abando", "abandonn", "aba", "abanx", "zzz", "über", "0", "abandon."])
    func `has no words that are not in the list, and the error does not say them`(word: String) {
        for position in 1...12 {
            var words = [String](repeating: "abandon", count: 12)
            words[position - 1] = word
            let error = refusal { () throws(SealingError) in
                try RecoveryPhrase(reading: words.joined(separator: " "))
            }
            #expect(error == .unknownWord(position: position))
            #expect(!"\(SealingError.unknownWord(position: position))".contains("abando"))
        }
    }

    @Test func `with words that do not belong together is refused`() {
        let last = RecoveryWords.all.filter { word in
            let text = [String](repeating: "abandon", count: 11).joined(separator: " ") + " \(word)"
            let error = refusal { () throws(SealingError) in try RecoveryPhrase(reading: text) }
            #expect(error == nil || error == .wrongChecksum)
            return error == nil
        }
        // 7 of the last word's 11 bits are free.
        #expect(last.count == 128 && last.contains("about") && !last.contains("abandon"))
        let swapped = "winner legal thank year wave sausage worth useful legal winner thank yellow"
        #expect(refusal { () throws(SealingError) in try RecoveryPhrase(reading: swapped) } == .wrongChecksum)
    }

    @Test(arguments: UInt64(1)...50)
    func `is read from its words, whole or cut`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let phrase = RecoveryPhrase.random(using: &numbers)
        #expect(try RecoveryPhrase(reading: phrase.words.joined(separator: " ")).words == phrase.words)
        let cut = phrase.words.map { $0.prefix(4) }.joined(separator: "-")
        #expect(try RecoveryPhrase(reading: cut).recipient.publicKey == phrase.recipient.publicKey)
    }

    @Test func `stands for an identity and a recipient, which a program of its own derives too`() {
        #expect(
            Hexadecimal.encode(KeyFileSamples.phrase.recipient.publicKey)
                == "4048770ee74a22599d2ac3a4143e69a4521d054d73c6c7399a29e004c39da422")
        #expect(
            Hexadecimal.encode(KeyFileSamples.phrase.identity.publicKey)
                == "8722c539907d1aa0dcec7c19b5c43063847be7552a297b72ad453c72770605e8")
    }

    @Test func `is of 16 bytes and made of all the randomness that it is given`() throws {
        #expect([0, 15, 17, 32].allSatisfy { RecoveryPhrase(entropy: .init(repeating: 0, count: $0)) == nil })
        var bytes = CountedBytes(from: 0)
        #expect(RecoveryPhrase.random(using: &bytes).words == (try phrase("000102030405060708090a0b0c0d0e0f")).words)
    }

    @Test func `shows in no text`() throws {
        let phrase = try phrase("000102030405060708090a0b0c0d0e0f")
        for text in Secrets.texts(of: phrase) {
            #expect(!Secrets.shows(text, [UInt8](0..<16)) && !phrase.words.contains { text.contains($0) }, "\(text)")
        }
    }
}

@Suite struct `The fingerprint of a device` {
    @Test func `is six words of the hash of its public key`() {
        #expect("\(Fingerprint(of: Samples.keyBytes))" == "hazard essay vote almost twelve zone")
    }

    @Test func `is another one with any bit of the key changed`() {
        var all: Set<Fingerprint> = [Fingerprint(of: Samples.keyBytes)]
        for bit in 0..<256 {
            var key = Samples.keyBytes
            key[bit / 8] ^= 1 << (bit % 8)
            all.insert(Fingerprint(of: key))
        }
        #expect(all.count == 257 && all.allSatisfy { $0.words.count == 6 })
    }
}
