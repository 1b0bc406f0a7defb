import GroundwaveEvents
import GroundwavePeering
import GroundwaveSealing
import Synchronization

/// A stream over another one, between two devices that have proved to each other that they belong to one log.
///
/// | step | from | bytes | |
/// |---|---|---|---|
/// | 1 | initiator | 48 | first message of the ``NoiseHandshake``: it knows the secret |
/// | 2 | responder | 48 | second message: it knows the secret too, and now both have keys that nobody else has |
/// | 3 | responder | 130 | a record with its ``IdentityProof`` |
/// | 4 | initiator | 130 | a record with its own, once that of the responder was accepted |
/// | 5 | both | … | records: see ``SecureRecord`` |
///
/// The handshake is `NNpsk0` of the Noise Protocol Framework, revision 34 (T. Perrin, 2018); the proofs are signatures over
/// the hash of the handshake, as in SIGMA.
///
/// **What a stranger learns.** That somebody answers at the address, from the connection itself, but nothing of what: the
/// responder closes without a byte, and no byte of the initiator is the same in two connections. From a connection of
/// others it learns when something is sent, and about how much. It can end the connection, and change nothing. A first
/// message that was recorded and is sent again gets steps 2 and 3, which whoever repeats it cannot read or continue.
///
/// **What a former member learns** who still knows the secret: which replica answers, since the responder proves itself
/// first. It gets no further. The initiator shows its identity to members alone.
///
/// One task reads while another one writes, and any closes. Memory holds one record in each direction.
package final class SecureStream: ByteStream, Secret {
    /// The end of a connection.
    package typealias Role = NoiseHandshake.Role

    /// The replica at the other end, which it has proved to be.
    package let peer: ReplicaID
    /// With which of the invitations the other end has connected; `nil` if it knows the secret of the log.
    package let invitation: Int?

    private let stream: any ByteStream
    private let role: Role
    private let input: Mutex<Input>
    private let output: Mutex<Output>

    fileprivate struct Input {
        var opener: RecordOpener
        var isReading = false
        /// What was opened and not read yet.
        var body: ArraySlice<UInt8> = []
        /// Whether the other end has said anything.
        var hasBegun = false
        /// Whether the last record was opened.
        var isOver = false
        var failure: ConnectionError?
    }

    fileprivate struct Output {
        var sealer: RecordSealer
        var isWriting = false
        /// Whether a part of a record may be missing.
        var isBroken = false
        var isClosed = false
    }

    /// Creates a stream after the proofs.
    init(
        _ stream: any ByteStream, as role: Role, with peer: ReplicaID, invitation: Int?, _ opener: RecordOpener,
        _ sealer: RecordSealer
    ) {
        (self.stream, self.role, self.peer, self.invitation) = (stream, role, peer, invitation)
        input = Mutex(Input(opener: opener))
        output = Mutex(Output(sealer: sealer))
    }

    /// Returns what the other end has written; `nil` once it has closed the stream, which nobody else can make seem so.
    ///
    /// - Throws: ``ConnectionError/tampered``, after which the stream is closed; ``ConnectionError/turnedAway`` or
    ///   ``ConnectionError/cut`` if the stream below ended; the error of the stream below.
    package func read(upTo limit: Int) async throws -> [UInt8]? {
        input.withLock { input in
            precondition(!input.isReading, "One task reads at a time.")
            input.isReading = true
        }
        defer { input.withLock { $0.isReading = false } }
        while true {
            let missingCount = try input.withLock { input throws(ConnectionError) -> Int? in
                if let failure = input.failure { throw failure }
                return input.body.isEmpty && !input.isOver ? input.opener.missingCount : nil
            }
            guard let missingCount else { return input.withLock { $0.take(limit) } }
            let part = try await stream.read(upTo: missingCount) ?? []
            do {
                // Whoever has closed this end knows why nothing was said.
                let mayBeRefused = role == .initiator && !output.withLock { $0.isClosed }
                try input.withLock { input throws(ConnectionError) in try input.add(part, mayBeRefused) }
            } catch {
                await stream.close()
                throw error
            }
        }
    }

    /// Writes all of `bytes`, in records.
    ///
    /// - Throws: ``ConnectionError/cut`` if an earlier write failed, or this end was closed; the error of the stream
    ///   below.
    package func write(_ bytes: [UInt8]) async throws {
        try output.withLock { output throws(ConnectionError) in
            precondition(!output.isWriting, "One task writes at a time.")
            guard !output.isBroken, !output.isClosed else { throw .cut }
            output.isWriting = true
        }
        defer { output.withLock { $0.isWriting = false } }
        var rest = bytes[...]
        while !rest.isEmpty {
            let record = output.withLock { $0.sealer.record(rest.prefix(SecureRecord.bodyLimit)) }
            do { try await stream.write(record) } catch {
                output.withLock { $0.isBroken = true }
                throw error
            }
            rest = rest.dropFirst(SecureRecord.bodyLimit)
        }
    }

    /// Closes the stream in both directions, after its last record; the other end sees that it was closed and not cut.
    ///
    /// The other end sees a cut if a write is under way, and if it has not taken the last record within
    /// ``ConnectionLimits/farewell``.
    package func close() async {
        let last: [UInt8]?? = output.withLock { output in
            if output.isClosed { return nil }
            output.isClosed = true
            return .some(output.isWriting || output.isBroken ? nil : output.sealer.record([]))
        }
        guard let last else { return }
        if let last { await writeLast(last) }
        await stream.close()
    }

    /// Writes the last record, also if this task was cancelled.
    private func writeLast(_ record: [UInt8]) async {
        let writing = Task { [stream] in try? await stream.write(record) }
        let timer = Task {
            try await Task.sleep(for: ConnectionLimits().farewell)
            writing.cancel()
        }
        await writing.value
        timer.cancel()
    }
}

extension SecureStream.Input {
    /// Returns bytes that were opened; `nil` after the last record.
    fileprivate mutating func take(_ limit: Int) -> [UInt8]? {
        if body.isEmpty { return nil }
        defer { body = body.dropFirst(limit) }
        return Array(body.prefix(limit))
    }

    /// Adds received bytes, none if the stream below has ended.
    fileprivate mutating func add(_ part: [UInt8], _ mayBeRefused: Bool) throws(ConnectionError) {
        do throws(ConnectionError) {
            if part.isEmpty { throw mayBeRefused && !hasBegun ? .turnedAway : .cut }
            guard let opened = try opener.add(part) else { return }
            hasBegun = true
            isOver = opened.isEmpty
            body = opened[...]
        } catch {
            failure = error
            throw error
        }
    }
}
