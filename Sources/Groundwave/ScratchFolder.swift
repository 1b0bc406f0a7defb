import Foundation

/// A temporary folder that is deleted with this object.
final class ScratchFolder: Sendable {
    private let url: URL

    /// Creates an empty folder among the system's temporary ones, readable by its owner only.
    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "groundwave-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StoreError(
                .inputOutput, "The temporary folder \(url.path) cannot be created.",
                hint: "Set TMPDIR to a folder that can be written.", cause: error)
        }
    }

    /// Returns the path of the file called `name` in it.
    func path(of name: String) -> String { url.appending(path: name).path }

    deinit { try? FileManager.default.removeItem(at: url) }
}
