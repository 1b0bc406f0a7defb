import Foundation

/// Ends the program with status 1 unless `condition` holds.
public func check(_ condition: Bool, _ text: String) {
    guard !condition else { return }
    print("failed: \(text)")
    exit(1)
}

/// Runs `body` with a new temporary folder, and deletes that afterwards.
public func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "groundwave-example-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
}
