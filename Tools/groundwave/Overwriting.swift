import ArgumentParser
import Foundation
import Groundwave

/// What a command does where its output file exists already.
struct Overwriting: ParsableArguments {
    @Flag(help: "Replace the output file if it exists.")
    var force = false

    /// Returns the file to write; `nil` for standard output, which `-` also means.
    ///
    /// - Throws: As ``check(_:)``.
    func file(_ output: String?) throws -> String? {
        guard let output, output != "-" else { return nil }
        try check(output)
        return output
    }

    /// Throws ``StoreError`` with code `exists` if the file at `path` exists and may not be replaced, and with code `usage`
    /// for `-`: what this command writes is no text.
    func check(_ path: String) throws {
        if path == "-" {
            throw StoreError(.usage, "This cannot be written to standard output.", hint: "Name a file with -o.")
        }
        guard !force, FileManager.default.fileExists(atPath: path) else { return }
        throw StoreError(.exists, "\(path) exists already.", hint: "To replace it: --force")
    }
}
