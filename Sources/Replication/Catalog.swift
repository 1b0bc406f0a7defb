import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

/// The catalog of a store at a remote: what it has, and which objects it has put there.
///
/// It is the only object that is replaced. Who has read it knows by one request whether there is anything new.
///
/// | size | |
/// |---|---|
/// | 4 | magic, `GWC1` |
/// | 4 | length of the whole catalog in bytes |
/// | 16 | log |
/// | 32 | public key of the store's replica |
/// | 64 | signature, Ed25519, of `groundwave catalog` in ASCII, the log and everything from here to the checksum: a storage provider cannot forge what a store has |
/// | 8 | the history: a random number, drawn when the store pushes to a remote without objects of it |
/// | 8 | how often the catalog was written in this history, from 1 |
/// | 8 | the number of the last segment; 0 if there is none |
/// | 8 | which values the store refused when it last looked through its objects for them: the first 8 bytes of the SHA-256 of the runs of these events, in order: replica (16), first and last number (8 each) |
/// | 2 | number of packs |
/// | 44 each | pack: the number of its last segment (8), its length (4), its SHA-256 (32); in order of number. The first one begins with segment 1, each other one behind the one before |
/// | 2 | number of stores whose objects this one has taken over |
/// | 24 each | store (16), its history (8); in order of store |
/// | … | the manifest: a ``Manifest`` |
/// | 4 | CRC-32C of everything before it |
public struct Catalog: Hashable, Sendable {
    /// The first four bytes: `GWC1`.
    static let magic: UInt32 = 0x3143_5747
    /// The maximum size of a catalog in bytes.
    public static let byteLimit = 256 << 10
    /// The maximum number of packs.
    static let packLimit = 2048
    /// The maximum number of stores whose objects one has taken over.
    static let takenOverLimit = 1024
    private static let prefixSize = 120

    /// Some consecutive segments of a store, as one object.
    public struct Pack: Hashable, Sendable {
        /// The number of the last segment.
        let last: UInt64
        /// The size of the object in bytes.
        let byteCount: Int
        /// The SHA-256 of the object.
        let hash: Hash256
    }

    /// The manifest of the store.
    public var manifest: Manifest
    /// Distinguishes what the store has pushed since the remote was last empty.
    public var history: UInt64
    /// How often the catalog was written in this history.
    public var number: UInt64 = 0
    /// The number of the last segment.
    var last: UInt64 = 0
    /// Which values the store refused when it last looked through its objects for them: the mark of their set.
    var erasedMark = EventSet().mark
    /// The packs, in order.
    var packs: [Pack] = []
    /// The stores whose objects this one has taken over, with their histories.
    var takenOver: [ReplicaID: UInt64] = [:]

    /// The catalog of a store that has pushed nothing yet.
    init(of manifest: Manifest, history: UInt64) {
        self.manifest = manifest
        self.history = history
    }

    /// The number of the last segment that is in a pack.
    var packedThrough: UInt64 { packs.last?.last ?? 0 }

    /// Returns the pack that has segment `number`, with the number of its first one; `nil` if none has it.
    func pack(with number: UInt64) -> (pack: Pack, first: UInt64)? {
        guard number >= 1, number <= packedThrough, let index = packs.firstIndex(where: { $0.last >= number }) else {
            return nil
        }
        return (packs[index], index == 0 ? 1 : packs[index - 1].last + 1)
    }

    /// Why bytes are not a valid catalog.
    public enum Failure: Error, Hashable, Sendable {
        /// They do not begin as one.
        case notACatalog
        /// Lengths or numbers are inconsistent.
        case malformed
        /// The checksum does not match.
        case checksumMismatch
        /// The catalog is of another log.
        case otherLog(LogID)
        /// The signature is not that of the store.
        case wrongSignature
    }

    /// Returns the encoded catalog.
    public func bytes(log: LogID, by identity: Identity) -> [UInt8] {
        var content = ByteWriter()
        content.append(littleEndian: history)
        content.append(littleEndian: number)
        content.append(littleEndian: last)
        content.append(littleEndian: erasedMark)
        content.append(littleEndian: UInt16(packs.count))
        for pack in packs {
            content.append(littleEndian: pack.last)
            content.append(littleEndian: UInt32(pack.byteCount))
            content.append(pack.hash)
        }
        content.append(littleEndian: UInt16(takenOver.count))
        for (store, history) in takenOver.sorted(by: { $0.key < $1.key }) {
            content.append(store)
            content.append(littleEndian: history)
        }
        content.append(manifest)
        var writer = ByteWriter()
        writer.append(littleEndian: Self.magic)
        writer.append(littleEndian: UInt32(Self.prefixSize + content.count + 4))
        writer.append(log)
        writer.append(contentsOf: identity.publicKey)
        writer.append(contentsOf: identity.sign(Self.message(log, content.bytes)))
        writer.append(contentsOf: content.bytes)
        writer.appendChecksum(from: 0)
        return writer.bytes
    }

    /// Reads a catalog of `log`.
    ///
    /// - Parameter isValid: The check of a signature of a message by a public key, if not the usual one.
    public init(
        reading bytes: [UInt8], of log: LogID,
        isValid: (_ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8]) -> Bool = Identity.isValid
    ) throws(Failure) {
        let span = bytes.span.bytes
        guard span.byteCount >= Self.prefixSize + 4, span.uint32(at: 0) == Self.magic else { throw .notACatalog }
        guard Int(span.uint32(at: 4)) == span.byteCount, span.byteCount <= Self.byteLimit else { throw .malformed }
        let end = span.byteCount - 4
        guard CRC32C.checksum(span.extracting(0..<end)) == span.uint32(at: end) else { throw .checksumMismatch }
        let found = LogID(at: 8, of: span)
        guard found == log else { throw .otherLog(found) }
        let content = span.extracting(Self.prefixSize..<end)
        var reader = ByteReader()
        guard let catalog = try? reader.catalog(in: content), (try? reader.finish(in: content)) != nil else {
            throw .malformed
        }
        let key = span.extracting(24..<56).toArray()
        guard Identity.replica(publicKey: key) == catalog.manifest.store,
            isValid(span.extracting(56..<120).toArray(), Self.message(log, content.toArray()), key)
        else { throw .wrongSignature }
        self = catalog
    }

    /// What distinguishes two catalogs of a store: the beginning of the signature. `bytes` are those of a valid catalog.
    static func mark(of bytes: [UInt8]) -> UInt64 { bytes.span.bytes.uint64(at: 56) }

    private static func message(_ log: LogID, _ content: [UInt8]) -> [UInt8] {
        Array("groundwave catalog".utf8) + log.bytes + content
    }
}

extension ByteReader {
    /// Reads the part of a catalog that is signed; `nil` if it is invalid.
    fileprivate mutating func catalog(in bytes: RawSpan) throws(ByteCodingError) -> Catalog? {
        let (history, number) = (try uint64(in: bytes), try uint64(in: bytes))
        let (last, erasedMark) = (try uint64(in: bytes), try uint64(in: bytes))
        guard number >= 1, last <= RemoteLayout.segmentLimit else { return nil }
        guard let packs = try packs(in: bytes), packs.last?.last ?? 0 <= last else { return nil }
        let count = Int(try uint16(in: bytes))
        guard count <= Catalog.takenOverLimit else { return nil }
        var takenOver: [ReplicaID: UInt64] = [:]
        var before: ReplicaID?
        for _ in 0..<count {
            let store: ReplicaID = try id(in: bytes)
            guard before.map({ $0 < store }) ?? true else { return nil }
            before = store
            takenOver[store] = try uint64(in: bytes)
        }
        guard let manifest = try manifest(in: bytes) else { return nil }
        var catalog = Catalog(of: manifest, history: history)
        (catalog.number, catalog.last, catalog.erasedMark) = (number, last, erasedMark)
        (catalog.packs, catalog.takenOver) = (packs, takenOver)
        return catalog
    }

    private mutating func packs(in bytes: RawSpan) throws(ByteCodingError) -> [Catalog.Pack]? {
        let count = Int(try uint16(in: bytes))
        guard count <= Catalog.packLimit else { return nil }
        var packs: [Catalog.Pack] = []
        for _ in 0..<count {
            let (last, byteCount) = (try uint64(in: bytes), Int(try uint32(in: bytes)))
            let hash = Hash256(at: try skip(32, in: bytes).lowerBound, of: bytes)
            guard last > packs.last?.last ?? 0, byteCount <= Segment.byteLimit else { return nil }
            packs.append(Catalog.Pack(last: last, byteCount: byteCount, hash: hash))
        }
        return packs
    }
}

extension Catalog.Failure: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .notACatalog: "it does not begin as one"
        case .malformed: "its lengths or numbers do not add up"
        case .checksumMismatch: "its checksum does not match"
        case .otherLog(let log): "it is from another log, \(log.short)"
        case .wrongSignature: "its signature is not that of its store"
        }
    }
}
