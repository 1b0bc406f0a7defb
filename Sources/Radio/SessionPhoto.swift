import GroundwaveEvents

/// A photo of a session: a file that lies outside the store, by its name, and by its content where that was hashed.
///
/// An element of the session's field `PHOTOS` is the name, or the name, a space, and the SHA-256 of the file in hexadecimal.
public struct SessionPhoto: Hashable, Comparable, Sendable {
    /// The most bytes of a name: of 255 that a file may have, some are left for it while it is written.
    private static let nameBytes = 240

    /// The name of the file: no path, and no name that hides the file.
    public let name: String
    /// The SHA-256 of the file in lower-case hexadecimal; `nil` where any content will do.
    public let hash: String?

    /// The photo that `element` names; `nil` where that is no name of a file.
    public init?(element: String) {
        var name = element[...]
        var hash: String?
        if let space = name.lastIndex(of: " ") {
            let last = name[name.index(after: space)...]
            if last.utf8.count == 64, last.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) {
                (name, hash) = (name[..<space], last.lowercased())
            }
        }
        let isName =
            !name.isEmpty && name.utf8.count <= Self.nameBytes && name.first != "." && name.first != " "
            && name.last != " "
            && name.unicodeScalars.allSatisfy { $0 != "/" && $0 != "\\" && $0.value >= 0x20 && $0.value != 0x7F }
        guard isName else { return nil }
        (self.name, self.hash) = (String(name), hash)
    }

    /// By name.
    public static func < (left: SessionPhoto, right: SessionPhoto) -> Bool {
        (left.name, left.hash ?? "") < (right.name, right.hash ?? "")
    }
}

extension OperatingSession {
    /// Its photos, as far as `PHOTOS` names files.
    public var photos: [SessionPhoto] {
        (fields["PHOTOS"] ?? "").split(separator: ",").compactMap { element in
            SessionPhoto(element: String(element.drop { $0 == " " }))
        }
    }
}
