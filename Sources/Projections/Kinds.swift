import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecords

/// The kinds that a program knows: those of the domains and those that the application registered.
public struct Kinds: Sendable {
    private let schemas: [String: KindSchema]

    /// What the layout of the views themselves is; raised when a row changes its meaning.
    static let viewVersion: UInt32 = 5

    /// These kinds; traps where two have one name.
    public init(_ schemas: [KindSchema]) {
        self.schemas = Dictionary(uniqueKeysWithValues: schemas.map { ($0.name, $0) })
    }

    /// The kind called `name`, or `nil` where nobody registered it.
    public subscript(name: String) -> KindSchema? { schemas[name] }

    /// The same kinds with one field read by another policy; `nil` where there is no such field of one value.
    public func reading(_ kind: String, _ field: String, by policy: MergePolicy) -> Kinds? {
        guard let schema = self[kind]?.reading(field, by: policy) else { return nil }
        return Kinds(all.map { $0.name == kind ? schema : $0 })
    }

    /// All registered kinds, by name.
    public var all: [KindSchema] { schemas.values.sorted { $0.name < $1.name } }

    /// Changes whenever views made by another version would be wrong.
    var signature: UInt64 {
        var writer = ByteWriter()
        writer.append(littleEndian: Self.viewVersion)
        for schema in all {
            writer.append(text: schema.name)
            writer.append(littleEndian: schema.version)
        }
        return Hash256(hashing: writer.bytes.span.bytes).prefix
    }

    /// As ``signature``, and how the names in the events of `log` are read: what is kept beside the log is of both.
    func signature(for log: EventLog) throws -> UInt64 {
        let readings = try log.readingsCount()
        if readings == 0 { return signature }
        var writer = ByteWriter()
        writer.append(littleEndian: signature)
        writer.append(littleEndian: readings)
        return Hash256(hashing: writer.bytes.span.bytes).prefix
    }
}
