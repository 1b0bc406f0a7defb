import Events
import Foundation
import Projections
import Records
import Settings

/// A preference and its value.
public struct SettingEntry: Hashable, Sendable {
    /// Its name.
    public let key: String
    /// Its value as text.
    public let value: String
    /// The type of a preference that travels; `nil` where it stays on this device.
    public let type: SettingType?

    /// Whether it travels between devices.
    public var travels: Bool { type != nil }
}

extension Reading {
    /// The value of a preference, or `nil` where it has none.
    ///
    /// - Throws: ``StoreError`` with code `notPermitted` where the key names a credential.
    public func setting(_ key: String) throws -> SettingEntry? {
        switch try Store.permitted(key, value: nil) {
        case .synced(let type):
            guard let record = try read({ try $0.record(Settings.setting.name, Settings.recordID(of: key)) }),
                record.isVisible, let value = Settings.setting.value(of: "VALUE", in: record)
            else { return nil }
            return SettingEntry(key: key, value: String(decoding: value, as: UTF8.self), type: type)
        case .deviceLocal, .refused:
            return try localSettings()[key].map { SettingEntry(key: key, value: $0, type: nil) }
        }
    }

    /// All preferences that have a value, by name: those that travel, and those that stay.
    public func settings() throws -> [SettingEntry] {
        var entries: [SettingEntry] = []
        try read { view in
            try view.forEachRecord(of: Settings.setting.name) { record in
                func text(_ name: String) -> String? {
                    Settings.setting.value(of: name, in: record).map { String(decoding: $0, as: UTF8.self) }
                }
                if record.isVisible, let key = text("KEY"), let value = text("VALUE") {
                    entries.append(SettingEntry(key: key, value: value, type: SyncedSettings.types[key] ?? .string))
                }
                return true
            }
        }
        entries += try localSettings().map { SettingEntry(key: $0.key, value: $0.value, type: nil) }
        return entries.sorted { ($0.key, $0.travels ? 0 : 1) < ($1.key, $1.travels ? 0 : 1) }
    }

    /// Those that stay on this device; they have no history, so no past moment has any.
    private func localSettings() throws -> [String: String] {
        self is Store ? try LocalSettings(StoreFiles(url)).values() : [:]
    }
}

extension Store {
    /// Sets a preference, or takes its value away.
    ///
    /// A key on the list of those that travel becomes an event; any other is kept in this device's file.
    ///
    /// - Returns: Whether anything was written; the batch where it travels.
    /// - Throws: ``StoreError`` with code `notPermitted` where key or value is a credential, which is neither kept nor
    ///   repeated in the message; with code `usage` where the value is not of the key's type.
    public func set(
        setting key: String, to value: String?, note: String = "", author: String? = nil
    ) async throws -> Written<Bool> {
        guard case .synced = try Self.permitted(key, value: value) else {
            guard !isReadOnly else { throw StoreError(.notPermitted, "The store \(url.path) is read-only.") }
            return Written(value: try LocalSettings(files).set(key, to: value), batch: nil)
        }
        return try await write(note: note, author: author) { try $0.set(setting: key, to: value) }
    }

    /// What may be done with a key, after the refusals.
    static func permitted(_ key: String, value: String?) throws -> Settings.Scope {
        let scope = Settings.scope(of: key)
        if case .refused(let reason) = scope { throw refusal(reason) }
        guard key.wholeMatch(of: /[A-Za-z0-9_.\-]{1,128}/) != nil else {
            throw StoreError(
                .usage, "That is not a valid name for a setting.",
                hint: "Names consist of letters, digits, dots, - and _.")
        }
        guard let value else { return scope }
        guard !Settings.looksLikeCredential(value) else {
            throw refusal(
                "The value looks like a credential. Groundwave stores no passwords, keys or tokens: "
                    + "use the system's keychain.")
        }
        if case .synced(let type) = scope, !type.accepts(value) {
            throw StoreError(.usage, "\(key) cannot have that value.", hint: "Its value is \(type.example).")
        }
        return scope
    }

    // The value is not in the message, nor is the key, since a credential may stand in either.
    private static func refusal(_ reason: String) -> StoreError {
        StoreError(.notPermitted, "This setting is not stored.", hint: reason)
    }
}

extension WriteBatch {
    /// Sets a preference that travels, or takes its value away; `false` where it is so already.
    mutating func set(setting key: String, to value: String?) throws -> Bool {
        let id = Settings.recordID(of: key)
        let kind = Settings.setting.name
        if value == nil, try record(kind, id) == nil { return false }
        return try set(
            kind, id,
            [Assignment("KEY", text: key), Assignment("VALUE", value.map { Array($0.utf8) })])
    }
}
