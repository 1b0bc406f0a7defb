import GroundwaveRecovery
import GroundwaveStore

extension Recovery {
    /// Opens what was salvaged from the damaged log, for reading only: every event that could be read, and what records show
    /// by them. Nothing of it changes; its views are built in a temporary folder.
    ///
    /// - Returns: `nil` if nothing could be salvaged.
    /// - Throws: ``StoreError`` if the salvaged log cannot be read.
    /// - Complexity: A replay of the salvaged events.
    package func salvaged(_ configuration: Configuration) throws -> Store? {
        let files = StoreFiles(files.restored)
        guard files.exists else { return nil }
        var reading = configuration
        reading.isReadOnly = true
        do { return try Store.openWhole(files, reading, nil, areViewsDamaged: true) } catch {
            throw StoreError.wrapping(error, file: files.log)
        }
    }
}
