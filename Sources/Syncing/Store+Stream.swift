import GroundwaveEvents
import GroundwavePeering
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveStore

extension Store {
    /// Synchronises once with the device at the other end of a stream, until both sides are caught up. The other side
    /// calls this too.
    ///
    /// The device is counted as the remote `name` by ``syncStatus()``, also after a restart. The stream is closed when this
    /// returns or throws. If the log is sealed, both ends prove that they belong to it before they say anything else, and
    /// nobody else can read what is said. Otherwise whoever is at the other end can read the whole log and add to it.
    ///
    /// - Parameters:
    ///   - stream: A new connection, which nobody else uses.
    ///   - name: The name of the remote: up to 32 letters, digits, `-` and `_`; best one for each device.
    /// - Throws: ``StoreError`` with code `unreachable` if the connection is cut, if the other side says nothing for ten
    ///   seconds at the beginning or a minute later, or if a store has to go on as a new replica: then connect again;
    ///   `exists` if the other side is a store of another log, or the name is that of a folder or a host; `damaged` if it
    ///   is no store; `notPermitted` if the log is sealed and one of the two does not belong to it; `syncOff`; `usage` if the
    ///   name is invalid. `CancellationError` at once if the task is cancelled.
    ///   What has arrived stays.
    @discardableResult
    public func sync(over stream: any ByteStream, as name: String = "stream") async throws -> SyncSummary {
        do {
            return try await exchange(with: try applicationRemote(name), isRepeatable: false) { summary in
                let result = try await converse(over: stream, as: nil, &summary)
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

extension GreetedStream {
    /// Returns the log of the store at the other end, from its greeting.
    ///
    /// - Throws: `CancellationError` if the task is cancelled; ``StoreError`` with code `unreachable` if there is no
    ///   greeting within `limit`; `damaged` if something else arrives. Then the stream is closed.
    package func log(from remote: Remote, within limit: Duration = ConnectionLimits().hello) async throws -> LogID {
        do { return try await greeting(within: limit).log } catch {
            try Task.checkCancellation()
            throw StoreError(probing: remote.address, error)
        }
    }
}
