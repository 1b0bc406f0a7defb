import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents

/// The layout of a log's objects at a remote.
///
/// | name | |
/// |---|---|
/// | `groundwave-log` | the log mark: `GWL1` and the id of the log (16), written once |
/// | `groundwave-log-again` | only where the mark was cut short: the same bytes, by the first store that writes the mark again |
/// | `stores/REPLICA/catalog` | the ``Catalog`` of that replica's store: the only object that is replaced |
/// | `stores/REPLICA/NUMBER.segment` | a ``Segment`` pushed by that store, numbered consecutively from 1 |
/// | `stores/REPLICA/HASH.pack` | consecutive segments as one; the name is the beginning of its SHA-256, in hexadecimal digits |
/// | `snapshots/…` | snapshots for new devices: see ``PlacedSnapshotName`` |
///
/// A store writes only in its own folder, so two devices never write the same name, which sync services for folders cannot
/// handle. Only objects of a store that is gone for ever are deleted by another one, once it has taken them over.
public enum RemoteLayout {
    static let magic: UInt32 = 0x314C_5747

    package static let log = name("groundwave-log")
    /// Decides which log the remote is of, if the log mark was cut short: it is written once, and not deleted.
    static let logAgain = name("groundwave-log-again")

    static func logBytes(_ log: LogID) -> [UInt8] {
        var writer = ByteWriter(capacity: 20)
        writer.append(littleEndian: magic)
        writer.append(log)
        return writer.bytes
    }

    /// What the object with the name of a log mark says.
    enum Mark: Equatable {
        /// There is no such object.
        case none
        case log(LogID)
        /// It is empty, or the beginning of a mark: a crash, or a program that copies files, has left it so.
        case cut([UInt8])
        /// Something else.
        case invalid

        init(_ bytes: [UInt8]?) {
            guard let bytes else {
                self = .none
                return
            }
            let start = logBytes(LogID(high: 0, low: 0)).prefix(4)
            if bytes.count == 20, bytes.starts(with: start) {
                self = .log(LogID(at: 4, of: bytes.span.bytes))
            } else {
                self =
                    bytes.count < 20 && bytes.prefix(4).elementsEqual(start.prefix(bytes.count))
                    ? .cut(bytes) : .invalid
            }
        }

        /// Whether it is, or could become, a mark of another log than `log`, or is no mark.
        func isForeign(to log: LogID) -> Bool {
            switch self {
            case .none: false
            case .log(let found): found != log
            case .cut(let bytes): !logBytes(log).starts(with: bytes)
            case .invalid: true
            }
        }
    }

    /// Reads the log mark, or the object that decides about it.
    static func mark(_ name: ObjectName = log, at transport: any Transport) async throws(TransportError) -> Mark {
        Mark(try await transport.get(name, range: nil, limit: 64))
    }

    /// Throws if a remote without a log mark has one of the other form: sealed, or open.
    static func refuseOtherForm(_ transport: any Transport) async throws {
        let storage = (transport as? any OtherForm)?.storage
        let mark = storage == nil ? name("groundwave-sealed") : log
        guard try await (storage ?? transport).get(mark, range: 0..<1, limit: 1) == nil else {
            throw RemoteError.otherForm(isSealed: storage == nil)
        }
    }

    /// The maximum number of stores; further ones are ignored.
    static let storeLimit = 1024
    static let stores = folder("stores")

    static func folder(of store: ReplicaID) -> ObjectPrefix { folder("stores/\(store)") }

    static func catalog(of store: ReplicaID) -> ObjectName { name("stores/\(store)/catalog") }

    /// The greatest number of a segment.
    static let segmentLimit: UInt64 = 1 << 48

    static func segment(_ number: UInt64, of store: ReplicaID) -> ObjectName {
        let digits = String(number)
        return name("stores/\(store)/\(String(repeating: "0", count: 20 - digits.count))\(digits).segment")
    }

    static func pack(_ hash: Hash256, of store: ReplicaID) -> ObjectName {
        name("stores/\(store)/\("\(hash)".prefix(32)).pack")
    }

    /// An object of a store, by its name.
    enum Kind: Hashable {
        case catalog
        case segment(UInt64)
        case pack
    }

    /// Returns what an object of a store is by its name; `nil` if no store gives such names.
    static func kind(of name: ObjectName, of store: ReplicaID) -> Kind? {
        if name == catalog(of: store) { return .catalog }
        let last = name.description.split(separator: "/").last.map(String.init) ?? ""
        if last.hasSuffix(".pack"), last.utf8.count == 37 { return .pack }
        guard last.hasSuffix(".segment"), let number = UInt64(last.dropLast(8)), (1...segmentLimit).contains(number),
            segment(number, of: store) == name
        else { return nil }
        return .segment(number)
    }

    /// Returns the log of the remote at `transport`; `nil` if there is none.
    ///
    /// - Throws: ``TransportError``; ``RemoteError/notReady`` if the log mark was cut short.
    public static func log(at transport: any Transport) async throws -> LogID? {
        switch try await mark(at: transport) {
        case .log(let log): return log
        case .cut: throw RemoteError.notReady
        case .none, .invalid: return nil
        }
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
