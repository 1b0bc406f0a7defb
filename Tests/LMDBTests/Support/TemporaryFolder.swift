import Foundation

/// A new folder that is removed with its contents when the test lets go of it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let name = "lmdb-tests-\(UInt64.random(in: 0 ... .max))"
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of `name` in the folder.
    func callAsFunction(_ name: String = "store") -> String { path + "/" + name }

    /// The names in the folder.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}

/// The bytes of the file at `path`.
func contents(of path: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
}

/// Makes `path` a file of `bytes`.
func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
}
