import Foundation

/// The preferences that stay on this device: a JSON object of strings in the store's `settings.json`, readable by its
/// owner only.
struct LocalSettings {
    private let file: JSONFile<[String: String]>

    init(_ files: StoreFiles) {
        file = JSONFile(
            folder: files.folder, name: "settings.json", empty: [:], contents: "this device's preferences")
    }

    /// Returns all preferences; empty if there is no file.
    func values() throws -> [String: String] { try file.read() }

    /// Sets one preference, or removes it if `value` is `nil`. Other processes wait meanwhile.
    ///
    /// - Returns: Whether anything was written.
    func set(_ key: String, to value: String?) throws -> Bool {
        try file.update { values in
            if values[key] == value { return false }
            values[key] = value
            return true
        }
    }
}
