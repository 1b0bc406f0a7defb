import Foundation
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveSealing
import GroundwaveStore

// The keys that this device has of its log, in the file `keys` of mode 0600 beside its identity. It is never sent, exported or
// put into a bundle. The bytes:
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

    private var logKeys: String { folder.appending(path: "keys").path }

    /// Reads the keys; `nil` if there are none, or the file was damaged: then they are asked of the log again.
    package func readLogKeys() -> LogKeys? {
        guard let bytes = FileManager.default.contents(atPath: logKeys).map({ [UInt8]($0) }) else { return nil }
        let span = bytes.span.bytes
        guard (Self.headSize + 4...Self.limit).contains(span.byteCount), span.uint32(at: 0) == Self.magic,
            CRC32C.checksum(span.extracting(0..<span.byteCount - 4)) == span.uint32(at: span.byteCount - 4),
            span.byteCount == Self.headSize + 4 + 32 * Int(span.uint32(at: 84))
        else { return nil }
        let keys = stride(from: Self.headSize, to: span.byteCount - 4, by: 32).compactMap {
            EpochKey(bytes: Array(bytes[$0..<$0 + 32]))
        }
        return LogKeys(
            log: LogID(at: 4, of: span), root: Hash256(at: 20, of: span),
            keyring: Keyring(namesKey: Array(bytes[52..<84]), keys: keys))
    }

    /// Writes the keys, flushed.
    ///
    /// - Throws: ``StoreError`` with the code for the system error; then the file is as it was.
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
        var file = try AtomicFile(logKeys, permissions: 0o600)
        try file.write(writer.bytes)
        try file.finish()
    }
}
