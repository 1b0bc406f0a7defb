#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// When this store received an event: by the wall clock, and by a clock that cannot be set, within one boot.
///
/// It is local: stored beside the events, never in them, and not part of a digest.
public struct Arrival: Hashable, Sendable {
    /// Milliseconds since 1970 by the wall clock.
    public var wallMilliseconds: Int64
    /// Milliseconds since the machine started, with those in which it was suspended.
    public var monotonicMilliseconds: Int64
    /// The id of the machine's present boot: 16 bytes, zeros if the system does not provide one.
    public var boot: [UInt8]

    /// Creates an arrival from its parts.
    public init(wallMilliseconds: Int64, monotonicMilliseconds: Int64, boot: [UInt8]) {
        self.wallMilliseconds = wallMilliseconds
        self.monotonicMilliseconds = monotonicMilliseconds
        self.boot = boot
    }

    /// Returns the present moment by the clocks of this machine.
    public static func now() -> Arrival {
        Arrival(
            wallMilliseconds: milliseconds(of: CLOCK_REALTIME),
            monotonicMilliseconds: milliseconds(of: steadyClock),
            boot: bootID)
    }

    // The clocks of both systems that count on through suspend; CLOCK_MONOTONIC of Linux stands still.
    #if canImport(Darwin)
    private static let steadyClock = CLOCK_MONOTONIC_RAW
    #else
    private static let steadyClock = CLOCK_BOOTTIME
    #endif

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Whether `other` is known to be of the same boot, so that the monotonic clocks are comparable.
    public func isOfSameBoot(as other: Arrival) -> Bool { Self.isSameBoot(boot, other.boot) }

    /// Whether two boot ids are the same; an unknown id equals none, not even itself.
    package static func isSameBoot(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == 16 && one == other && one.contains { $0 != 0 }
    }

    /// Parses a boot id, a UUID, from `text`; returns zeros if it is not a UUID.
    package static func bootID(from text: [UInt8]) -> [UInt8] {
        let digits = text.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 32 else { return [UInt8](repeating: 0, count: 16) }
        return stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// The boot id does not change while a process lives.
    private static let bootID = bootID(from: bootText())

    /// The boot id as the system prints it: 32 hexadecimal digits and dashes; empty if there is none.
    private static func bootText() -> [UInt8] {
        var text = [UInt8](repeating: 0, count: 64)
        #if canImport(Darwin)
        var count = text.count
        guard sysctlbyname("kern.bootsessionuuid", &text, &count, nil, 0) == 0 else { return [] }
        #else
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "r") else { return [] }
        defer { fclose(file) }
        let count = fread(&text, 1, text.count, file)
        #endif
        return Array(text.prefix(count))
    }
}
