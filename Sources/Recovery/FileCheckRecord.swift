import Foundation
import GroundwaveLMDB

/// The last full check of a store's file, page by page, and the file's state then. Stored in this device's state
/// folder.
///
/// A process that changes a file of a store under the ``WriterLock`` records the state in which it left the file. A
/// file in any other state, unless it was checked in that state, is checked as a whole before liblmdb follows its
/// pages.
package struct FileCheckRecord: Sendable {
    private struct Note: Codable {
        /// The state of the file at that time.
        var state: [UInt8]
        /// The time of the check, in milliseconds since 1970.
        var at: Int64
        /// How many times in a row the state had changed without a known writer, and the check found no damage.
        var changesByItself = 0
    }

    private let file: String
    private let path: String

    /// The record of the file `name` of the store in `folder`.
    package init(_ name: String, of folder: URL, in stateFolder: URL) {
        file = folder.appending(path: name).path
        path = OpenMark.folder(of: folder, in: stateFolder).path + ".\(name)"
    }

    private var note: Note? {
        FileManager.default.contents(atPath: path).flatMap { try? JSONDecoder().decode(Note.self, from: $0) }
    }

    /// The time of the last full check without damage of the file that is there now, in milliseconds since 1970; `nil`
    /// if unknown.
    package var lastFullCheck: Int64? {
        guard let note, let then = FileState(note.state), let now = FileState(of: file),
            (then.device, then.inode) == (now.device, now.inode)
        else { return nil }
        return note.at
    }

    /// Whether the file is in the state in which a known writer left it, or in which it was checked.
    ///
    /// On some file systems, and with backups by hard links, the metadata of a file changes without a write. After two
    /// checks in a row that found no damage after such a change, the file counts as known for an hour, if its length
    /// stays the same.
    package func isKnown(now: Int64) -> Bool {
        guard let present = FileState(of: file) else { return true }
        if present == WriterLock.noted(of: file) { return true }
        guard let note else { return false }
        if note.state == present.bytes { return true }
        return note.changesByItself >= 2 && now - note.at < Self.hour && now >= note.at
            && FileState(note.state)?.byteCount == present.byteCount
    }

    private static let hour: Int64 = 3_600_000

    /// Checks the file with `check`, and records its state if no damage was found.
    ///
    /// - Parameter wasClean: Whether the only reason for the check was a change without a known writer.
    /// - Returns: The damage that `check` found.
    package func checking<Found>(now: Int64, wasClean: Bool, _ check: () throws -> Found?) rethrows -> Found? {
        let before = FileState(of: file)
        if let found = try check() { return found }
        guard let before, let after = FileState(of: file) else { return nil }
        // A change during the check must be by a known writer; otherwise the state is not recorded.
        guard after == before || after == WriterLock.noted(of: file) else { return nil }
        WriterLock.note(before, of: file)
        let changes = wasClean ? (note?.changesByItself ?? 0) + 1 : 0
        let note = Note(state: before.bytes, at: now, changesByItself: changes)
        // If this cannot be written, the file is checked again next time.
        if let bytes = try? JSONEncoder().encode(note) { try? DurableFile.write([UInt8](bytes), to: path) }
        return nil
    }
}
