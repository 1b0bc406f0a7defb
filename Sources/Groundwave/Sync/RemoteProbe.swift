import Connections
import Events
import Replication

/// The result of probing a remote.
public struct RemoteProbe: Hashable, Sendable {
    /// The log at the remote; `nil` if there is none.
    public let log: LogID?
    /// Whether it is the log of the store that asked.
    public let isSameLog: Bool
    /// The replica that the device there writes as; `nil` for a folder.
    public let replica: ReplicaID?
    /// The duration of a request, the median of three: for a folder, reading the ID of the log; for a device,
    /// connecting and the greeting.
    public let request: Duration
}

extension Store {
    /// Checks whether a remote can be reached, which log it has, and how long this takes. Nothing is pushed or
    /// pulled.
    ///
    /// - Throws: ``StoreError`` with code `unreachable`.
    public func probe(_ remote: Remote) async throws -> RemoteProbe {
        var (durations, log, replica) = ([Duration](), LogID?.none, ReplicaID?.none)
        for _ in 0..<3 {
            let start = ContinuousClock.now
            if case .host(let name, let port) = remote.address {
                let answer = try await Self.greeting(name, port)
                (log, replica) = (answer.greeting.log, answer.greeting.statement.store)
                durations.append(answer.duration)
            } else {
                log = try await Self.log(at: remote.address)
                durations.append(ContinuousClock.now - start)
            }
        }
        durations.sort()
        return RemoteProbe(log: log, isSameLog: log == logID, replica: replica, request: durations[1])
    }

    /// Returns the log at `address`; `nil` if there is none.
    static func log(at address: RemoteAddress) async throws -> LogID? {
        switch address {
        case .folder(let url):
            do { return try await Place.log(at: FolderTransport(url)) } catch {
                guard let error = error as? TransportError else { throw error }
                throw StoreError(error, at: address)
            }
        case .host(let name, let port): return try await greeting(name, port).greeting.log
        }
    }

    /// Returns the greeting of the device at a host.
    static func greeting(_ host: String, _ port: Int) async throws -> Probe.Answer {
        do { return try await Probe.ask(host: host, port: port) } catch {
            let address = RemoteAddress.host(name: host, port: port)
            switch error {
            case let error as ConnectionError: throw StoreError(error, at: address)
            case let error as Greeting.Refusal: throw StoreError(endedAt: address, reason: error.reason)
            case let error as ProtocolError:
                throw StoreError(
                    .damaged, "The program at \(address) is not groundwave. \(error.sentence)",
                    hint: "Check the host and port.", cause: error)
            default: throw error
            }
        }
    }
}
