import GroundwaveADIF
import GroundwaveRecords
import GroundwaveStore

/// Writes contacts into SQLite databases. The SQLite component provides it.
package protocol ContactDatabase: Sendable {
    /// Writes the contacts that `each` hands out into the empty file at `path`.
    ///
    /// - Parameters:
    ///   - names: The fields that get a column, in order.
    ///   - facts: The rows of the table `export`.
    /// - Returns: What was left out.
    func write(
        _ names: [FieldName], path: String, facts: [(key: String, value: String)],
        _ each: (_ take: (RecordID, borrowing ShownValues) throws -> Void) throws -> Void
    ) throws -> [ExportReport.Remark]

    /// Whether `error` comes from writing the database.
    func isOfWriting(_ error: any Error) -> Bool
}

extension [StoreComponent] {
    /// The writer of contact databases of one of the components.
    ///
    /// - Throws: ``StoreError`` with code `usage` if none has one.
    func contactDatabase() throws -> any ContactDatabase {
        for component in self { if let database = component.service as? any ContactDatabase { return database } }
        throw StoreError(
            .usage, "This program was built without the SQLite component.", hint: "Choose another format.")
    }
}
