import GroundwaveByteCoding
import GroundwaveSecureStreams
import Testing

@Suite struct `A Noise handshake` {
    private let ephemerals = (
        initiator: bytes("893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a"),
        responder: bytes("bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b")
    )

    private func ends(secret: String, prologue: String) -> (NoiseHandshake, NoiseHandshake) {
        (
            NoiseHandshake(
                as: .initiator, psk: Array(secret.utf8), prologue: Array(prologue.utf8),
                ephemeralSecret: ephemerals.initiator),
            NoiseHandshake(
                as: .responder, psk: Array(secret.utf8), prologue: Array(prologue.utf8),
                ephemeralSecret: ephemerals.responder)
        )
    }

    // From vectors/cacophony.txt of the Noise library Cacophony: Noise_NNpsk0_25519_ChaChaPoly_SHA256.
    @Test func `has the bytes of the published test vector`() {
        var (initiator, responder) = ends(secret: "This is my Austrian perspective!", prologue: "John Galt")
        let first = initiator.message(Array("Ludwig von Mises".utf8))
        #expect(
            first
                == bytes(
                    "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944"
                        + "79b962b8aff8485742ac32f905ba45369e2465fb59e138a93d67a0d1266b6a54"))
        #expect(responder.read(first) == Array("Ludwig von Mises".utf8))
        let second = responder.message(Array("Murray Rothbard".utf8))
        #expect(
            second
                == bytes(
                    "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843"
                        + "d6062704d5a9c422a8e834423f8c1feada7e8d0d910a1a2cd030fb584221e3"))
        #expect(initiator.read(second) == Array("Murray Rothbard".utf8))
        #expect(initiator.hash == bytes("f4d03dc34495c95729ea6de9e1b59004b59733102488b3e24bc441e0be208eaf"))
        #expect(initiator.hash == responder.hash)
        var (one, other) = (initiator.ciphers(), responder.ciphers())
        for (index, (plain, sealed)) in [
            ("F. A. Hayek", "e632c3763d7669067383433197a3baddf146e9e70ad4b4e9e59e0f"),
            ("Carl Menger", "64c6bee32ea91c8474bb4c21d7a700109ad45af77b29764ba5eb1e"),
            ("Jean-Baptiste Say", "e2fa0bed0603b62d3ccac2ecabbf3fe33f3e86514909b323361626266cb2471cc8"),
            ("Eugen Böhm von Bawerk", "0c01dc9cec1fe4ddd692e8dd32188aa351088dc91183639a53b57aa4692b5ebdef8b8ca111"),
        ].enumerated() {
            // The vector has the o with dots as one byte in Latin 1.
            let plain = plain.unicodeScalars.map { UInt8($0.value) }
            if index % 2 == 0 {
                #expect(one.sending.seal(plain) == bytes(sealed))
                #expect(other.receiving.open(bytes(sealed)) == plain)
            } else {
                #expect(other.sending.seal(plain) == bytes(sealed))
                #expect(one.receiving.open(bytes(sealed)) == plain)
            }
        }
    }

    @Test func `ends with another secret, another prologue, or any changed bit of its messages`() {
        func isRead(_ first: [UInt8], secret: String = "This is my Austrian perspective!", prologue: String = "P")
            -> Bool
        {
            var (_, responder) = ends(secret: secret, prologue: prologue)
            return responder.read(first) != nil
        }
        var (initiator, _) = ends(secret: "This is my Austrian perspective!", prologue: "P")
        let first = initiator.message()
        #expect(first.count == NoiseHandshake.messageSize)
        #expect(isRead(first))
        #expect(!isRead(first, secret: "This is my Australian perspectiv"))
        #expect(!isRead(first, prologue: "Q"))
        for bit in 0..<8 * first.count {
            var changed = first
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!isRead(changed))
        }
        for count in 0..<first.count { #expect(!isRead(Array(first[..<count]))) }
        #expect(!isRead(first + [0]))
    }

    @Test func `refuses public keys with which every shared secret is the same`() {
        // RFC 7748, section 6.1; the points of small order: 0, 1 and p - 1.
        for key in [
            [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
            [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        ] {
            var (_, responder) = ends(secret: "This is my Austrian perspective!", prologue: "")
            #expect(responder.read(key + [UInt8](repeating: 0, count: 16)) == nil)
        }
    }

    @Test func `opens messages in their order, each once, and none that is shorter than a tag`() {
        var (sealing, opening) = (NoiseCipher(key: Array(0..<32)), NoiseCipher(key: Array(0..<32)))
        let messages = (0..<3).map { sealing.seal([UInt8($0)]) }
        #expect(opening.open(messages[1]) == nil)
        #expect(opening.open(messages[0]) == [0])
        #expect(opening.open(messages[0]) == nil)
        #expect(opening.open(messages[1].dropLast()) == nil)
        #expect(opening.open(messages[1]) == [1])
        #expect(opening.open(messages[2], covering: [1]) == nil)
        #expect(opening.open(messages[2]) == [2])
        #expect(opening.open([]) == nil)
    }
}

private func bytes(_ text: String) -> [UInt8] { Hexadecimal.decode(text) ?? [] }
