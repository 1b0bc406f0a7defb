import Foundation

/// The file names in a remote folder, and their meaning. A name is one part of an ``ObjectName``, or a candidate for
/// it.
enum RemoteFileNames {
    // MARK: Objects

    /// Returns whether an object or a folder of objects can have the name.
    static func isOfObject(_ name: String) -> Bool { ObjectName.isPart(name.utf8) && !isOfConflictCopy(name) }

    // MARK: Temporary files

    // Sync programs for folders skip files whose names begin, or end, like this.
    private static let asideStart = ".~groundwave-"
    private static let asideEnd = ".tmp"

    /// Returns a new, unique name for a temporary file.
    static func unused() -> String { asideStart + UUID().uuidString + asideEnd }

    /// Returns whether a name is that of such a temporary file.
    static func isAside(_ name: String) -> Bool {
        name.hasPrefix(asideStart) && name.hasSuffix(asideEnd)
            && UUID(uuidString: String(name.dropFirst(asideStart.count).dropLast(asideEnd.count))) != nil
    }

    // MARK: Files in a cloud

    /// Returns the name of iCloud's placeholder for a file that is not downloaded.
    static func placeholder(of name: String) -> String { ".\(name).icloud" }

    /// Returns the name of the file for which `name` is iCloud's placeholder; `nil` if it is none.
    static func object(ofPlaceholder name: String) -> String? {
        guard name.hasPrefix("."), name.hasSuffix(".icloud") else { return nil }
        let held = String(name.dropFirst().dropLast(".icloud".count))
        return isOfObject(held) ? held : nil
    }

    // MARK: Conflict copies

    /// Returns whether a name looks like that of a conflict copy, although an object could have it too.
    static func isOfConflictCopy(_ name: String) -> Bool {
        ObjectName.isPart(name.utf8) && original(of: name) != nil
    }

    /// Returns the original of a conflict copy made by a sync program; `nil` if the name does not look like such a
    /// copy.
    ///
    /// Of `0001.seg`:
    ///
    /// | program | its copy |
    /// |---|---|
    /// | Dropbox | `0001 (N0CALL's conflicted copy 2026-05-01).seg`, in the user's language |
    /// | Nextcloud, ownCloud | `0001 (conflicted copy 2026-05-01 123456).seg` |
    /// | Google Drive, Windows | `0001 (1).seg` |
    /// | iCloud, Finder | `0001 2.seg` |
    /// | Syncthing | `0001.sync-conflict-20260501-123456-ABCDEFG.seg` |
    /// | OneDrive | `0001-DESKTOP-ABC.seg`, with the machine name given by Windows |
    ///
    /// OneDrive's copies with other machine names cannot be distinguished from objects.
    static func original(of name: String) -> String? {
        let (stem, ending) = split(name)
        let base = stem.utf8.contains(UInt8(ascii: " ")) ? baseOfSpaced(stem) : baseOfPlain(stem)
        guard let base, ObjectName.isPart(base.utf8) else { return nil }
        return String(base) + ending
    }

    /// Splits a name before its last point; without a valid extension, all of it is the stem.
    private static func split(_ name: String) -> (stem: Substring, ending: Substring) {
        guard let point = name.utf8.lastIndex(of: UInt8(ascii: ".")), point > name.startIndex,
            ObjectName.isPart(name[point...].utf8.dropFirst()), !name[point...].contains("sync-conflict-")
        else { return (name[...], "") }
        return (name[..<point], name[point...])
    }

    /// Returns the original stem of a copy whose name may have only characters that object names may have.
    private static func baseOfPlain(_ stem: Substring) -> Substring? {
        if let (base, rest) = cut(stem, before: ".sync-conflict-") {
            let parts = rest.split(separator: "-", omittingEmptySubsequences: false)
            let isDated = parts.count == 3 && parts[0].utf8.count == 8 && parts[1].utf8.count == 6
            guard isDated, parts[0].utf8.allSatisfy(isDigit), parts[1].utf8.allSatisfy(isDigit) else { return nil }
            return parts[2].utf8.count == 7 ? base : nil
        }
        for kind in ["-DESKTOP-", "-LAPTOP-"] {
            if let (base, rest) = cut(stem, before: kind), !rest.isEmpty { return base }
        }
        return nil
    }

    /// Returns the original stem of a copy whose name has a space, which object names never have.
    private static func baseOfSpaced(_ stem: Substring) -> Substring? {
        if stem.utf8.last == UInt8(ascii: ")"), let (base, _) = cut(stem, before: " (") { return base }
        guard let (base, rest) = cut(stem, before: " "), (1...3).contains(rest.utf8.count) else { return nil }
        return rest.utf8.allSatisfy(isDigit) ? base : nil
    }

    private static func isDigit(_ letter: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(letter)
    }

    /// Returns the text before and after the first `mark`.
    private static func cut(_ text: Substring, before mark: String) -> (Substring, Substring)? {
        let (letters, mark) = (text.utf8, mark.utf8)
        var rest = letters
        while let start = rest.firstIndex(of: mark.first!) {
            rest = rest[start...]
            if rest.starts(with: mark) {
                return (text[..<start], text[letters.index(start, offsetBy: mark.count)...])
            }
            rest = rest.dropFirst()
        }
        return nil
    }
}
