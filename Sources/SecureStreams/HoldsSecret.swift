/// A value with a secret in it, which no description, debug output or mirror shows.
package protocol HoldsSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension HoldsSecret {
    /// The name of the type.
    package var description: String { "\(Self.self)" }
    /// The name of the type.
    package var debugDescription: String { description }
    /// A mirror without children: `dump` and the output of a failed test show nothing of the value.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
