import GroundwaveByteCoding
import GroundwaveEvents

/// The number of a field in one store's views: the schema's number, or a local one for a field that has only a name.
public typealias FieldOrdinal = UInt32

extension FieldOrdinal {
    /// Ordinals from here on stand for names.
    static let firstNamed: FieldOrdinal = 0x4000_0000
    /// The field of a `RecordState.Superseded` entry for a delete that was superseded before it was received.
    static let deletion: FieldOrdinal = .max
}

/// Short local numbers for the long names in a log: replicas, sources, fields without a number.
///
/// They keep rows small and comparisons cheap. They differ between stores, so nothing that leaves a view uses them.
public struct Names: Sendable {
    /// The replicas in the order in which they were first seen.
    public private(set) var replicas: [ReplicaID] = []
    /// The sources in the order in which they were first seen; source 1 is the first.
    public private(set) var sources: [SourceID] = []
    /// The names of fields in the order in which they were first seen.
    public private(set) var fields: [String] = []
    private var replicaOrdinals: [ReplicaID: UInt32] = [:]
    private var sourceOrdinals: [SourceID: UInt32] = [:]
    private var fieldOrdinals: [FieldKey: FieldOrdinal] = [:]

    /// No names.
    public init() {}

    /// Decodes names that ``encode()`` has encoded.
    public init(decoding bytes: RawSpan) throws(ByteCodingError) {
        var reader = ByteReader()
        let replicaCount = try reader.count(in: bytes, limit: bytes.byteCount / 16)
        for _ in 0..<replicaCount {
            _ = ordinal(of: ReplicaID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes))
        }
        let sourceCount = try reader.count(in: bytes, limit: bytes.byteCount / 8)
        for _ in 0..<sourceCount {
            let offset = try reader.skip(8, in: bytes).lowerBound
            _ = ordinal(of: SourceID(rawValue: bytes.bigEndianUInt64(at: offset)))
        }
        let fieldCount = try reader.count(in: bytes, limit: bytes.byteCount)
        for _ in 0..<fieldCount { _ = ordinal(of: .name(try reader.text(in: bytes))) }
        try reader.finish(in: bytes)
    }

    /// Encodes all names in order.
    public func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.append(varint: replicas.count)
        for replica in replicas { writer.append(replica) }
        writer.append(varint: sources.count)
        for source in sources { writer.append(bigEndian: source.rawValue) }
        writer.append(varint: fields.count)
        for field in fields { writer.append(text: field) }
        return writer.bytes
    }

    /// The number of names; it grows with every new name.
    public var count: Int { replicas.count + sources.count + fields.count }

    /// Whether `other` gives the same numbers to all these names.
    public func isPrefix(of other: Names) -> Bool {
        other.replicas.starts(with: replicas) && other.sources.starts(with: sources)
            && other.fields.starts(with: fields)
    }

    /// Returns the number of a replica; assigns one if it has none.
    public mutating func ordinal(of replica: ReplicaID) -> UInt32 {
        if let last = replicas.last, last == replica { return UInt32(replicas.count - 1) }
        if let known = replicaOrdinals[replica] { return known }
        let ordinal = UInt32(replicas.count)
        replicas.append(replica)
        replicaOrdinals[replica] = ordinal
        return ordinal
    }

    /// Returns the number of a source, from 1; assigns one if it has none.
    public mutating func ordinal(of source: SourceID) -> UInt32 {
        if let known = sourceOrdinals[source] { return known }
        sources.append(source)
        sourceOrdinals[source] = UInt32(sources.count)
        return UInt32(sources.count)
    }

    /// Returns the number of a field; assigns one to a name that is new.
    public mutating func ordinal(of field: FieldKey) -> FieldOrdinal {
        switch field {
        case .number(let number): return number
        case .name(let name):
            if let known = fieldOrdinals[field] { return known }
            let ordinal = FieldOrdinal.firstNamed + UInt32(fields.count)
            fields.append(name)
            fieldOrdinals[field] = ordinal
            return ordinal
        }
    }

    /// The number of a replica, or `nil` if it has none.
    public func knownOrdinal(of replica: ReplicaID) -> UInt32? { replicaOrdinals[replica] }

    /// The number of a source, or `nil` if it has none.
    public func knownOrdinal(of source: SourceID) -> UInt32? { sourceOrdinals[source] }

    /// The number of a field, or `nil` if its name has none.
    public func knownOrdinal(of field: FieldKey) -> FieldOrdinal? {
        switch field {
        case .number(let number): number
        case .name: fieldOrdinals[field]
        }
    }

    /// The field that `ordinal` stands for.
    public func field(_ ordinal: FieldOrdinal) -> FieldKey {
        ordinal < .firstNamed ? .number(ordinal) : .name(fields[Int(ordinal - .firstNamed)])
    }
}
