#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// When this store got an event: by the wall clock, and by a clock that cannot be set, within one boot.
///
/// It is local: kept beside the events, never in them, and never part of a digest.
public struct Arrival: Hashable, Sendable {
    /// Milliseconds since 1970 by the wall clock.
    public var wallMilliseconds: Int64
    /// Milliseconds since the machine started.
    public var monotonicMilliseconds: Int64
    /// Which start of the machine: 16 bytes, zeros where the system does not say.
    public var boot: [UInt8]

    /// An arrival of these parts.
    public init(wallMilliseconds: Int64, monotonicMilliseconds: Int64, boot: [UInt8]) {
        self.wallMilliseconds = wallMilliseconds
        self.monotonicMilliseconds = monotonicMilliseconds
        self.boot = boot
    }

    /// The present moment by the clocks of this machine.
    public static func now() -> Arrival {
        Arrival(
            wallMilliseconds: milliseconds(of: CLOCK_REALTIME),
            monotonicMilliseconds: milliseconds(of: CLOCK_MONOTONIC),
            boot: bootID)
    }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The boot id does not change while a process lives.
    private static let bootID: [UInt8] = {
        #if os(Linux)
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "r") else { return [UInt8](repeating: 0, count: 16) }
        defer { fclose(file) }
        var digits: [UInt8] = []
        while case let letter = fgetc(file), letter != EOF {
            if let digit = Character(Unicode.Scalar(UInt8(letter))).hexDigitValue { digits.append(UInt8(digit)) }
        }
        guard digits.count == 32 else { return [UInt8](repeating: 0, count: 16) }
        return stride(from: 0, to: 32, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        #else
        return [UInt8](repeating: 0, count: 16)
        #endif
    }()
}
