import GroundwaveEvents

/// The name of a snapshot at a remote: when it was made, and the beginning of its hash.
///
/// | object | |
/// |---|---|
/// | `snapshots/heads/TIME-HASH.head` | its head: a ``PlacedSnapshotHead``, written last |
/// | `snapshots/parts/TIME-HASH-NUMBER.part` | 4 MiB of its bytes, numbered from 1; the last part may be shorter |
///
/// TIME has 15 digits: milliseconds since 1970, so that the byte order of names is their order in time. HASH has 32
/// hexadecimal digits, NUMBER four decimal ones. No snapshot has a folder of its own, which would stay when it is deleted.
package struct PlacedSnapshotName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// When the snapshot was made, by the clock of its writer: milliseconds since 1970.
    package let created: Int64
    /// The text form, as in the names of the objects.
    package let description: String

    private static let digitCount = 15

    /// The name of the snapshot with this hash; `nil` if the time has no such form.
    package init?(created: Int64, hash: Hash256) {
        let digits = String(created)
        guard created >= 0, digits.count <= Self.digitCount else { return nil }
        self.created = created
        let zeros = String(repeating: "0", count: Self.digitCount - digits.count)
        description = "\(zeros)\(digits)-\(hash.description.prefix(32))"
    }

    /// The name that `text` is the text form of; `nil` if it is none.
    init?(_ text: some StringProtocol) {
        let letters = Array(text.utf8)
        guard letters.count == Self.digitCount + 33, letters[Self.digitCount] == UInt8(ascii: "-"),
            letters.prefix(Self.digitCount).allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            letters.suffix(32).allSatisfy(Self.isHexadecimal), let created = Int64(text.prefix(Self.digitCount))
        else { return nil }
        self.created = created
        description = String(text)
    }

    private static func isHexadecimal(_ letter: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(letter)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(letter)
    }

    /// By time, then by hash.
    package static func < (left: Self, right: Self) -> Bool {
        left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
    }

    static let heads = prefix("snapshots/heads")
    static let parts = prefix("snapshots/parts")

    var head: ObjectName { Self.object("snapshots/heads/\(self).head") }

    /// - Parameter number: From 1 to 9999.
    func part(_ number: Int) -> ObjectName {
        let digits = String(number)
        return Self.object("snapshots/parts/\(self)-\(String(repeating: "0", count: 4 - digits.count))\(digits).part")
    }

    /// The name in that of a head; `nil` if the object is none.
    init?(ofHead object: ObjectName) {
        let last = object.description.split(separator: "/").last ?? ""
        guard last.hasSuffix(".head"), let name = Self(last.dropLast(5)), name.head == object else { return nil }
        self = name
    }

    /// The name of the snapshot that an object is a part of; `nil` if it is none.
    init?(ofPart object: ObjectName) {
        let last = object.description.split(separator: "/").last ?? ""
        guard last.hasSuffix(".part"), let name = Self(last.dropLast(10)), let number = Int(last.dropLast(5).suffix(4)),
            number >= 1, name.part(number) == object
        else { return nil }
        self = name
    }

    private static func object(_ text: String) -> ObjectName {
        guard let name = ObjectName(text) else { preconditionFailure("\(text) is the name of an object.") }
        return name
    }

    private static func prefix(_ text: String) -> ObjectPrefix {
        guard let prefix = ObjectPrefix(folder: text) else { preconditionFailure("\(text) is a folder.") }
        return prefix
    }
}
