import GroundwavePeering
import GroundwaveSecureStreams
import GroundwaveTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A secure stream that is tampered with` {
    private let devices = TwoDevices()
    /// What each end has to say, in records of its own.
    private let words = ["CQ CQ", "DE YO3ABC", "599 001", "TU 73"].map { Array($0.utf8) }

    /// What one end has got.
    private struct Outcome {
        /// Why it was not opened.
        var refusal: ConnectionError?
        /// What it has read.
        var bytes: [UInt8] = []
        /// Why it has read no more; `nil` if the other end has closed the stream.
        var failure: ConnectionError?
    }

    /// Has both ends say all words and close, with what `role` writes changed on the way; returns what the other end has
    /// got.
    private func outcome(
        changing role: SecureStream.Role, _ meddling: @escaping MeddledStream.Meddling
    ) async -> Outcome {
        let (left, right) = MemoryStream.pair()
        let portable: any ByteStream = role == .initiator ? MeddledStream(left, meddling: meddling) : left
        let shack: any ByteStream = role == .responder ? MeddledStream(right, meddling: meddling) : right
        let opened = await devices.open(portable, shack)
        let (sender, receiver) = role == .initiator ? (opened.portable, opened.shack) : (opened.shack, opened.portable)
        if let sender = try? sender.get() {
            for word in words { try? await sender.write(word) }
            await sender.close()
        }
        var outcome = Outcome(refusal: receiver.failure)
        guard let receiver = try? receiver.get() else { return outcome }
        let (bytes, failure) = await receiver.readAll()
        (outcome.bytes, outcome.failure) = (bytes, failure as? ConnectionError)
        #expect((failure == nil) == (outcome.failure == nil))
        // It stays so.
        #expect(await receiver.readAll().failure as? ConnectionError == outcome.failure)
        await receiver.close()
        return outcome
    }

    /// The bytes of message, proof, words and end.
    private var byteCount: Int { 48 + 130 + words.reduce(0) { $0 + $1.count + 34 } + 18 }

    @Test(arguments: [SecureStream.Role.initiator, .responder])
    func `is whole if nothing is changed`(role: SecureStream.Role) async {
        let counted = Mutex(0)
        let outcome = await outcome(changing: role) { _, _, bytes in
            counted.withLock { $0 += bytes.count }
            return bytes
        }
        #expect(outcome.refusal == nil && outcome.failure == nil && outcome.bytes == Array(words.joined()))
        #expect(counted.withLock { $0 } == byteCount)
    }

    @Test(arguments: [SecureStream.Role.initiator, .responder])
    func `is refused where any byte was changed, and gives nothing but what was before`(
        role: SecureStream.Role
    ) async {
        for place in 0..<byteCount {
            let outcome = await outcome(changing: role) { _, offset, bytes in
                var changed = bytes
                if bytes.indices.contains(place - offset) { changed[place - offset] ^= 1 << (place % 8) }
                return changed
            }
            #expect(outcome.refusal == (place < 48 ? .stranger : place < 178 ? .tampered : nil))
            #expect(outcome.failure == (place < 178 ? nil : .tampered))
            #expect(outcome.bytes == wordsBefore(place))
        }
    }

    @Test(arguments: [SecureStream.Role.initiator, .responder])
    func `is told from one that was closed, wherever it is cut`(role: SecureStream.Role) async {
        for place in 178...byteCount {
            let outcome = await outcome(changing: role) { _, offset, bytes in
                Array(bytes.prefix(max(0, place - offset)))
            }
            let isWhole = place == byteCount
            // To the initiator it looks as if it was refused, as long as nothing was said.
            let hasBegun = !wordsBefore(place).isEmpty
            #expect(outcome.failure == (isWhole ? nil : role == .responder && !hasBegun ? .turnedAway : .cut))
            #expect(outcome.bytes == wordsBefore(place))
        }
    }

    @Test(arguments: [SecureStream.Role.initiator, .responder])
    func `is refused where records were left out, repeated or moved`(role: SecureStream.Role) async {
        // The writes are the message, the proof, the words and the end.
        let end = words.count + 2
        for index in 2...end {
            let kept = words.prefix(index - 2).flatMap(\.self)
            let dropped = await outcome(changing: role) { $0 == index ? [] : $2 }
            #expect(dropped.bytes == kept)
            #expect(dropped.failure == (index == end ? .cut : .tampered))
            let repeated = await outcome(changing: role) { $0 == index ? $2 + $2 : $2 }
            #expect(repeated.bytes == (index == end ? kept : kept + words[index - 2]))
            // What comes after the end is not read.
            #expect(repeated.failure == (index == end ? nil : .tampered))
            // A proof that is held back is waited for.
            if index == 2 { continue }
            let held = Mutex<[UInt8]>([])
            let moved = await outcome(changing: role) { number, _, bytes in
                held.withLock { held in
                    defer { held = number == index - 1 ? bytes : [] }
                    return number == index - 1 ? [] : bytes + held
                }
            }
            #expect(moved.failure == .tampered && moved.bytes == words.prefix(index - 3).flatMap(\.self))
        }
    }

    @Test func `takes no record of another connection, or of the other direction`() async throws {
        let recorded = Mutex<[[UInt8]]>([])
        _ = await outcome(changing: .initiator) { _, _, bytes in
            recorded.withLock { $0.append(bytes) }
            return bytes
        }
        for role in [SecureStream.Role.initiator, .responder] {
            let outcome = await outcome(changing: role) { index, _, bytes in
                index == 3 ? recorded.withLock { $0[3] } : bytes
            }
            #expect(outcome.failure == .tampered && outcome.bytes == words[0])
        }
        let (left, right) = MemoryStream.pair()
        let sent = MeddledStream(right)
        let (one, other) = await devices.open(left, sent)
        try await other.get().write(words[0])
        // The record goes back to where it came from.
        _ = try await one.get().read(words[0].count)
        try await left.write(sent.writes[2])
        #expect(await (try other.get()).readAll().failure as? ConnectionError == .tampered)
        // The stream is closed with that.
        await #expect(throws: (any Error).self) { try await left.write([0]) }
    }

    /// The words that arrive whole in the first `count` bytes.
    private func wordsBefore(_ count: Int) -> [UInt8] {
        var (whole, end) = ([UInt8](), 178)
        for word in words {
            end += word.count + 34
            if end <= count { whole += word }
        }
        return whole
    }
}
