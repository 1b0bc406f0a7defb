import Foundation
import Synchronization

/// Relays a TCP connection between two programs, and counts what they send.
final class CountingRelay: Sendable {
    /// The totals of what was relayed.
    struct Counts {
        /// The number of bytes in both directions.
        var bytes = 0
        /// The number of changes of direction: two are a round trip.
        var turns = 0

        static func - (left: Counts, right: Counts) -> Counts {
            Counts(bytes: left.bytes - right.bytes, turns: left.turns - right.turns)
        }
    }

    /// The port on this machine on which the relay listens.
    let port: Int
    private let state = Mutex((counts: Counts(), lastSide: -1))

    /// Relays every new connection to the port `target` of this machine.
    init(to target: Int) throws {
        let listener = socket(AF_INET, Self.stream, 0)
        var address = Self.address(0)
        var length = Self.addressLength
        let bound = Self.with(&address) { bind(listener, $0, Self.addressLength) == 0 && listen(listener, 8) == 0 }
        guard bound, Self.with(&address, { getsockname(listener, $0, &length) }) == 0 else {
            throw Failure("no port is free")
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while true {
                let near = accept(listener, nil, nil)
                guard near >= 0 else { return }
                let far = socket(AF_INET, Self.stream, 0)
                var address = Self.address(UInt16(target))
                guard Self.with(&address, { connect(far, $0, Self.addressLength) }) == 0 else { return }
                for end in [near, far] {
                    var isOn: Int32 = 1
                    setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
                }
                Thread.detachNewThread { self.pass(from: near, to: far, side: 0) }
                Thread.detachNewThread { self.pass(from: far, to: near, side: 1) }
            }
        }
    }

    private static let addressLength = socklen_t(MemoryLayout<sockaddr_in>.size)

    var counts: Counts { state.withLock { $0.counts } }

    private func pass(from source: Int32, to target: Int32, side: Int) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            state.withLock { state in
                state.counts.bytes += count
                if state.lastSide != side { state.counts.turns += 1 }
                state.lastSide = side
            }
            var written = 0
            while written < count {
                let step = buffer.withUnsafeBytes { write(target, $0.baseAddress! + written, count - written) }
                guard step > 0 else { break }
                written += step
            }
        }
        shutdown(target, Int32(SHUT_WR))
    }

    #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
    private static let stream = SOCK_STREAM
    #endif

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func with<Result>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }
}
