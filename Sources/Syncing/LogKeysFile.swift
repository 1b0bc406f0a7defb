import Foundation
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveSealing
import GroundwaveStore

// The keys that this device has of its log, in the file `keys` of mode 0600 beside its identity. It is never sent, exported or
// put into a bundle. With a keychain it is a locked file; the bytes of its content, or of the file:
//
// | size | |
// |---|---|
// | 4 | magic, `GWY1` |
// | 16 | log |
// | 32 | what stands for the event that has sealed it |
// | 32 | the key of the names of objects |
// | 4 | number of keys |
// | 32 each | the keys of epochs |
// | 4 | CRC-32C of everything before it |
extension StoreFiles {
    private static let magic: UInt32 = 0x3159_5747
    private static let (headSize, limit) = (88, 1 << 20)

    private var logKeysFile: [UInt8]? { FileManager.default.contents(atPath: path(of: .keys)).map { [UInt8]($0) } }

    /// Whether the file is not encrypted, although there is a keychain.
    var areLogKeysToBeLocked: Bool { logKeysFile.map(isToBeLocked) ?? false }

    /// Reads the keys; `nil` if there are none, or the file was damaged: then they are asked of the log again.
    ///
    /// - Throws: ``StoreError`` with code `notPermitted` if they are encrypted and there is no keychain, `busy` if it cannot be
    ///   used now.
    package func readLogKeys() throws -> LogKeys? {
        guard let file = logKeysFile else { return nil }
        do { return Self.logKeys(in: try unlocked(file, of: .keys)) } catch let error as StoreError
            where error.code == .damaged
        {
            return nil
        }
    }

    private static func logKeys(in bytes: [UInt8]) -> LogKeys? {
        let span = bytes.span.bytes
        guard (headSize + 4...limit).contains(span.byteCount), span.uint32(at: 0) == magic,
            CRC32C.checksum(span.extracting(0..<span.byteCount - 4)) == span.uint32(at: span.byteCount - 4),
            span.byteCount == headSize + 4 + 32 * Int(span.uint32(at: 84))
        else { return nil }
        let keys = stride(from: headSize, to: span.byteCount - 4, by: 32).compactMap {
            EpochKey(bytes: Array(bytes[$0..<$0 + 32]))
        }
        return LogKeys(
            log: LogID(at: 4, of: span), root: Hash256(at: 20, of: span),
            keyring: Keyring(namesKey: Array(bytes[52..<84]), keys: keys))
    }

    /// Writes the keys, flushed.
    ///
    /// - Throws: ``StoreError`` with the code for the system error, or `busy` if the keychain cannot be used now; then the file
    ///   is as it was.
    func write(_ keys: LogKeys) throws {
        var writer = ByteWriter()
        writer.append(littleEndian: Self.magic)
        writer.append(keys.log)
        writer.append(keys.root)
        writer.append(contentsOf: keys.keyring.namesKey)
        let all = keys.keyring.epochs.compactMap { keys.keyring.key(of: $0) }
        writer.append(littleEndian: UInt32(all.count))
        for key in all { writer.append(contentsOf: key.bytes) }
        writer.appendChecksum(from: 0)
        let bytes = try locked(writer.bytes, as: .keys)
        var file = try AtomicFile(path(of: .keys), permissions: 0o600)
        try file.write(bytes)
        try file.finish()
    }
}
