import GroundwaveEvents
import GroundwaveReplication
import GroundwaveStore

extension Store {
    /// Synchronises once with the device at the other end of a stream, until both sides are caught up. The other side
    /// calls this too.
    ///
    /// The device is counted as the remote `name` by ``syncStatus()``, also after a restart. The stream is closed when this
    /// returns or throws. Nothing is encrypted or authenticated here: whoever is at the other end can read the whole log
    /// and add to it.
    ///
    /// - Parameters:
    ///   - stream: A new connection, which nobody else uses.
    ///   - name: The name of the remote: up to 32 letters, digits, `-` and `_`; best one for each device.
    /// - Throws: ``StoreError`` with code `unreachable` if the connection is cut, if the other side says nothing for ten
    ///   seconds at the beginning or a minute later, or if a store has to go on as a new replica: then connect again;
    ///   `exists` if the other side is a store of another log, or the name is that of a folder or a host; `damaged` if it
    ///   is no store; `syncOff`; `usage` if the name is invalid. `CancellationError` at once if the task is cancelled.
    ///   What has arrived stays.
    @discardableResult
    public func sync(over stream: any ByteStream, as name: String = "stream") async throws -> SyncSummary {
        do {
            return try await exchange(with: try applicationRemote(name), isRepeatable: false) { summary in
                let result = try await converse(over: StreamConnection(stream), &summary)
                if result.hasNewName {
                    try await introduce()
                    summary.newReplica = replica
                    throw StoreError(endedAt: summary.remote.address, reason: Session.newName)
                }
                try judge(result.standing, &summary)
            }
        } catch {
            await stream.close()
            throw error
        }
    }
}

/// A stream from which a greeting has been read already, and can be read again.
package actor GreetedStream: ByteStream {
    private let stream: any ByteStream
    /// What was read and is to be read again.
    private var bytes: [UInt8] = []

    /// Creates it over a stream from which nothing was read.
    package init(_ stream: any ByteStream) { self.stream = stream }

    /// Returns the log of the store at the other end, from its greeting.
    ///
    /// - Throws: `CancellationError` if the task is cancelled; ``StoreError`` with code `unreachable` if there is no
    ///   greeting within `limit`; `damaged` if something else arrives.
    package func log(from remote: Remote, within limit: Duration = ConnectionLimits().hello) async throws -> LogID {
        let timer = Task { [stream] in
            try await Task.sleep(for: limit)
            await stream.close()
        }
        defer { timer.cancel() }
        do {
            var reader = Greeting.Reader()
            while let part = try await stream.read(upTo: 64 << 10) {
                bytes += part
                if let greeting = try reader.read(part) { return greeting.log }
            }
            throw ConnectionError.cut
        } catch {
            await stream.close()
            try Task.checkCancellation()
            switch error {
            case let error as Greeting.Refusal: throw StoreError(endedAt: remote.address, reason: error.reason)
            case let error as ProtocolError:
                throw StoreError(
                    .damaged, "The program at \(remote.address) is not groundwave. \(error.sentence)", cause: error)
            default: throw StoreError(.silent(.hello), at: remote.address)
            }
        }
    }

    /// Returns the greeting first, then what the stream has.
    package func read(upTo limit: Int) async throws -> [UInt8]? {
        if bytes.isEmpty { return try await stream.read(upTo: limit) }
        defer { bytes.removeFirst(min(limit, bytes.count)) }
        return Array(bytes.prefix(limit))
    }

    package func write(_ bytes: [UInt8]) async throws { try await stream.write(bytes) }

    package func close() async { await stream.close() }
}
