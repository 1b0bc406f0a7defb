/// The name of an object at a transport: folders and a last part, separated by `/`.
///
/// Each part has 1 to 64 of the letters `A`–`Z`, `a`–`z`, the digits, `-`, `_` and `.`, and does not begin with a
/// point. Every name is checked on creation, so a name from outside can never lead out of the remote's folder.
///
/// A caller that chooses names follows two rules, so that every remote can hold the objects: no name is also the
/// folder of another (`a` and `a/b`), and no two names differ only in case.
public struct ObjectName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The whole name.
    public let description: String

    /// Creates a name from `text`; `nil` if it does not have that form, or has more than 255 bytes.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard text.utf8.count <= 255, parts.allSatisfy(Self.isPart) else { return nil }
        description = text
    }

    /// Compares names in byte order.
    public static func < (left: ObjectName, right: ObjectName) -> Bool {
        left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
    }

    /// The parts between the `/`; at least one.
    var parts: [String] { description.split(separator: "/").map(String.init) }

    static func isPart(_ part: some Collection<UInt8>) -> Bool {
        guard let first = part.first, first != UInt8(ascii: "."), part.count <= 64 else { return false }
        return part.allSatisfy { letter in
            switch letter {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
    }
}

/// A folder of objects: empty, or a name followed by `/`.
public struct ObjectPrefix: Hashable, Sendable, CustomStringConvertible {
    /// The prefix of the names in the folder.
    public let description: String

    /// The folder as a name; `nil` for ``all``.
    public let folder: ObjectName?

    /// All objects.
    public static let all = ObjectPrefix()

    private init() {
        description = ""
        folder = nil
    }

    /// Creates the prefix of the folder `text`, which has the form of an ``ObjectName``; otherwise `nil`.
    public init?(folder text: String) {
        guard let folder = ObjectName(text) else { return nil }
        description = text + "/"
        self.folder = folder
    }

    /// Returns whether an object is below this folder, at any depth. An object `ab` is not below the folder `a`.
    public func contains(_ name: ObjectName) -> Bool { name.description.utf8.starts(with: description.utf8) }
}
