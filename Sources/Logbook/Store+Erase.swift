import GroundwaveAuditing
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore
import GroundwaveSyncing

extension Store {
    /// Erases contacts: see ``erase(_:kind:note:author:)``.
    ///
    /// - Throws: Also ``StoreError`` with code `usage` if the note, which stays for ever, names the call of one of them.
    /// - Complexity: As ``erase(_:kind:note:author:)``.
    @discardableResult
    public func erase(_ contacts: [RecordID], note: String = "", author: String? = nil) async throws -> Erased {
        try await erase(contacts, kind: QSOKind.name, note: note, author: author)
    }
}

extension Store {
    /// The archives that have values of contacts: see ``archives(covering:kind:)``.
    ///
    /// - Throws: As ``archives(covering:kind:)``.
    /// - Complexity: As ``archives(covering:kind:)``.
    public func archives(covering contacts: [RecordID]) throws -> [ArchiveMade] {
        try archives(covering: contacts, kind: QSOKind.name)
    }
}

extension Clearing {
    /// Contacts that show.
    public var contacts: Int { records[QSOKind.name] ?? 0 }
}
