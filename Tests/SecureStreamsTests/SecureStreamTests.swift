import GroundwaveByteCoding
import GroundwaveEvents
import GroundwavePeering
import GroundwaveSecureStreams
import GroundwaveSeededNumbers
import GroundwaveTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A secure stream` {
    private let devices = TwoDevices()

    @Test func `carries a mebibyte both ways, in pieces of any size, and says where it ends`() async throws {
        let (left, right) = MemoryStream.pair()
        let (one, other) = await devices.open(left, right)
        let (portable, shack) = (try one.get(), try other.get())
        #expect(portable.peer == devices.shack.replica)
        #expect(shack.peer == devices.portable.replica)
        var numbers = SeededGenerator(seed: 1)
        let (there, back) = (numbers.bytes(1 << 20), numbers.bytes(1 << 20))
        async let sentThere: Void = send(there, over: portable, upTo: 150_001, seed: 2)
        async let sentBack: Void = send(back, over: shack, upTo: 977, seed: 3)
        async let arrivedThere = shack.read(there.count)
        async let arrivedBack = portable.read(back.count) { 7 }
        #expect(try await arrivedThere == there)
        #expect(try await arrivedBack == back)
        _ = try await (sentThere, sentBack)
        await portable.close()
        let rest = await shack.readAll()
        #expect(rest.bytes.isEmpty && rest.failure == nil)
        #expect(try await shack.read(upTo: 1) == nil)
        await shack.close()
    }

    @Test(arguments: UInt64(1)...60)
    func `carries what was written, however it is split, and wants no more than a record at once`(
        seed: UInt64
    ) async throws {
        var numbers = SeededGenerator(seed: seed)
        let (left, right) = MemoryStream.pair(capacity: Int.random(in: 1...3000, using: &numbers))
        let input = MeddledStream(right)
        let (one, other) = await devices.open(left, input)
        let (portable, shack) = (try one.get(), try other.get())
        let isLarge = seed % 4 == 0
        let plain = numbers.bytes(Int.random(in: 0...(isLarge ? 200_000 : 5000), using: &numbers))
        let greatest = isLarge ? 100_000 : Int.random(in: 1...900, using: &numbers)
        async let sent: Void = {
            try await send(plain, over: portable, upTo: greatest, seed: seed)
            await portable.close()
        }()
        var arrived: [UInt8] = []
        while let part = try await shack.read(upTo: Int.random(in: 1...greatest, using: &numbers)) {
            #expect(!part.isEmpty)
            arrived += part
        }
        try await sent
        #expect(arrived == plain)
        #expect(input.greatestLimit <= 65_535)
    }

    @Test func `gives a stranger no byte, whatever the stranger sends`() async throws {
        var numbers = SeededGenerator(seed: 4)
        for count in [0, 1, 47, 48, 49, 200] {
            let (stranger, right) = MemoryStream.pair()
            let answers = MeddledStream(right)
            async let opened = devices.open(answers, as: .responder)
            try await stranger.write(numbers.bytes(count))
            if count < 48 { await stranger.close() }
            #expect(await opened.failure == (count < 48 ? .cut : .stranger))
            #expect(answers.writes.isEmpty)
            #expect(answers.received.count == min(count, 48))
            #expect(await stranger.readAll().bytes.isEmpty)
        }
    }

    @Test func `gives whoever has another secret no byte, and shows that one nothing but a key and a tag`() async throws
    {
        let (left, right) = MemoryStream.pair()
        let (asked, answers) = (MeddledStream(left), MeddledStream(right))
        async let one = devices.open(asked, as: .initiator, secret: [UInt8](1...32))
        async let other = devices.open(answers, as: .responder)
        #expect(await one.failure == .turnedAway)
        #expect(await other.failure == .stranger)
        #expect(answers.writes.isEmpty)
        #expect(asked.writes.map(\.count) == [48])
    }

    @Test func `begins with other bytes each time`() async throws {
        var firsts: [[UInt8]] = []
        for _ in 0..<20 {
            let (left, right) = MemoryStream.pair()
            let (asked, answers) = (MeddledStream(left), MeddledStream(right))
            _ = await devices.open(asked, answers)
            firsts += asked.writes + answers.writes
        }
        // No four bytes at one place are the same twice, by chance in one of a hundred thousand runs.
        for offset in stride(from: 0, to: 48, by: 4) {
            #expect(Set(firsts.map { Array($0[offset..<offset + 4]) }).count == 80)
        }
    }

    @Test func `is not opened for a device that has proved to be no member`() async throws {
        let stranger = Identity()
        let (left, right) = MemoryStream.pair()
        async let one = devices.open(left, as: .initiator, identity: stranger)
        async let other = devices.open(right, as: .responder)
        #expect(await other.failure == .notMember(stranger.replica))
        // It has seen who the other one is, and nothing else.
        let opened = try await one.get()
        #expect(await opened.readAll().failure as? ConnectionError == .turnedAway)

        let (nextLeft, nextRight) = MemoryStream.pair()
        let asked = MeddledStream(nextLeft)
        async let next = devices.open(asked, as: .initiator)
        async let nextOther = devices.open(nextRight, as: .responder, identity: stranger)
        #expect(await next.failure == .notMember(stranger.replica))
        #expect(await nextOther.failure == .cut)
        // The member has not shown who it is.
        #expect(asked.writes.map(\.count) == [48])
    }

    @Test func `cannot be opened with one's own bytes, or with one's own proof`() async throws {
        let (left, right) = MemoryStream.pair()
        async let mirrored = devices.open(left, as: .initiator)
        let first = try await right.read(48)
        try await right.write(first)
        #expect(await mirrored.failure == .stranger)

        // Whoever has the secret, and no identity of a member, sends the responder's proof back to it.
        let answer = try await answer { proof, _ in proof }
        #expect(answer == .unproven)
    }

    @Test func `cannot be opened with a proof for another connection, or another role, or with half a proof`()
        async throws
    {
        let (portable, text) = (devices.portable, Array("groundwave connection".utf8))
        func proof(_ signed: [UInt8]) -> [UInt8] { portable.publicKey + portable.sign(signed) }
        #expect(try await answer { _, hash in proof(text + [1] + hash) } == nil)
        #expect(try await answer { _, hash in proof(text + [2] + hash) } == .unproven)
        #expect(try await answer { _, hash in proof(text + [1] + [hash[0] ^ 1] + hash.dropFirst()) } == .unproven)
        #expect(try await answer { _, hash in proof(text + [1] + hash).dropLast() } == .unproven)
        #expect(try await answer { _, hash in proof(text + [1] + hash) + [0] } == .tampered)
        #expect(try await answer { _, _ in [] } == .unproven)
        // A member's key with the signature of another one.
        let other = Identity()
        #expect(
            try await answer { _, hash in portable.publicKey + other.sign(text + [1] + hash) } == .unproven)
        #expect(
            try await answer { _, hash in other.publicKey + other.sign(text + [1] + hash) } == .notMember(other.replica)
        )
    }

    @Test func `answers a first message that is sent again, and goes no further`() async throws {
        let (left, right) = MemoryStream.pair()
        let asked = MeddledStream(left)
        let (one, _) = await devices.open(asked, right)
        try await one.get().write(Array("CQ CQ DE YO3ABC".utf8))

        let (replaying, next) = MemoryStream.pair()
        let answers = MeddledStream(next)
        async let opened = devices.open(answers, as: .responder)
        for write in asked.writes { try await replaying.write(write) }
        #expect(await opened.failure == .tampered)
        #expect(answers.writes.map(\.count) == [48, 130])
    }

    @Test func `shows none of what it carries to whoever records it`() async throws {
        let (left, right) = MemoryStream.pair()
        let (asked, answers) = (MeddledStream(left), MeddledStream(right))
        let (one, other) = await devices.open(asked, answers)
        let (portable, shack) = (try one.get(), try other.get())
        var canaries = (1...50).map { Array("canary \($0) of YO3ABC".utf8) }
        for canary in canaries {
            try await portable.write(canary)
            try await shack.write(canary)
        }
        await portable.close()
        await shack.close()
        for identity in [devices.portable, devices.shack] {
            canaries += [identity.publicKey, identity.secret, identity.replica.bytes]
        }
        canaries += [devices.secret, Array("groundwave".utf8), Array("canary".utf8)]
        for recorded in [asked.writes, answers.writes].map({ Array($0.joined()) }) {
            #expect(recorded.count > 50 * 50)
            for canary in canaries { #expect(!contains(recorded, canary)) }
        }
    }

    @Test func `shows no secret in its description, its mirror or a dump`() async throws {
        let (left, right) = MemoryStream.pair()
        let (one, _) = await devices.open(left, right)
        let stream = try one.get()
        let handshake = NoiseHandshake(as: .initiator, psk: devices.secret, prologue: [])
        let cipher = NoiseCipher(key: devices.secret)
        for value: Any in [stream, handshake, cipher, RecordSealer(cipher), RecordOpener(cipher)] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(Mirror(reflecting: value).children.isEmpty)
            #expect("\(value)" == "\(type(of: value))")
            #expect(String(reflecting: value) == "\(type(of: value))")
            #expect(dumped.split(separator: "\n").count == 1)
        }
    }

    @Test func `has the bytes of another program`() async throws {
        // Made by noiseprotocol 0.3.1 and cryptography 48.0.0, for Python.
        let ephemeral = (initiator: [UInt8](64..<96), responder: [UInt8](96..<128))
        let initiator = [
            "79a631eede1bf9c98f12032cdeadd0e7a079398fc786b88cc846ec89af85a51aef7dd2e0c0105bd556c153e5c93b7303",
            "da84a3db6983423480168252179009bd917b9c1a54765852bbd6a550e19eb6dad18d5eb5bfc854e8c8322e23d550aaa9"
                + "51448743dd9833684cafc45d214d4be469b1bfae50b704c9f699404100f16a1c196eb1b33b86ccb212125a25aa7c170e"
                + "c6fab8838e37b9db259d39a49616decb2ac86c1ba5c4d3d876da26aac50813de243c",
            "74c426d855b35ea7388e228e1085c0b4895b0a7e9027d4c3cbf258414ba5f7f8383f4f3189e84fead8e774a48ae9271542",
            "e11579b9358b750b75f078c5771b44038468",
        ]
        let responder = [
            "675dd574ed7789310b3d2e7681f3790b466c773b1521fecf36577958371ea52f77c8995daf03062789fa7d079ecc8e6b",
            "16d99105ada25ab74570b8dce5d15a08a411c853d7a98cdae68d36ccd003f66c565983344010a594b4be5a1bb4294c67"
                + "024fd1e9c1e9570e1d991cf5212a0182c4293d14800fe5362e027854aed6e2a08f8d4827c694650c738baa346c1ced60"
                + "2b73200ba9dcc2d02415bc6b3020c157445ce38b5fae1511045e2968c0c899276a93",
            "f66550c266d57b01fa00512035a285f2d00e44ae771da93b7b8a991dc24091e9dca28405b8b1b5649fec6fbcd6c021bd7e47",
            "16c123046aa4ec8fa4586e2e0fdc77218c07",
        ]
        let (left, right) = MemoryStream.pair()
        for text in responder { try await right.write(Hexadecimal.decode(text) ?? []) }
        let asked = MeddledStream(left)
        let portable = try await SecureStream.opened(
            over: asked, as: .initiator, secret: devices.secret, identity: devices.portable,
            ephemeralSecret: ephemeral.initiator
        ) { $0 == devices.shack.publicKey && $1 == devices.shack.replica }
        #expect(await portable.readAll().bytes == Array("YO3ABC DE DL1ABC".utf8))
        // An Ed25519 signature may be another one each time, so the proof of this program need not be that of the other.
        try await portable.write(Array("CQ CQ DE YO3ABC".utf8))
        let sent = asked.writes.map(Hexadecimal.encode)
        #expect(sent.count == 3 && sent[0] == initiator[0] && sent[2] == initiator[2])

        let (nextLeft, nextRight) = MemoryStream.pair()
        for text in initiator { try await nextLeft.write(Hexadecimal.decode(text) ?? []) }
        let answers = MeddledStream(nextRight)
        let shack = try await SecureStream.opened(
            over: answers, as: .responder, secret: devices.secret, identity: devices.shack,
            ephemeralSecret: ephemeral.responder
        ) { $0 == devices.portable.publicKey && $1 == devices.portable.replica }
        let heard = await shack.readAll()
        #expect(heard.bytes == Array("CQ CQ DE YO3ABC".utf8) && heard.failure == nil)
        #expect(Hexadecimal.encode(answers.writes[0]) == responder[0])
    }

    @Test func `cannot be opened through somebody between, who knows the secret and passes the proofs on`() async throws
    {
        let ((left, toPortable), (toShack, right)) = (MemoryStream.pair(), MemoryStream.pair())
        async let portable = devices.open(left, as: .initiator)
        async let shack = devices.open(right, as: .responder)
        var fromShack = try await Insider(as: .initiator, over: toShack, secret: devices.secret)
        var toInitiator = try await Insider(as: .responder, over: toPortable, secret: devices.secret)
        try await toInitiator.write(try await fromShack.read())
        #expect(await portable.failure == .unproven)
        await toShack.close()
        #expect(await shack.failure == .cut)
    }

    /// Has somebody who knows the secret answer the responder's proof, and returns why the responder refuses that one; `nil`
    /// if it does not.
    private func answer(
        _ proof: (_ received: [UInt8], _ hash: [UInt8]) -> [UInt8]
    ) async throws -> ConnectionError? {
        let (left, right) = MemoryStream.pair()
        async let opened = devices.open(right, as: .responder)
        var insider = try await Insider(as: .initiator, over: left, secret: devices.secret)
        try await insider.write(proof(try await insider.read(), insider.hash))
        return await opened.failure
    }
}

/// Somebody who knows the secret of the log, and sends what no store sends.
private struct Insider {
    let hash: [UInt8]
    private let stream: MemoryStream
    private var sealer: RecordSealer
    private var opener: RecordOpener

    /// Exchanges the messages of the handshake.
    init(as role: SecureStream.Role, over stream: MemoryStream, secret: [UInt8]) async throws {
        var handshake = NoiseHandshake(
            as: role, psk: SecureStream.preSharedKey(of: secret), prologue: SecureStream.prologue)
        if role == .initiator { try await stream.write(handshake.message()) }
        #expect(handshake.read(try await stream.read(NoiseHandshake.messageSize)) != nil)
        if role == .responder { try await stream.write(handshake.message()) }
        let (sending, receiving) = handshake.ciphers()
        (self.stream, hash) = (stream, handshake.hash)
        (sealer, opener) = (RecordSealer(sending), RecordOpener(receiving))
    }

    mutating func read() async throws -> [UInt8] {
        while true {
            if let body = try opener.add(try await stream.read(opener.missingCount)) { return body }
        }
    }

    mutating func write(_ body: [UInt8]) async throws { try await stream.write(sealer.record(body)) }
}

/// Writes `bytes` in pieces of 1 to `limit` bytes.
private func send(_ bytes: [UInt8], over stream: SecureStream, upTo limit: Int, seed: UInt64) async throws {
    var numbers = SeededGenerator(seed: seed)
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = Int.random(in: 1...limit, using: &numbers)
        try await stream.write(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
    }
}

private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.dropLast(part.count - 1).contains { bytes[$0...].starts(with: part) }
}
