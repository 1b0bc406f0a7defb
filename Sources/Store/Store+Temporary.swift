import Foundation
import GroundwaveRecovery

extension Store {
    /// Whether this is the store that is used while another one waits for recovery, which will take in what is written here.
    package var isTemporary: Bool {
        let folder = files.folder.standardizedFileURL
        let owner = folder.deletingLastPathComponent().deletingLastPathComponent()
        return RecoveryFiles(owner).temporary.standardizedFileURL.path == folder.path
    }

    /// Throws if the store is only used until a recovery ends: for what concerns a log as a whole, of which it has next to
    /// nothing.
    ///
    /// - Throws: ``StoreError`` with code `recovering`.
    package func requireWhole() throws {
        guard !isTemporary else {
            throw StoreError(
                .recovering, "This store is only used until the recovery ends, and has only what was written since.",
                hint: "Nothing was done. To see what can be done: \(.showRecovery)")
        }
    }
}
