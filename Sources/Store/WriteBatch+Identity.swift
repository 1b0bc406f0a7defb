import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// The record of each batch that was written under an id of the application. It closes the batch. Its own id is a hash
/// of that id under the log's key, so it tells nothing about it.
package enum WriteKind: RecordKind {
    package static let name = "write"
    package static let schema = KindSchema(name: name, fields: [FieldSchema(1, "COUNT")])
}

/// What a batch is known by, so that it is written once.
struct BatchIdentity {
    /// The most bytes of an id.
    static let limit = 1024

    /// The record that says that the batch was written.
    let record: RecordID
    private let hash: KeyedHash
    private let id: String
    private var count: UInt64 = 0

    /// - Parameter key: The log's key for ids.
    init(_ id: String, key: [UInt8]) throws {
        guard (1...Self.limit).contains(id.utf8.count) else {
            throw StoreError(
                .usage, "The id of a batch has \(id.utf8.count) bytes.", hint: "Use 1 to \(Self.limit) bytes.")
        }
        hash = KeyedHash(key: key)
        self.id = id
        record = Self.name(0, of: id, hash)
    }

    /// Returns the id of the next new record: the same ones whenever the batch is filled again, on any device.
    mutating func nextID() -> RecordID {
        count += 1
        return Self.name(count, of: id, hash)
    }

    private static func name(_ number: UInt64, of id: String, _ hash: KeyedHash) -> RecordID {
        let bytes = Array("\(number) batch \(id)".utf8)
        let name = hash(bytes.span.bytes).id
        return RecordID(high: name.high, low: name.low)
    }
}

extension WriteBatch {
    /// Gives the batch the identity `id`; returns the batch that was written under it before, by whomever.
    mutating func identify(as id: String) throws -> Batch? {
        let identity = try BatchIdentity(
            id, key: views.read { [roster = try views.log.roster()] in try $0.idKey(by: roster) })
        self.identity = identity
        let known = try record(WriteKind.name, identity.record)
        return try known.flatMap { try Batch(closing: $0.firstPosition, in: views.log) }
    }

    /// Appends the record that says that the batch was written, if it has an identity and writes anything.
    mutating func close() throws {
        guard let identity, !changes.isEmpty else { return }
        let count = [Assignment("COUNT", text: "\(changes.count)")]
        try append(
            Change(
                kind: WriteKind.name, record: identity.record,
                operations: WriteKind.schema.operations(assigning: count, to: nil)))
    }
}
