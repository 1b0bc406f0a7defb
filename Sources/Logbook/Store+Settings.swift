import Foundation
import GroundwaveCountryFiles
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveSettings
import GroundwaveStore

/// A preference and its value.
public struct SettingEntry: Hashable, Sendable {
    /// Its name.
    public let key: String
    /// Its value as text.
    public let value: String
    /// The type of a synchronised preference; `nil` if it stays on this device.
    public let type: SettingType?

    /// Whether it is synchronised between devices.
    public var travels: Bool { type != nil }
}

extension Reading {
    /// Returns the value of a preference; `nil` if it has none.
    ///
    /// - Throws: ``StoreError`` with code `notPermitted` if the key names a credential.
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

    /// Returns all preferences that have a value, by name: the synchronised ones, and those that stay on this device.
    ///
    /// - Throws: As ``read(_:)``; ``StoreError`` if the file of the settings of this device cannot be read.
    /// - Complexity: Reads every setting.
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

    /// Returns the preferences that stay on this device. They have no history, so a past moment has none.
    private func localSettings() throws -> [String: String] {
        self is Store ? try LocalSettings(StoreFiles(url)).values() : [:]
    }
}

extension Store {
    /// Sets a preference, or removes its value.
    ///
    /// A key on the list of synchronised preferences becomes an event; any other is kept in this device's file.
    ///
    /// - Returns: Whether anything was written; the batch, if the preference is synchronised.
    /// - Throws: ``StoreError`` with code `notPermitted` if key or value is a credential, which is neither stored nor
    ///   repeated in the message, or if the store is read-only; with code `usage` if the key is malformed or the
    ///   value has the wrong type.
    /// - Complexity: At most one commit.
    public func set(
        setting key: String, to value: String?, note: String = "", author: String? = nil
    ) async throws -> Written<Bool> {
        guard case .synced = try Self.permitted(key, value: value) else {
            guard !isReadOnly else { throw StoreError(.notPermitted, "The store \(url.path) is read-only.") }
            return Written(value: try LocalSettings(files).set(key, to: value), batch: nil)
        }
        return try await write(note: note, author: author) { try $0.set(setting: key, to: value) }
    }

    /// Returns the scope of a key.
    ///
    /// - Throws: ``StoreError`` if the key or value is a credential, or is invalid.
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
        if case .synced = scope { try LoggingDefaults.check(key, value) }
        if key == countryFileSetting { _ = try CountryFile(at: value) }
        return scope
    }

    // Neither value nor key is in the message, since either may contain a credential.
    private static func refusal(_ reason: String) -> StoreError {
        StoreError(.notPermitted, "This setting is not stored.", hint: Hint(reason))
    }
}

extension WriteBatch {
    /// Sets a synchronised preference, or removes its value; returns `false` if there is nothing to change.
    mutating func set(setting key: String, to value: String?) throws -> Bool {
        let id = Settings.recordID(of: key)
        let kind = Settings.setting.name
        if value == nil, try record(kind, id) == nil { return false }
        return try set(
            kind, id,
            [Assignment("KEY", text: key), Assignment("VALUE", value.map { Array($0.utf8) })])
    }
}
