import GroundwaveEvents

/// A photo of a session: a file outside the store, identified by its name, and by its hash if it has one.
///
/// An element of the session's field `PHOTOS` is the name, or the name, a space, and the SHA-256 of the file in
/// hexadecimal.
public struct SessionPhoto: Hashable, Comparable, Sendable {
    /// The most bytes of a name. A file name may have 255; the rest is for the suffix that it has while the file is
    /// written.
    private static let nameByteLimit = 240

    /// The name of the file: not a path, and not the name of a hidden file.
    public let name: String
    /// The SHA-256 of the file in lower-case hexadecimal; `nil` if any content is accepted.
    public let hash: String?

    /// Creates the photo described by `element`; `nil` if its name is not a valid file name.
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
            !name.isEmpty && name.utf8.count <= Self.nameByteLimit && name.first != "." && name.first != " "
            && name.last != " "
            && name.unicodeScalars.allSatisfy { $0 != "/" && $0 != "\\" && $0.value >= 0x20 && $0.value != 0x7F }
        guard isName else { return nil }
        (self.name, self.hash) = (String(name), hash)
    }

    /// Orders photos by name, then by hash.
    public static func < (left: SessionPhoto, right: SessionPhoto) -> Bool {
        (left.name, left.hash ?? "") < (right.name, right.hash ?? "")
    }
}

extension OperatingSession {
    /// The photos of the session, in order: the elements of `PHOTOS`, which commas separate. Elements without a valid
    /// file name are left out.
    public var photos: [SessionPhoto] {
        (fields["PHOTOS"] ?? "").split(separator: ",").compactMap { element in
            SessionPhoto(element: String(element.drop { $0 == " " }))
        }
    }
}
