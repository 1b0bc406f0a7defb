import Foundation

/// Which names a folder can hold, and what each says. A name here is one part of an ``ObjectName``, or was to be one.
enum PlaceNames {
    // MARK: Objects

    /// Whether an object or a folder of objects can have the name.
    static func isOfObject(_ name: String) -> Bool { ObjectName.isPart(name.utf8) && !isOfConflictCopy(name) }

    // MARK: Files in the making

    // Programs that copy folders take files whose names begin like this, or end like this, for nobody else's business.
    private static let asideStart = ".~groundwave-"
    private static let asideEnd = ".tmp"

    /// A name that nobody has used or will use.
    static func unused() -> String { asideStart + UUID().uuidString + asideEnd }

    /// Whether it is such a name.
    static func isAside(_ name: String) -> Bool {
        name.hasPrefix(asideStart) && name.hasSuffix(asideEnd)
            && UUID(uuidString: String(name.dropFirst(asideStart.count).dropLast(asideEnd.count))) != nil
    }

    // MARK: Files that a cloud has

    /// What iCloud puts in the place of a file that is not downloaded.
    static func placeholder(of name: String) -> String { ".\(name).icloud" }

    /// The file in whose place it stands.
    static func placeheld(by name: String) -> String? {
        guard name.hasPrefix("."), name.hasSuffix(".icloud") else { return nil }
        let held = String(name.dropFirst().dropLast(".icloud".count))
        return isOfObject(held) ? held : nil
    }

    // MARK: Conflict copies

    /// Whether it is the name of a conflict copy, though an object could have it too.
    static func isOfConflictCopy(_ name: String) -> Bool {
        ObjectName.isPart(name.utf8) && original(of: name) != nil
    }

    /// The name of which a program has made this one, for a copy; `nil` where it does not look like one.
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
    /// | OneDrive | `0001-DESKTOP-ABC.seg`, with the name that Windows gives to a machine |
    ///
    /// Other machines' names with OneDrive cannot be told from objects.
    static func original(of name: String) -> String? {
        let (stem, ending) = split(name)
        let base = stem.utf8.contains(UInt8(ascii: " ")) ? baseOfSpaced(stem) : baseOfPlain(stem)
        guard let base, ObjectName.isPart(base.utf8) else { return nil }
        return String(base) + ending
    }

    /// What stands before the last point, and the rest; all of it where what follows the point is no ending.
    private static func split(_ name: String) -> (stem: Substring, ending: Substring) {
        guard let point = name.utf8.lastIndex(of: UInt8(ascii: ".")), point > name.startIndex,
            ObjectName.isPart(name[point...].utf8.dropFirst()), !name[point...].contains("sync-conflict-")
        else { return (name[...], "") }
        return (name[..<point], name[point...])
    }

    /// The base of a copy whose name may have only letters that objects have too.
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

    /// The base of a copy whose name has a space, which none of objects has.
    private static func baseOfSpaced(_ stem: Substring) -> Substring? {
        if stem.utf8.last == UInt8(ascii: ")"), let (base, _) = cut(stem, before: " (") { return base }
        guard let (base, rest) = cut(stem, before: " "), (1...3).contains(rest.utf8.count) else { return nil }
        return rest.utf8.allSatisfy(isDigit) ? base : nil
    }

    private static func isDigit(_ letter: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(letter)
    }

    /// What stands before the first `mark`, and behind it.
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
