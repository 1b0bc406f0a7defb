#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The attributes of a file that show whether it has been changed since.
public struct FileState: Sendable, Hashable {
    /// The size of the stored form, in bytes.
    static let storedByteCount = 48

    /// The device.
    public let device: UInt64
    /// The inode.
    public let inode: UInt64
    /// Length in bytes.
    public let byteCount: Int64
    /// When its contents were last changed, in nanoseconds since 1970.
    public let modified: Int64
    /// When its contents or metadata, including its names, were last changed, in nanoseconds since 1970.
    public let changed: Int64

    /// The state of the file at `path` now; nil if there is none. Cost: a `stat`.
    public init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        let identity = FileIdentity(status)
        (device, inode, byteCount) = (identity.device, identity.inode, Int64(status.st_size))
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        self.modified = Int64(modified.tv_sec) * 1_000_000_000 + Int64(modified.tv_nsec)
        self.changed = Int64(changed.tv_sec) * 1_000_000_000 + Int64(changed.tv_nsec)
    }

    /// Decodes the stored form of a state, as ``bytes`` returns it; nil if `bytes` are not one.
    ///
    /// Device, inode, length, modified, changed, and a checksum of these: 8 bytes each, in host byte order.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.storedByteCount else { return nil }
        device = bytes.integer(at: 0, as: UInt64.self)
        inode = bytes.integer(at: 8, as: UInt64.self)
        byteCount = bytes.integer(at: 16, as: Int64.self)
        modified = bytes.integer(at: 24, as: Int64.self)
        changed = bytes.integer(at: 32, as: Int64.self)
        guard bytes.integer(at: 40, as: UInt64.self) == sum, inode != 0 else { return nil }
    }

    var identity: FileIdentity { FileIdentity(device: device, inode: inode) }

    private var sum: UInt64 {
        [device, inode, UInt64(bitPattern: byteCount), UInt64(bitPattern: modified), UInt64(bitPattern: changed)]
            .reduce(0x9E37_79B9_7F4A_7C15) { ($0 ^ $1) &* 0xBF58_476D_1CE4_E5B9 }
    }

    /// The stored form of the state.
    public var bytes: [UInt8] {
        [device, inode, UInt64(bitPattern: byteCount), UInt64(bitPattern: modified), UInt64(bitPattern: changed), sum]
            .flatMap { hostBytes(of: $0) }
    }
}

/// The bytes of `number`, in host byte order.
func hostBytes(of number: some FixedWidthInteger) -> [UInt8] {
    let bits = UInt64(truncatingIfNeeded: number).littleEndian
    return (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
}
