import NIOCore
import NIOPosix

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Connection {
    /// The threads that carry bytes: one for each core, for all connections of the process.
    static var group: any EventLoopGroup { MultiThreadedEventLoopGroup.singleton }

    /// Connects to a store that waits at `host`.
    ///
    /// - Parameters:
    ///   - host: A name or an address, IPv6 without brackets.
    ///   - port: The port.
    ///   - limits: How long to wait, and how much to hold.
    /// - Throws: ``ConnectionError`` `unreachable`.
    public static func open(
        host: String, port: Int, limits: ConnectionLimits = ConnectionLimits()
    ) async throws(ConnectionError) -> Connection {
        do {
            return try await ClientBootstrap(group: group).connectTimeout(TimeAmount(limits.connect))
                .channelOption(.autoRead, value: false)
                .channelOption(.allowRemoteHalfClosure, value: true)
                .keepingAlive()
                .connect(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture { try Connection(on: channel, limits: limits) }
                }
        } catch {
            throw .unreachable(SystemReason.text(error))
        }
    }

    /// Talks over two descriptors: a pipe each way, as of a program's standard input and output. They are closed with the
    /// connection.
    ///
    /// - Throws: ``ConnectionError`` `notAPipe`; then the descriptors are as they were.
    public static func open(
        input: CInt, output: CInt, limits: ConnectionLimits = ConnectionLimits()
    ) async throws(ConnectionError) -> Connection {
        guard input != output else { throw .notAPipe("two descriptors are needed") }
        // What cannot be waited for, such as a file or /dev/null, would end the program; a terminal changes bytes.
        guard isPipe(input), isPipe(output) else { throw .notAPipe("input and output must each be a pipe or a socket") }
        do {
            return try await NIOPipeBootstrap(group: group)
                .channelOption(.autoRead, value: false)
                .channelOption(.allowRemoteHalfClosure, value: true)
                .takingOwnershipOfDescriptors(input: input, output: output) { channel in
                    channel.eventLoop.makeCompletedFuture { try Connection(on: channel, limits: limits) }
                }
        } catch {
            throw .notAPipe(SystemReason.text(error))
        }
    }
}

/// Whether a descriptor is a pipe or a socket.
private func isPipe(_ descriptor: CInt) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
}

/// Why the system refused something, in its words.
enum SystemReason {
    static func text(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let failure = error.connectionErrors.last { return text(failure.error) }
            if let failure = error.dnsAError ?? error.dnsAAAAError { return text(failure) }
            return "no address is known for \(error.host)"
        case let error as ChannelError:
            if case .connectTimeout = error { return "there is no answer" }
            return "\(error)"
        case let error as SocketAddressError:
            if case .unknown(let host, _) = error { return "no address is known for \(host)" }
            return "\(error)"
        case let error as IOError: return String(cString: strerror(error.errnoCode)).lowercased()
        default: return "\(error)"
        }
    }
}

extension ClientBootstrap {
    /// Has TCP look after a minute of silence whether the other machine is still there.
    fileprivate func keepingAlive() -> ClientBootstrap {
        KeepingAlive.options.reduce(self) { $0.channelOption($1.option, value: $1.value) }
    }
}

/// What TCP is to do while nobody says anything: look for the other machine after 30 s, every 10 s, three times.
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
