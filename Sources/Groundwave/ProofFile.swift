import Foundation

/// Files of proofs and signed heads: small JSON texts from untrusted sources.
public enum ProofFile {
    /// The maximum size of a file in bytes: an event of the maximum size in hexadecimal, twice.
    public static let byteLimit = 16 << 20

    /// Reads the file at `path`.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is none, `damaged` if it is larger than ``byteLimit``,
    ///   else the code for the system error if it cannot be read.
    public static func read(_ path: String) throws -> [UInt8] {
        guard FileManager.default.fileExists(atPath: path) else {
            throw StoreError(.notFound, "There is no file \(path).")
        }
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            let bytes = try file.read(upToCount: byteLimit + 1) ?? Data()
            try file.close()
            if bytes.count <= byteLimit { return [UInt8](bytes) }
        } catch {
            throw StoreError(error, "The file \(path) cannot be read")
        }
        throw StoreError(
            .damaged, "The file \(path) is too large for a proof: the maximum is \(byteLimit >> 20) MiB.")
    }

    static func encode(_ form: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        return [UInt8](try encoder.encode(form)) + Array("\n".utf8)
    }
}
