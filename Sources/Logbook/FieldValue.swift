import GroundwaveADIF

/// The bytes of a field as text.
public enum FieldValue {
    /// `value` as text: UTF-8, else Windows-1252, which old programs write. It never fails.
    public static func text(_ value: [UInt8]) -> String { ValueText(decoding: value[...]).string }
}
