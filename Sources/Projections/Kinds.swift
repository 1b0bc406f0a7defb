import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecords

/// The kinds known to the program, those of the domains and those registered by the application, and its projections.
public struct Kinds: Sendable {
    private let schemas: [String: KindSchema]
    /// What a view derives from records of these kinds, in order of role and name.
    let derivations: [Derivation]
    /// The places in ``derivations`` of those that are made of what records of a kind show.
    private let derivationsOfKinds: [String: [Int]]
    /// The places in ``derivations`` of the cells of kinds.
    private let cells: [String: Int]

    /// The version of the layout of the views; increased with every change to the meaning of a row.
    static let viewVersion: UInt64 = 9

    /// Creates a set of kinds. Traps if two have the same name.
    public init(_ schemas: [KindSchema], projections: [any Projection.Type] = []) {
        let known = Dictionary(uniqueKeysWithValues: schemas.map { ($0.name, $0) })
        let inOrder = known.values.sorted { $0.name < $1.name }
        self.init(
            known,
            inOrder.compactMap { Derivation(indexesOf: $0) } + inOrder.compactMap { Derivation(cellsOf: $0) }
                + projections.sorted { $0.name < $1.name }.map { projection in
                    Derivation(projection, projection.kinds.compactMap { known[$0] })
                })
    }

    private init(_ schemas: [String: KindSchema], _ derivations: [Derivation]) {
        self.schemas = schemas
        self.derivations = derivations
        var (derivationsOfKinds, cells) = ([String: [Int]](), [String: Int]())
        for (place, derivation) in derivations.enumerated() {
            for kind in derivation.kinds {
                if derivation.role == .cells {
                    cells[kind] = place
                } else {
                    derivationsOfKinds[kind, default: []].append(place)
                }
            }
        }
        (self.derivationsOfKinds, self.cells) = (derivationsOfKinds, cells)
    }

    /// The kind called `name`, or `nil` if it is not registered.
    public subscript(name: String) -> KindSchema? { schemas[name] }

    /// Returns the same kinds with one field merged by another policy; `nil` if there is no such single-valued field.
    ///
    /// What was derived from their records stays as it is.
    public func reading(_ kind: String, _ field: String, by policy: MergePolicy) -> Kinds? {
        guard let schema = self[kind]?.reading(field, by: policy) else { return nil }
        var schemas = schemas
        schemas[kind] = schema
        return Kinds(schemas, derivations)
    }

    /// The same kinds, of which nothing is derived: for reading records alone.
    package var withoutDerivations: Kinds { Kinds(schemas, []) }

    /// All registered kinds, by name.
    public var all: [KindSchema] { schemas.values.sorted { $0.name < $1.name } }

    /// The places in ``derivations`` of those that are made of what records of `kind` show.
    func derivations(of kind: String) -> [Int] { derivationsOfKinds[kind] ?? [] }

    /// The place in ``derivations`` of the cells of `kind`; `nil` if it has none.
    func cells(of kind: String) -> Int? { cells[kind] }

    /// The place in ``derivations`` of the one called `name`; `nil` if there is none.
    func place(of role: Derivation.Role, _ name: String) -> Int? {
        derivations.firstIndex { $0.role == role && $0.name == name }
    }

    /// A hash of what is declared of the kind called `name`, or of all registered kinds: it changes when this program reads
    /// events that it could not read before, or reads them in another way.
    package func fingerprint(of name: String?) -> UInt64 {
        var writer = ByteWriter()
        for schema in all where name == nil || schema.name == name { writer.append(schema) }
        return writer.withSpan { Hash256(hashing: $0) }.prefix
    }

    /// A hash of the layout of the views, of everything that this program derives, and of the changes to the name resolution
    /// in `log`: for views that lie beside the log for this program alone.
    func signature(for log: EventLog) throws -> UInt64 {
        var writer = ByteWriter()
        writer.append(littleEndian: try Self.layout(for: log))
        for derivation in derivations { writer.append(littleEndian: derivation.fingerprint) }
        return writer.withSpan { Hash256(hashing: $0) }.prefix
    }

    /// A number for the layout of rows of records, and, if there are any, the number of changes to the name resolution in
    /// `log`: for data stored beside the log, which depends on both, and not on the kinds.
    static func layout(for log: EventLog) throws -> UInt64 {
        let resolutions = try log.resolutionsCount()
        if resolutions == 0 { return viewVersion }
        var writer = ByteWriter()
        writer.append(littleEndian: viewVersion)
        writer.append(littleEndian: resolutions)
        return writer.withSpan { Hash256(hashing: $0) }.prefix
    }
}
