import Foundation
import GroundwaveStore

/// A file with keys of object stores, in the form of other programs' credentials files: lines `name = value`, below a line
/// `[BUCKET]` for one bucket, or before the first such line for all.
struct S3KeyFile {
    private var sections: [String: [String: String]] = [:]

    private static let byteLimit = 64 << 10

    /// Reads a file; `nil` if there is none.
    ///
    /// - Throws: ``StoreError`` with code `notPermitted` if it is no file, or if anybody but its owner may read it; `damaged`
    ///   if a line is not of that form. No message has a line of it.
    init?(at path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw StoreError(system: errno, "The file with the keys, \(path), cannot be read")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.notPermitted, "\(path) is not a file with keys.", hint: "Name a file.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw StoreError(
                .notPermitted, "Others can read the file with the keys, \(path).",
                hint: "So that only you can: chmod 600 \(path). If others may have read it, make new keys.")
        }
        let data = try handle.read(upToCount: Self.byteLimit + 1) ?? Data()
        guard data.count <= Self.byteLimit else {
            throw StoreError(.damaged, "\(path) is too large for a file with keys.", hint: "Name another file.")
        }
        try self.init(text: String(decoding: data, as: UTF8.self), path: path)
    }

    init(text: String, path: String) throws {
        var section = ""
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = line.dropFirst().dropLast().trimmingCharacters(in: .whitespaces)
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2 else {
                throw StoreError(
                    .damaged, "Line \(index + 1) of \(path) is not NAME = VALUE.",
                    hint: "Docs/ObjectStores.md shows the form.")
            }
            sections[section, default: [:]][parts[0].lowercased()] = parts[1]
        }
    }

    /// The keys for a bucket: its own, else those for all.
    func credentials(for bucket: String) -> S3Credentials? {
        for section in [sections[bucket], sections[""]] {
            guard let id = section?["aws_access_key_id"], let secret = section?["aws_secret_access_key"] else {
                continue
            }
            return S3Credentials(
                accessKeyID: id, secretAccessKey: secret, sessionToken: section?["aws_session_token"])
        }
        return nil
    }
}
