import GroundwaveEvents
import GroundwavePeering
import GroundwaveSecureStreams

/// The opening of a secure stream at one end: the stream, or why there is none.
typealias Opened = Result<SecureStream, any Error>

/// Two devices of one log that connect: the portable station to the shack.
struct TwoDevices {
    /// The secret of their log.
    let secret = [UInt8](0..<32)
    let portable: Identity
    let shack: Identity

    init() {
        guard let portable = Identity(secret: [UInt8](repeating: 1, count: 32)),
            let shack = Identity(secret: [UInt8](repeating: 2, count: 32))
        else { preconditionFailure("32 bytes are a key.") }
        (self.portable, self.shack) = (portable, shack)
    }

    /// Opens one end, for which both devices are the members of the log.
    func open(
        _ stream: any ByteStream, as role: SecureStream.Role, secret: [UInt8]? = nil, identity: Identity? = nil
    ) async -> Opened {
        let members = [portable, shack].map(\.publicKey)
        do {
            return .success(
                try await SecureStream.opened(
                    over: stream, as: role, secret: secret ?? self.secret,
                    identity: identity ?? (role == .initiator ? portable : shack)
                ) { publicKey, replica in
                    members.contains(publicKey) && replica == Identity.replica(publicKey: publicKey)
                })
        } catch {
            return .failure(error)
        }
    }

    /// Opens both ends.
    func open(_ portable: any ByteStream, _ shack: any ByteStream) async -> (portable: Opened, shack: Opened) {
        async let one = open(portable, as: .initiator)
        async let other = open(shack, as: .responder)
        return await (one, other)
    }
}

extension Result where Success == SecureStream, Failure == any Error {
    /// Why there is no stream.
    var failure: ConnectionError? {
        if case .failure(let error) = self { error as? ConnectionError } else { nil }
    }
}

extension ByteStream {
    /// Reads until the stream ends, and returns everything and the error with which it ended.
    func readAll() async -> (bytes: [UInt8], failure: (any Error)?) {
        var bytes: [UInt8] = []
        do {
            while let part = try await read(upTo: 1000) { bytes += part }
            return (bytes, nil)
        } catch {
            return (bytes, error)
        }
    }

    /// Reads `count` bytes, or as many as there are.
    func read(_ count: Int, upTo limit: () -> Int = { 64 << 10 }) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let part = try await read(upTo: min(limit(), count - bytes.count)) { bytes += part }
        return bytes
    }
}
