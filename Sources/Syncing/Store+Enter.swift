import GroundwaveByteCoding
import GroundwaveEvents
import GroundwavePeering
import GroundwaveRemotes
import GroundwaveSealedRemotes
import GroundwaveSealing
import GroundwaveSecureStreams
import GroundwaveStore

// Joining a sealed log over a connection, with a code that the device at the other end has shown. Both ends know the secret of the
// code in place of that of the log. The device that joins proves which replica it will write as, is sent the key file that the
// code opens, fetches the log, lets itself in with an event, and sends that back before the connection ends.

/// A connection of a device with a code, which was sent the keys of the log.
package struct KeyedStream: Sendable {
    /// The connection, after the proofs and the key file.
    package let stream: SecureStream
    /// The keys of the log.
    package let keys: LogKeys
}

extension Store {
    /// Connects with a code to the device that has shown it, and receives the keys of the log.
    ///
    /// - Parameters:
    ///   - stream: A new connection, which nobody else uses.
    ///   - hasConnected: Whether this end has connected to the other one; `false` if neither has.
    ///   - identity: The identity of the store that this device will create.
    ///   - limit: The time for all of it.
    /// - Throws: ``ConnectionError``: `turnedAway` if the other end has not shown this code, or it has ended; ``StoreError`` with
    ///   code `damaged` if what it sends are no keys that the code opens; `CancellationError` if the task is cancelled. Then
    ///   `stream` is closed.
    package static func received(
        over stream: any ByteStream, hasConnected: Bool, by code: KnownCode, _ identity: Identity,
        within limit: Duration = ConnectionLimits().hello
    ) async throws -> KeyedStream {
        do {
            return try await stream.within(limit) {
                if !hasConnected { try await SecureStream.claimInitiator(over: stream) }
                let secure = try await SecureStream.opened(
                    over: stream, as: .initiator, secret: code.code.connectionSecret, identity: identity
                ) { _, _ in true }
                return KeyedStream(stream: secure, keys: try await keys(from: secure, by: code))
            }
        } catch {
            await stream.close()
            throw error
        }
    }

    /// Reads the key file that the other end sends first.
    private static func keys(from stream: SecureStream, by code: KnownCode) async throws -> LogKeys {
        var bytes: [UInt8] = []
        func read(to count: Int) async throws {
            while bytes.count < count {
                guard let part = try await stream.read(upTo: count - bytes.count) else { throw ConnectionError.cut }
                bytes += part
            }
        }
        try await read(to: KeyFile.beginningSize)
        if let size = KeyFile.size(of: bytes) { try await read(to: size) }
        let recipient = code.code.recipient
        guard let file = try? KeyFile(reading: bytes), let key = try? file.epochKey(with: recipient),
            let contents = try? file.contents(with: key), contents.isConfirmed(by: recipient)
        else {
            throw StoreError(
                .damaged, "The device at the other end sends no keys that the code opens.",
                hint: "Nothing was written. Have another code shown, and make sure that it is the right device.")
        }
        return LogKeys(contents, with: nil)
    }

    /// Fetches the log over the connection on which this device was received, and lets it in.
    ///
    /// - Returns: What was received and sent. Whether this device belongs says ``membership(of:)``.
    /// - Throws: As ``sync(over:as:)``; `exists` if another event has sealed the log that is here.
    package func enter(by code: KnownCode, through keyed: KeyedStream, from remote: Remote) async throws
        -> SyncSummary
    {
        try adopt(keyed.keys)
        try note(remote)
        return try await exchange(with: remote, isRepeatable: false) { summary in
            let result = try await converse(over: keyed.stream, as: .initiator, entering: code, &summary)
            if result.hasNewName {
                try await introduce()
                throw StoreError(endedAt: remote.address, reason: Session.newName)
            }
            try judge(result.standing, &summary)
        }
    }
}
