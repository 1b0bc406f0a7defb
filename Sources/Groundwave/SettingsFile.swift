import Foundation
import Settings

/// What an import of preferences did. Every key of the file is in exactly one of the lists.
public struct SettingsImport: Hashable, Sendable {
    /// Keys that have another value now.
    public var imported: [String] = []
    /// Keys that had the value already.
    public var unchanged: [String] = []
    /// Keys that are not among those that travel.
    public var unknown: [String] = []
    /// Keys whose value is not of their type.
    public var rejected: [String] = []
    /// How many keys or values looked like credentials. They are not named.
    public var credentials = 0
}

extension Reading {
    /// The preferences that travel, as a JSON file that can be read back.
    public func exportSettings() throws -> [UInt8] {
        var object: [String: Any] = [:]
        for entry in try settings() {
            guard let type = entry.type else { continue }
            object[entry.key] =
                switch type {
                case .string, .data: entry.value
                case .bool: entry.value == "true"
                case .int: Int(entry.value) ?? 0
                case .stringArray:
                    entry.value.isEmpty
                        ? [] : entry.value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                }
        }
        let data = try JSONSerialization.data(
            withJSONObject: ["v": 1, "settings": object],
            options: [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes])
        return [UInt8](data) + [UInt8(ascii: "\n")]
    }
}

extension Store {
    /// Takes in preferences that travel, all in one batch; credentials are refused, and unknown keys told.
    ///
    /// - Parameter name: What the file is called, for the note and the messages.
    /// - Throws: ``StoreError`` with code `damaged` where `bytes` are no such file.
    public func importSettings(
        _ bytes: [UInt8], named name: String, isDryRun: Bool = false, note: String? = nil, author: String? = nil
    ) async throws -> SettingsImport {
        var report = SettingsImport()
        var wanted: [(key: String, value: String)] = []
        for (key, json) in try Self.settings(in: bytes, named: name).sorted(by: { $0.key < $1.key }) {
            let value = Self.text(json)
            do {
                let scope = try Self.permitted(key, value: value)
                if case .synced = scope, let value {
                    wanted.append((key, value))
                } else if case .synced = scope {
                    report.rejected.append(key)
                } else {
                    report.unknown.append(key)
                }
            } catch let error as StoreError {
                if error.code == .notPermitted { report.credentials += 1 } else { report.rejected.append(key) }
            }
        }
        for (key, value) in wanted {
            if try setting(key)?.value == value { report.unchanged.append(key) } else { report.imported.append(key) }
        }
        if !report.imported.isEmpty, !isDryRun {
            let changes = wanted
            _ = try await write(note: note ?? "Import settings from \(name)", author: author) { batch in
                for (key, value) in changes { _ = try batch.set(setting: key, to: value) }
            }
        }
        return report
    }

    private static func settings(in bytes: [UInt8], named name: String) throws -> [String: Any] {
        let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        guard let object, let settings = object["settings"] as? [String: Any] else {
            throw StoreError(
                .damaged, "\(name) is not a settings file.", hint: "groundwave settings export writes one.")
        }
        return settings
    }

    /// A JSON value as the text of a preference; `nil` where it is none.
    private static func text(_ json: Any) -> String? {
        switch json {
        case let text as String: text
        case let elements as [String]: elements.contains { $0.contains(",") } ? nil : elements.joined(separator: ",")
        case let number as NSNumber:
            // JSONSerialization gives true and 1 the same class; the type's encoding tells them apart.
            String(cString: number.objCType) == "c" ? (number.boolValue ? "true" : "false") : number.stringValue
        default: nil
        }
    }
}
