import Foundation
import GroundwaveSettings
import GroundwaveStore

/// The result of importing preferences. Every key of the file is in exactly one of the lists, or counted in
/// ``credentials``.
public struct SettingsImport: Hashable, Sendable {
    /// Keys whose value changed.
    public var imported: [String] = []
    /// Keys that already had the value.
    public var unchanged: [String] = []
    /// Keys that are not synchronised preferences.
    public var unknown: [String] = []
    /// Keys whose value has the wrong type.
    public var rejected: [String] = []
    /// The number of entries whose key or value looked like a credential. They are not named.
    public var credentials = 0
}

extension Reading {
    /// Exports the synchronised preferences as a JSON file that can be imported again.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: As ``settings()``.
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
    /// Imports synchronised preferences in one batch. Credentials are refused, and unknown keys reported.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - name: The name of the file, for the note and the messages.
    ///   - isDryRun: Whether only to say what would change.
    ///   - note: The reason; “Import settings from” and the name if not given.
    ///   - author: The author, if other than that of the store.
    /// - Throws: ``StoreError`` with code `damaged` if `bytes` are not such a file.
    /// - Complexity: At most one commit.
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
                .damaged, "\(name) is not a settings file.", hint: "To write one: \(.exportSettings)")
        }
        return settings
    }

    /// Returns a JSON value as the text of a preference; `nil` if no preference has such a value.
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
