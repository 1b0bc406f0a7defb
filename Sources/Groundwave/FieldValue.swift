import ADIF

/// Field values as text.
public enum FieldValue {
    /// Returns `value` as text: UTF-8, else Windows-1252, which old programs write. Never fails.
    public static func text(_ value: [UInt8]) -> String { ValueText(decoding: value[...]).string }
}
