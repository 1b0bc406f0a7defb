import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents

/// The layout of a log's objects at a remote.
///
/// | name | |
/// |---|---|
/// | `groundwave-log` | the log mark: `GWL1` and the id of the log (16), written once |
/// | `stores/REPLICA/NUMBER.segment` | a ``Segment`` pushed by that replica's store, numbered consecutively from 1 |
///
/// A store writes only in its own folder, and each object only once. So two devices never write the same name, which
/// sync services for folders cannot handle, and a device that has read 41 segments of a store knows the name of the
/// next one.
public enum RemoteLayout {
    static let magic: UInt32 = 0x314C_5747

    static let log = name("groundwave-log")

    static func logBytes(_ log: LogID) -> [UInt8] {
        var writer = ByteWriter(capacity: 20)
        writer.append(littleEndian: magic)
        writer.append(log)
        return writer.bytes
    }

    static func log(reading bytes: [UInt8]) -> LogID? {
        guard bytes.count == 20, bytes.span.bytes.uint32(at: 0) == magic else { return nil }
        return LogID(at: 4, of: bytes.span.bytes)
    }

    static let stores = folder("stores")

    static func segments(of store: ReplicaID) -> ObjectPrefix { folder("stores/\(store)") }

    static func segment(_ number: UInt64, of store: ReplicaID) -> ObjectName {
        let digits = String(number)
        return name("stores/\(store)/\(String(repeating: "0", count: 20 - digits.count))\(digits).segment")
    }

    /// Returns the number in the name of a segment; `nil` if it is not such a name.
    static func number(of name: ObjectName, of store: ReplicaID) -> UInt64? {
        let last = name.description.split(separator: "/").last.map(String.init) ?? ""
        guard last.hasSuffix(".segment"), let number = UInt64(last.dropLast(8)), number >= 1,
            segment(number, of: store) == name
        else { return nil }
        return number
    }

    /// Returns the log of the remote at `transport`; `nil` if there is none.
    public static func log(at transport: any Transport) async throws -> LogID? {
        try await transport.get(log, range: nil, limit: 64).flatMap { log(reading: $0) }
    }

    private static func name(_ text: String) -> ObjectName {
        guard let name = ObjectName(text) else { preconditionFailure("\(text) is the name of an object.") }
        return name
    }

    private static func folder(_ text: String) -> ObjectPrefix {
        guard let prefix = ObjectPrefix(folder: text) else { preconditionFailure("\(text) is a folder.") }
        return prefix
    }
}
