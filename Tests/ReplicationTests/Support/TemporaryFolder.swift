import Foundation

/// A new folder that is removed with its contents when the test lets go of it.
final class TemporaryFolder: Sendable {
    let path: String
    var url: URL { URL(filePath: path) }

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "replication-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of `name` in the folder.
    func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Makes a file, and the folders on its way.
    func write(_ bytes: [UInt8], to name: String) throws {
        let url = URL(filePath: self(name))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    /// The names in one of its folders, also those that begin with a point.
    func names(in name: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self(name))) ?? []).sorted()
    }
}
