import GroundwaveADIF

/// Field values as text.
package enum FieldValue {
    /// Returns `value` as text: UTF-8, else Windows-1252, which old programs write. Never fails.
    package static func text(_ value: [UInt8]) -> String { ValueText(decoding: value[...]).string }
}
