import GroundwavePeering
import GroundwaveReplication
import NIOCore
import NIOPosix

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ChannelStream {
    /// The event loop threads: one per core, for all connections of the process.
    static var group: any EventLoopGroup { MultiThreadedEventLoopGroup.singleton }

    /// Connects to a store that listens at `host`.
    ///
    /// - Parameters:
    ///   - host: A name or an address, IPv6 without brackets.
    ///   - port: The port.
    ///   - limits: The timeouts and memory limits.
    /// - Throws: ``ConnectionError`` `unreachable`; at once if the task is cancelled.
    public static func open(
        host: String, port: Int, limits: ConnectionLimits = ConnectionLimits()
    ) async throws(ConnectionError) -> ChannelStream {
        do {
            return try await untilCancelled {
                try await ClientBootstrap(group: group).connectTimeout(TimeAmount(limits.connect))
                    .channelOption(.autoRead, value: false)
                    .channelOption(.allowRemoteHalfClosure, value: true)
                    .keepingAlive()
                    .connect(host: host, port: port) { channel in
                        channel.eventLoop.makeCompletedFuture { try ChannelStream(on: channel, limits: limits) }
                    }
            }
        } catch {
            throw .unreachable(SystemReason.text(error))
        }
    }

    /// Creates a stream over two descriptors: a pipe in each direction, such as a program's standard input and
    /// output. They are closed with the connection.
    ///
    /// - Throws: ``ConnectionError`` `notAPipe`; then the descriptors are unchanged.
    public static func open(
        input: CInt, output: CInt, limits: ConnectionLimits = ConnectionLimits()
    ) async throws(ConnectionError) -> ChannelStream {
        guard input != output else { throw .notAPipe("two descriptors are needed") }
        // A descriptor that cannot be polled, such as a file or /dev/null, would crash the program; a terminal alters
        // bytes.
        guard isPipe(input), isPipe(output) else { throw .notAPipe("input and output must each be a pipe or a socket") }
        do {
            return try await NIOPipeBootstrap(group: group)
                .channelOption(.autoRead, value: false)
                .channelOption(.allowRemoteHalfClosure, value: true)
                .takingOwnershipOfDescriptors(input: input, output: output) { channel in
                    channel.eventLoop.makeCompletedFuture { try ChannelStream(on: channel, limits: limits) }
                }
        } catch {
            throw .notAPipe(SystemReason.text(error))
        }
    }
}

/// Returns what `body` returns, or throws `CancellationError` as soon as the task is cancelled; `body` then ends by itself,
/// since waiting for a connection cannot be cancelled.
func untilCancelled<Outcome: Sendable>(
    _ body: @escaping @Sendable () async throws -> Outcome
) async throws -> Outcome {
    let awaited = Awaited<Result<Outcome, any Error>>()
    Task { do { awaited.provide(.success(try await body())) } catch { awaited.provide(.failure(error)) } }
    guard let result = await awaited.value() else { throw CancellationError() }
    return try result.get()
}

/// Returns whether a descriptor is a pipe or a socket.
private func isPipe(_ descriptor: CInt) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
}

/// The system's description of an error.
enum SystemReason {
    static func text(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let failure = error.connectionErrors.last { return text(failure.error) }
            if let failure = error.dnsAError ?? error.dnsAAAAError { return text(failure) }
            return "the host \(error.host) was not found"
        case let error as ChannelError:
            if case .connectTimeout = error { return "there is no answer" }
            return "\(error)"
        case let error as SocketAddressError:
            if case .unknown(let host, _) = error { return "the host \(host) was not found" }
            return "\(error)"
        case is CancellationError: return "the task was cancelled"
        case let error as IOError: return String(cString: strerror(error.errnoCode)).lowercased()
        default: return "\(error)"
        }
    }
}

extension ClientBootstrap {
    /// Turns on TCP keepalive, which detects a lost peer after a minute of silence, and turns off Nagle's algorithm.
    fileprivate func keepingAlive() -> ClientBootstrap {
        KeepingAlive.options.reduce(self) { $0.channelOption($1.option, value: $1.value) }
    }
}

/// The options for TCP keepalive: the first probe after 30 s of silence, then every 10 s, three probes. Also
/// `TCP_NODELAY`.
enum KeepingAlive {
    static let options: [(option: ChannelOptions.Types.SocketOption, value: SocketOptionValue)] = {
        #if canImport(Darwin)
        let idle = TCP_KEEPALIVE
        #else
        let idle = TCP_KEEPIDLE
        #endif
        return [
            (.socketOption(.so_keepalive), 1), (.tcpOption(.tcp_nodelay), 1),
            (.tcpOption(.init(rawValue: idle)), 30), (.tcpOption(.init(rawValue: TCP_KEEPINTVL)), 10),
            (.tcpOption(.init(rawValue: TCP_KEEPCNT)), 3),
        ]
    }()
}
