import Connections
import Events
import Replication

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

    /// The log that lies at `address`; `nil` where none does.
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

    /// What the device at a host says first.
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
