import GroundwaveEvents
import GroundwaveReplication
import GroundwaveStore

/// What came of asking a remote who it is.
public struct RemoteProbe: Hashable, Sendable {
    /// The log that lies there; `nil` where none does.
    public let log: LogID?
    /// Whether that is the log of the store that asked.
    public let isSameLog: Bool
    /// The replica that the device there writes as, where one answered.
    public let replica: ReplicaID?
    /// How long a request took, the median of three: reading the log's name from a folder, connecting and the greeting of
    /// a device.
    public let request: Duration
}

extension Store {
    /// Asks whether a remote can be reached, which log lies there, and how long that takes. Nothing is sent or taken.
    ///
    /// - Throws: ``StoreError`` with code `unreachable`.
    public func probe(_ remote: Remote) async throws -> RemoteProbe {
        var (durations, log, replica) = ([Duration](), LogID?.none, ReplicaID?.none)
        for _ in 0..<3 {
            let start = ContinuousClock.now
            if case .host(let name, let port) = remote.address {
                let answer = try await components.dialer(for: remote.address).greeting(of: name, port)
                (log, replica) = (answer.greeting.log, answer.greeting.statement.store)
                durations.append(answer.duration)
            } else {
                log = try await Self.log(at: remote.address, components)
                durations.append(ContinuousClock.now - start)
            }
        }
        durations.sort()
        return RemoteProbe(log: log, isSameLog: log == logID, replica: replica, request: durations[1])
    }

    /// The log that lies at `address`; `nil` where none does.
    package static func log(
        at address: RemoteAddress, _ components: [StoreComponent]
    ) async throws -> LogID? {
        switch address {
        case .folder(let url):
            do { return try await Place.log(at: FolderTransport(url)) } catch {
                guard let error = error as? TransportError else { throw error }
                throw StoreError(error, at: address)
            }
        case .host(let name, let port):
            return try await components.dialer(for: address).greeting(of: name, port).greeting.log
        }
    }
}
