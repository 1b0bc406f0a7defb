import GroundwaveADIF
import GroundwaveCountryFiles
import GroundwaveEvents
import GroundwaveRecords

/// What a country file says of the other station, as fields of a contact.
///
/// It is written as the word of a source that spoke after all others (decision 39): what a person or another source says is
/// shown before it, whenever that arrives.
package struct CountryFields: Sendable {
    /// The source of these values.
    package static let source = "country file"
    /// Its identifier.
    package static let sourceID = SourceID(name: source)

    /// Later than any stamp, so that every other source counts as having spoken before.
    private static let since = Stamp(rawValue: .max)

    private static let names: [FieldName] = [.dxcc, .country, .cqz, .ituz, .cont]

    private let file: CountryFile

    /// Makes fields by this file.
    package init(_ file: CountryFile) { self.file = file }

    /// Returns the values for a call, by field; none if the file does not know it.
    ///
    /// The name of a DXCC entity is ADIF's, where the file has its number or calls it the same.
    package func values(of call: String) -> [FieldName: String] {
        guard let place = file.place(of: call) else { return [:] }
        var values: [FieldName: String] = [.cont: place.continent]
        values[.cqz] = place.cqZone.map { "\($0)" }
        values[.ituz] = place.ituZone.map { "\($0)" }
        let country = place.country
        let entity =
            country.number.flatMap { DXCCEntity(code: $0) }
            ?? (country.isEntity ? Self.entities[country.name.uppercased()] : nil)
        values[.dxcc] = (country.number ?? entity?.code).map { "\($0)" }
        values[.country] = entity?.name ?? (country.isEntity ? country.name : nil)
        return values
    }

    private static let entities = Dictionary(
        DXCCEntity.all.filter { !$0.isDeleted }.map { ($0.name.uppercased(), $0) },
        uniquingKeysWith: { first, _ in first })

    /// Returns the change that gives a contact what the file says and nobody else does; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - record: The contact; `nil` for a new one.
    ///   - id: Its id.
    ///   - call: Its call, which may be another one than that of `record`.
    ///   - own: The fields that are written beside, which the file says nothing of.
    package func change(of record: Record?, _ id: RecordID, call: String, own: Set<String> = []) -> Change? {
        let values = values(of: call)
        let source = Self.sourceID
        var operations: [FieldOperation] = []
        for name in Self.names where !own.contains(name.name) {
            let key = QSOKind.schema.key(for: name.name)
            let heads = record?[key]?.heads ?? []
            guard heads.allSatisfy({ $0.source == source }) else { continue }
            let value = values[name].map { Array($0.utf8) }
            if heads.isEmpty ? value == nil : heads.count == 1 && heads[0].value == value { continue }
            operations.append(
                value == nil
                    ? FieldOperation(.clear, key, supersedes: heads.map(\.id))
                    : FieldOperation(.set, key, supersedes: heads.map(\.id), value: value, since: Self.since))
        }
        return operations.isEmpty
            ? nil : Change(kind: QSOKind.name, record: id, source: source, operations: operations)
    }
}
