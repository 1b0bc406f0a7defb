import Foundation

/// A small JSON file of a store that several processes may change.
struct JSONFile<Value: Codable> {
    let folder: URL
    let name: String
    /// The value if there is no file yet.
    let empty: Value
    /// A description of the content, for the message if the file cannot be read.
    let contents: String

    var path: String { folder.appending(path: name).path }

    /// Reads the current value.
    func read() throws -> Value {
        guard let data = try AtomicFile.read(path) else { return empty }
        do { return try JSONDecoder().decode(Value.self, from: data) } catch {
            throw StoreError(
                .damaged, "The file \(path) is damaged.",
                hint: "Repair it, or delete it: it contains only \(contents).", cause: error)
        }
    }

    /// Changes the value while other processes wait. If `change` returns `false`, nothing is written.
    @discardableResult
    func update(_ change: (inout Value) throws -> Bool) throws -> Bool {
        // A lock on the folder needs no extra file, and ends with the process.
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else {
            throw StoreError(system: errno, "The folder \(folder.path) cannot be locked")
        }
        defer { _ = Foundation.close(descriptor) }
        var value = try read()
        guard try change(&value) else { return false }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let bytes = [UInt8](try encoder.encode(value)) + [UInt8(ascii: "\n")]
        var file = try AtomicFile(path, permissions: 0o600)
        try file.write(bytes)
        try file.finish()
        return true
    }
}
