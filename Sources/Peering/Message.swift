import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication

/// A message between two connected stores.
///
/// | size | |
/// |---|---|
/// | 4 | length of the body in bytes |
/// | 1 | type: 1 hello, 2 range, 3 ack (`took`), 4 caught up (`idle`), 5 close (`goodbye`) |
/// | … | body |
/// | 4 | CRC-32C of everything before it |
enum Message: Hashable, Sendable {
    /// The first message of both sides: `GWP1`, the log (16), and a ``Manifest``.
    case hello(LogID, Manifest)
    /// A ``RangeFrame``.
    case range([UInt8])
    /// An acknowledgement: the number of ranges stored since the previous one (2), and the heads changed since (32
    /// each).
    case ack(count: Int, heads: [ObservedHead])
    /// The sender has nothing more to send for now.
    case caughtUp
    /// The sender closes the connection. A sentence for people, of at most 500 bytes; empty if there was no error.
    case close(String)

    /// `GWP1`: the version of the protocol.
    static let magic: UInt32 = 0x3150_5747
    static let prefixSize = 5
    /// The maximum number of bytes of a body, reached by a range.
    static let bodyLimit = RangeLimits.frameBytes

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(littleEndian: UInt32(0))
        switch self {
        case .hello(let log, let manifest):
            writer.append(UInt8(1))
            writer.append(littleEndian: Self.magic)
            writer.append(log)
            writer.append(manifest)
        case .range(let bytes):
            writer.append(UInt8(2))
            writer.append(contentsOf: bytes)
        case .ack(let count, let heads):
            writer.append(UInt8(3))
            writer.append(littleEndian: UInt16(count))
            for head in heads { writer.append(head) }
        case .caughtUp: writer.append(UInt8(4))
        case .close(let reason):
            writer.append(UInt8(5))
            writer.append(contentsOf: Array(reason.utf8.prefix(500)))
        }
        writer.overwrite(littleEndian: UInt32(writer.count - Self.prefixSize), at: 0)
        writer.appendChecksum(from: 0)
        return writer.bytes
    }

    /// Creates a message of this type from its body; `nil` if it is malformed.
    init?(sort: UInt8, body: RawSpan) {
        var reader = ByteReader()
        do throws(ByteCodingError) {
            switch sort {
            case 1:
                guard try reader.uint32(in: body) == Self.magic else { return nil }
                let log: LogID = try reader.id(in: body)
                guard let manifest = try reader.manifest(in: body) else { return nil }
                try reader.finish(in: body)
                self = .hello(log, manifest)
            case 2: self = .range(body.toArray())
            case 3:
                let count = Int(try reader.uint16(in: body))
                var heads: [ObservedHead] = []
                guard (body.byteCount - 2).isMultiple(of: 32), body.byteCount / 32 <= EventLimits.observedCount else {
                    return nil
                }
                while reader.offset < body.byteCount { heads.append(try reader.head(in: body)) }
                guard heads.allSatisfy(\.canBe) else { return nil }
                self = .ack(count: count, heads: heads)
            case 4:
                try reader.finish(in: body)
                self = .caughtUp
            case 5:
                guard body.byteCount <= 500 else { return nil }
                self = .close(String(decoding: body.toArray(), as: UTF8.self))
            default: return nil
            }
        } catch { return nil }
    }
}

/// Splits a stream of bytes into messages. Buffers at most one incomplete message.
struct MessageReader: Sendable {
    private var buffer: [UInt8] = []

    /// The number of buffered bytes.
    var byteCount: Int { buffer.count }

    /// Appends the messages that `bytes` complete to `messages`, in order.
    ///
    /// - Throws: ``ProtocolError`` at the first malformed message; those before it are in `messages`.
    mutating func read(_ bytes: [UInt8], into messages: inout [Message]) throws(ProtocolError) {
        buffer += bytes
        var start = 0
        while buffer.count - start >= Message.prefixSize {
            let span = buffer.span.bytes
            let length = Int(span.uint32(at: start))
            guard length <= Message.bodyLimit else { throw .tooLong(length) }
            let end = start + Message.prefixSize + length
            guard end + 4 <= buffer.count else { break }
            guard CRC32C.checksum(span.extracting(start..<end)) == span.uint32(at: end) else { throw .garbage }
            let body = span.extracting(start + Message.prefixSize..<end)
            guard let message = Message(sort: span.byte(at: start + 4), body: body) else { throw .garbage }
            messages.append(message)
            start = end + 4
        }
        buffer.removeFirst(start)
    }
}

/// A violation of the protocol, which no correct peer commits.
public enum ProtocolError: Error, Hashable, Sendable {
    /// The peer sent bytes that are not a message.
    case garbage
    /// The peer announced a message with a body of this many bytes.
    case tooLong(Int)
    /// The peer sent something that is not allowed at this point.
    case unexpected(String)
    /// The peer is a store of another log.
    case otherLog(LogID)
    /// The peer sent a range that does not match its signature.
    case badRange(RangeError)
    /// The peer sent a range with a false assertion about its author.
    case madeUp(EventRange)
    /// The peer reports these events, but does not send them.
    case claims(EventRange)
    /// The peer reports fewer events of a replica than before.
    case rewound(ReplicaID)
    /// The peer sent too many bytes of events that it knew to be here.
    case repeats(bytes: Int)
}
