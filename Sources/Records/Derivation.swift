import GroundwaveByteCoding
import GroundwaveEvents

/// Rows of a view that are made of what records show: the indexes of a kind, the cells of its series, or a projection of an
/// application.
///
/// A view has rows of the derivations of several programs. Each is known by its name and its ``fingerprint``, and has a
/// number in that view: see ``DerivationDirectory``.
package struct Derivation: Sendable {
    /// What kind of rows it makes. The raw values are stored.
    package enum Role: UInt8, Sendable {
        case index = 1
        case cells = 2
        case projection = 3

        /// What it makes of the kind or for the projection called `name`, for people.
        package func description(of name: String) -> String {
            switch self {
            case .index: "the indexes of \(name)"
            case .cells: "the summaries of \(name)"
            case .projection: "the projection \(name)"
            }
        }
    }

    /// Adds the rows of one record, which was not erased.
    typealias MakeRows =
        @Sendable (_ kind: String, RecordID, _ record: borrowing ShownValues, _ rows: inout IndexEntries) -> Void

    package let role: Role
    /// The name of the kind, or of the projection.
    package let name: String
    /// A hash of everything that is declared of it: rows of another fingerprint are not its rows.
    package let fingerprint: UInt64
    /// The kinds of the records that it is made of.
    package let kinds: [String]
    private let makeRows: MakeRows

    private init(
        _ role: Role, _ name: String, of kinds: [String], _ makeRows: @escaping MakeRows,
        describing describe: (inout ByteWriter) -> Void
    ) {
        self.role = role
        self.name = name
        self.kinds = kinds
        self.makeRows = makeRows
        var writer = ByteWriter()
        writer.append(role.rawValue)
        writer.append(text: name)
        describe(&writer)
        fingerprint = writer.withSpan { Hash256(hashing: $0) }.prefix
    }

    /// The indexes of a kind; `nil` if it has none.
    init?(indexesOf schema: KindSchema) {
        if schema.indexes.isEmpty { return nil }
        let declared = schema.indexes.map(\.number)
        self.init(.index, schema.name, of: [schema.name]) { _, _, record, rows in
            schema.indexEntries(record, &rows)
            rows.keep { declared.contains($0) }
        } describing: { writer in
            writer.append(schema: schema)
            for index in schema.indexes.sorted(by: { $0.number < $1.number }) {
                writer.append(index.number)
                writer.append(text: index.name)
                writer.append(littleEndian: index.version)
            }
        }
    }

    /// The cells of the series of a kind; `nil` if it has none.
    init?(cellsOf schema: KindSchema) {
        guard let series = schema.series else { return nil }
        self.init(.cells, schema.name, of: [schema.name], { _, _, _, _ in }) { writer in
            writer.append(littleEndian: series.itemsPerCell)
            writer.append(littleEndian: series.factor)
            writer.append(littleEndian: UInt64(series.levelCount))
            writer.append(littleEndian: series.version)
        }
    }

    /// A projection of an application.
    ///
    /// - Parameter schemas: The schemas of those of its kinds that are registered.
    init(_ projection: any Projection.Type, _ schemas: [KindSchema]) {
        self.init(.projection, projection.name, of: projection.kinds) { kind, id, record, rows in
            var projected = ProjectedRows(rows)
            rows = IndexEntries()
            projection.project(kind, id, record, into: &projected)
            rows = projected.entries
        } describing: { writer in
            writer.append(littleEndian: projection.version)
            for kind in projection.kinds { writer.append(text: kind) }
            for schema in schemas { writer.append(schema: schema) }
        }
    }

    /// What it makes, for people.
    package var description: String { role.description(of: name) }

    /// Makes `rows` the rows of a record: none if it was erased.
    package func makeRows(
        of record: RecordID, _ kind: String, _ state: RecordState, _ names: Names, _ schema: KindSchema?,
        into rows: inout IndexEntries
    ) {
        rows.removeAll()
        if state.isErased { return }
        makeRows(kind, record, ShownValues(state, names, schema: schema), &rows)
        rows.settle()
    }
}

extension ByteWriter {
    /// Appends what decides which values records of a kind show, and the version of its fields.
    mutating func append(schema: KindSchema) {
        append(text: schema.name)
        append(littleEndian: schema.version)
        append(text: schema.namedPolicy.rawValue)
        for field in schema.fields.sorted(by: { $0.number < $1.number }) {
            append(littleEndian: field.number)
            append(text: field.name)
            append(text: field.policy.rawValue)
            append(text: field.type.word)
            append(varint: field.members.count)
            for member in field.members { append(text: member) }
        }
    }
}
