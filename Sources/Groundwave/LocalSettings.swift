import Foundation

/// The preferences that stay on this device: a JSON object of texts in the store's `settings.json`, readable by its
/// owner alone.
struct LocalSettings {
    private let files: StoreFiles

    init(_ files: StoreFiles) { self.files = files }

    /// All of them; none where there is no file.
    func values() throws -> [String: String] {
        guard let data = FileManager.default.contents(atPath: files.localSettings) else { return [:] }
        do { return try JSONDecoder().decode([String: String].self, from: data) } catch {
            throw StoreError(
                .damaged, "The file \(files.localSettings) is not what it should be.",
                hint: "Repair it, or delete it: it holds this device's preferences and nothing else.", cause: error)
        }
    }

    /// Changes one of them, or takes it away. Other processes wait meanwhile.
    ///
    /// - Returns: Whether anything was written.
    func set(_ key: String, to value: String?) throws -> Bool {
        // A lock on the folder: it needs no file of its own, and ends with the process.
        let folder = open(files.folder.path, O_RDONLY | O_CLOEXEC)
        guard folder >= 0, flock(folder, LOCK_EX) == 0 else {
            throw StoreError(.inputOutput, "The folder \(files.folder.path) cannot be locked.")
        }
        defer { _ = Foundation.close(folder) }
        var values = try values()
        if values[key] == value { return false }
        values[key] = value
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        var file = try AtomicFile(files.localSettings, permissions: 0o600)
        do { try file.write([UInt8](try encoder.encode(values)) + [UInt8(ascii: "\n")]) } catch {
            throw StoreError(.inputOutput, "The file \(files.localSettings) cannot be written.", cause: error)
        }
        try file.finish()
        return true
    }
}
