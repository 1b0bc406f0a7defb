import GroundwaveEvents
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveStore

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
            let access = try self.access(to: remote)
            if case .device(let host, let port) = access {
                let answer = try await greeting(of: remote, host, port)
                (log, replica) = (answer.greeting.log, answer.greeting.manifest.store)
                durations.append(answer.duration)
            } else {
                log = try await Self.log(of: remote, through: access, components)
                durations.append(ContinuousClock.now - start)
            }
        }
        durations.sort()
        return RemoteProbe(log: log, isSameLog: log == logID, replica: replica, request: durations[1])
    }

    /// Returns the log at a remote; `nil` if there is none.
    package static func log(
        of remote: Remote, through access: RemoteAccess, _ components: [StoreComponent]
    ) async throws -> LogID? {
        switch access {
        case .storage(let transport):
            do { return try await RemoteLayout.log(at: transport) } catch {
                throw describe(error, at: remote, file: remote.address.description)
            }
        case .device(let host, let port):
            return try await components.dialer(for: remote.address).greeting(of: host, port) { $0 }.greeting.log
        }
    }
}
