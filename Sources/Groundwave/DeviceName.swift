import Foundation

/// The rules for the name of a device: at `init`, at `join` and when it is renamed.
enum DeviceName {
    /// The maximum number of characters (Unicode scalars) in a name.
    static let maximumCount = 64

    /// Returns `name` without the spaces at its ends.
    ///
    /// - Throws: ``StoreError`` with code `usage` if it is not a valid name: one line of 1 to 64 characters, without
    ///   control characters.
    static func checked(_ name: String) throws(StoreError) -> String {
        let trimmed = String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        let scalars = trimmed.unicodeScalars
        guard !scalars.isEmpty, scalars.count <= maximumCount, !scalars.contains(where: ControlCharacters.contain)
        else {
            throw StoreError(
                .usage, "That is not a valid name for a device.",
                hint: "Use one line of at most \(maximumCount) characters, without control characters.")
        }
        return trimmed
    }

    /// Returns the host's name, reduced to a valid device name; `device` if that leaves nothing.
    static func ofHost(_ name: String = ProcessInfo.processInfo.hostName) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(
            contentsOf: name.unicodeScalars.lazy.filter { !ControlCharacters.contain($0) }.prefix(maximumCount))
        return (try? checked(String(scalars))) ?? "device"
    }
}
