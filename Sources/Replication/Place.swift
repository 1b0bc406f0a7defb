import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents

/// How the stores of a log lay out their objects at a transport.
///
/// | name | |
/// |---|---|
/// | `groundwave-log` | `GWL1` and the id of the log (16): what lies here, written once |
/// | `stores/REPLICA/NUMBER.segment` | a ``Segment``: what that replica's store has left here, numbered from 1 without holes |
///
/// A store writes in its own folder alone, each object once. So no two devices ever write one name, which is what
/// services that copy folders cannot bear, and whoever has read 41 segments of a store knows the name of the next.
public enum Place {
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

    /// The number in the name of a segment; `nil` where it is no such name.
    static func number(of name: ObjectName, of store: ReplicaID) -> UInt64? {
        let last = name.description.split(separator: "/").last.map(String.init) ?? ""
        guard last.hasSuffix(".segment"), let number = UInt64(last.dropLast(8)), number >= 1,
            segment(number, of: store) == name
        else { return nil }
        return number
    }

    /// The log that lies at `transport`; `nil` where none does.
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
