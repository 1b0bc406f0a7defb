import GroundwaveStore

/// A folder, a device, or storage of an application, through which stores of the log synchronise, under the name that the
/// user or the application gave it.
public struct Remote: Hashable, Sendable {
    /// Its name on this device.
    public let name: String
    /// Its address.
    public let address: RemoteAddress

    /// Creates a remote, without adding it to those that a store knows.
    package init(name: String, address: RemoteAddress) {
        self.name = name
        self.address = address
    }

    /// Creates the remote that an application calls `name`.
    ///
    /// - Throws: ``StoreError`` with code `usage` if the name is invalid.
    package init(ofApplication name: String) throws {
        try Self.check(name)
        self.init(name: name, address: .application(name: name))
    }

    /// Returns whether a remote can have this name: up to 32 letters, digits, `-` and `_`.
    static func isName(_ text: String) -> Bool { text.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9_-]{0,31}/) != nil }

    /// Throws unless a remote can have this name.
    package static func check(_ name: String) throws {
        guard isName(name) else {
            throw StoreError(
                .usage, "“\(name)” is not a valid name for a remote.",
                hint: "Use up to 32 letters, digits, - and _, beginning with a letter or digit.")
        }
    }
}
