import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecords

/// The kinds known to the program: those of the domains and those registered by the application.
public struct Kinds: Sendable {
    private let schemas: [String: KindSchema]

    /// The version of the layout of the views; increased with every change to the meaning of a row.
    static let viewVersion: UInt32 = 8

    /// Creates a set of kinds. Traps if two have the same name.
    public init(_ schemas: [KindSchema]) {
        self.schemas = Dictionary(uniqueKeysWithValues: schemas.map { ($0.name, $0) })
    }

    /// The kind called `name`, or `nil` if it is not registered.
    public subscript(name: String) -> KindSchema? { schemas[name] }

    /// Returns the same kinds with one field merged by another policy; `nil` if there is no such single-valued field.
    public func reading(_ kind: String, _ field: String, by policy: MergePolicy) -> Kinds? {
        guard let schema = self[kind]?.reading(field, by: policy) else { return nil }
        return Kinds(all.map { $0.name == kind ? schema : $0 })
    }

    /// All registered kinds, by name.
    public var all: [KindSchema] { schemas.values.sorted { $0.name < $1.name } }

    /// A hash of the layout version and of the kinds and their versions. Views with another signature must be rebuilt.
    var signature: UInt64 {
        var writer = ByteWriter()
        writer.append(littleEndian: Self.viewVersion)
        for schema in all {
            writer.append(text: schema.name)
            writer.append(littleEndian: schema.version)
        }
        return Hash256(hashing: writer.bytes.span.bytes).prefix
    }

    /// Returns ``signature``, hashed with the number of changes to the name resolution in `log` if there are any: for
    /// data stored beside the log, which depend on both.
    func signature(for log: EventLog) throws -> UInt64 {
        let resolutions = try log.resolutionsCount()
        if resolutions == 0 { return signature }
        var writer = ByteWriter()
        writer.append(littleEndian: signature)
        writer.append(littleEndian: resolutions)
        return Hash256(hashing: writer.bytes.span.bytes).prefix
    }
}
