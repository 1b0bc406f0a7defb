import Foundation

/// What a device is called, wherever a name is given: at `init`, at `join` and by renaming.
enum DeviceName {
    /// How many characters a name has at most.
    static let maximumCount = 64

    /// `name` without blanks at its ends.
    ///
    /// - Throws: ``StoreError`` with code `usage` where that is no name: it is one line of 1 to 64 characters, none of which
    ///   acts on a terminal.
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

    /// The host's name, as far as it can be the name of a device.
    static func ofHost(_ name: String = ProcessInfo.processInfo.hostName) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(
            contentsOf: name.unicodeScalars.lazy.filter { !ControlCharacters.contain($0) }.prefix(maximumCount))
        return (try? checked(String(scalars))) ?? "device"
    }
}
