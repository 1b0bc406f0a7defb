import Foundation
import GroundwaveLMDB

/// When a file of a store was looked at last, page by page, and as what: kept in this device's state folder.
///
/// Who changes a file of a store under the ``WriterLock`` notes how it was left. A file that is as nobody of ours left it,
/// nor anybody has looked at, is looked at as a whole before liblmdb follows its pages.
package struct LookedAt: Sendable {
    private struct Note: Codable {
        /// The file as it was then.
        var state: [UInt8]
        /// When, in milliseconds since 1970.
        var at: Int64
        /// How often in a row the file had changed by nobody of ours and was found whole.
        var changesByItself = 0
    }

    private let file: String
    private let path: String

    /// What is known of the file `name` of the store in `folder`.
    package init(_ name: String, of folder: URL, in stateFolder: URL) {
        file = folder.appending(path: name).path
        path = OpenMark.folder(of: folder, in: stateFolder).path + ".\(name)"
    }

    private var note: Note? {
        FileManager.default.contents(atPath: path).flatMap { try? JSONDecoder().decode(Note.self, from: $0) }
    }

    /// When the whole file that is there now was found in order last, in milliseconds since 1970; `nil` where that is not
    /// known.
    package var lastWhole: Int64? {
        guard let note, let then = FileState(note.state), let now = FileState(of: file),
            (then.device, then.inode) == (now.device, now.inode)
        else { return nil }
        return note.at
    }

    /// Whether the file is as somebody of ours has left it, or as it was looked at.
    ///
    /// Some file systems, and backups by hard links, change by themselves what they say of a file. Where it was found whole
    /// twice in a row after such a change, it counts as known for an hour, as long as its length stays.
    package func isKnown(now: Int64) -> Bool {
        guard let present = FileState(of: file) else { return true }
        if present == WriterLock.noted(of: file) { return true }
        guard let note else { return false }
        if note.state == present.bytes { return true }
        return note.changesByItself >= 2 && now - note.at < Self.hour && now >= note.at
            && FileState(note.state)?.byteCount == present.byteCount
    }

    private static let hour: Int64 = 3_600_000

    /// Looks at the file with `look`, and notes that it did where that found nothing.
    ///
    /// - Parameter wasClean: Whether nothing but a change by nobody of ours was the reason.
    /// - Returns: What `look` found.
    package func looking<Found>(now: Int64, wasClean: Bool, _ look: () throws -> Found?) rethrows -> Found? {
        let before = FileState(of: file)
        if let found = try look() { return found }
        guard let before, let after = FileState(of: file) else { return nil }
        // What changed meanwhile was changed by somebody of ours, or is not known.
        guard after == before || after == WriterLock.noted(of: file) else { return nil }
        WriterLock.note(before, of: file)
        let changes = wasClean ? (note?.changesByItself ?? 0) + 1 : 0
        let note = Note(state: before.bytes, at: now, changesByItself: changes)
        // Where that cannot be written, it is looked at again.
        if let bytes = try? JSONEncoder().encode(note) { try? DurableFile.write([UInt8](bytes), to: path) }
        return nil
    }
}
