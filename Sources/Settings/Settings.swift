import ByteCoding
import Events
import Records

/// Preferences: which are synced between devices, which stay on one device, and which are refused.
public enum Settings {
    /// All kinds of this domain.
    public static let allKinds: [KindSchema] = [setting]

    /// A synced preference: one record for each key, last write wins.
    public static let setting = KindSchema(name: "setting", fields: [FieldSchema(1, "KEY"), FieldSchema(2, "VALUE")])

    /// The record of the preference `key`: derived from the key, so that all devices use the same record.
    public static func recordID(of key: String) -> RecordID {
        let hash = [UInt8]("setting:\(key)".utf8).withSpan { Hash256(hashing: $0) }
        return RecordID(high: hash.id.high, low: hash.id.low)
    }

    /// Where the value of a key may be stored.
    public enum Scope: Hashable, Sendable {
        /// It is synced; its values are of this type.
        case synced(SettingType)
        /// It stays on this device.
        case deviceLocal
        /// It names a credential, and is not stored at all.
        case refused(reason: String)
    }

    /// Where the value of `key` may be stored.
    public static func scope(of key: String) -> Scope {
        if let word = CredentialSigns.word(in: key) {
            return .refused(
                reason: "“\(word)” is the name of a credential. Groundwave stores no passwords, keys or tokens: "
                    + "use the system's keychain.")
        }
        if let type = SyncedSettings.types[key] { return .synced(type) }
        return .deviceLocal
    }

    /// Whether `value` looks like a credential although its key does not; such a value is refused, too.
    ///
    /// It looks for the marks that services put on their keys, private keys in PEM form, and names of credentials
    /// inside structured values, also in encoded form.
    public static func looksLikeCredential(_ value: String) -> Bool { CredentialSigns.areIn(value) }
}

/// The type of a preference's value.
public enum SettingType: String, Hashable, Sendable {
    /// Any text.
    case string
    /// `true` or `false`.
    case bool
    /// A whole number.
    case int
    /// Text that holds bytes as base64.
    case data
    /// Elements separated by commas.
    case stringArray

    /// Whether `value` is valid for this type.
    public func accepts(_ value: String) -> Bool {
        switch self {
        case .string, .stringArray: true
        case .bool: value == "true" || value == "false"
        case .int: Int(value) != nil
        case .data:
            value.utf8.count % 4 == 0
                && value.utf8.allSatisfy { $0.isBase64 }
        }
    }

    /// A description of the valid values, for an error message.
    public var example: String {
        switch self {
        case .string: "any text"
        case .bool: "true or false"
        case .int: "a whole number"
        case .data: "bytes in base64"
        case .stringArray: "words separated by commas"
        }
    }
}

extension UInt8 {
    fileprivate var isBase64: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
