import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents

/// What two stores say to each other while they are connected.
///
/// | size | |
/// |---|---|
/// | 4 | length of the body in bytes |
/// | 1 | sort: 1 hello, 2 range, 3 took, 4 idle, 5 goodbye |
/// | … | body |
/// | 4 | CRC-32C of everything before it |
enum Message: Hashable, Sendable {
    /// The first message of both: `GWP1`, the log (16), and a ``Statement``.
    case hello(LogID, Statement)
    /// A ``RangeFrame``.
    case range([UInt8])
    /// How many ranges were taken in since the last such message (2), and the heads that have moved since (32 each).
    case took(count: Int, heads: [ObservedHead])
    /// There is nothing more to send for now.
    case idle
    /// The connection ends. A sentence for people, of at most 500 bytes: empty where all is well.
    case goodbye(String)

    /// `GWP1`: the version of the protocol.
    static let magic: UInt32 = 0x3150_5747
    static let prefixSize = 5
    /// The most bytes of a body: a range is the largest.
    static let bodyLimit = RangeLimits.frameBytes

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(littleEndian: UInt32(0))
        switch self {
        case .hello(let log, let statement):
            writer.append(UInt8(1))
            writer.append(littleEndian: Self.magic)
            writer.append(log)
            writer.append(statement)
        case .range(let bytes):
            writer.append(UInt8(2))
            writer.append(contentsOf: bytes)
        case .took(let count, let heads):
            writer.append(UInt8(3))
            writer.append(littleEndian: UInt16(count))
            for head in heads { writer.append(head) }
        case .idle: writer.append(UInt8(4))
        case .goodbye(let reason):
            writer.append(UInt8(5))
            writer.append(contentsOf: Array(reason.utf8.prefix(500)))
        }
        writer.overwrite(littleEndian: UInt32(writer.count - Self.prefixSize), at: 0)
        writer.appendChecksum(from: 0)
        return writer.bytes
    }

    /// The body of a message of this sort; `nil` where it is none.
    init?(sort: UInt8, body: RawSpan) {
        var reader = ByteReader()
        do throws(ByteCodingError) {
            switch sort {
            case 1:
                guard try reader.uint32(in: body) == Self.magic else { return nil }
                let log: LogID = try reader.id(in: body)
                guard let statement = try reader.statement(in: body) else { return nil }
                try reader.finish(in: body)
                self = .hello(log, statement)
            case 2: self = .range(body.toArray())
            case 3:
                let count = Int(try reader.uint16(in: body))
                var heads: [ObservedHead] = []
                guard (body.byteCount - 2).isMultiple(of: 32), body.byteCount / 32 <= EventLimits.observedCount else {
                    return nil
                }
                while reader.offset < body.byteCount { heads.append(try reader.head(in: body)) }
                guard heads.allSatisfy(\.canBe) else { return nil }
                self = .took(count: count, heads: heads)
            case 4:
                try reader.finish(in: body)
                self = .idle
            case 5:
                guard body.byteCount <= 500 else { return nil }
                self = .goodbye(String(decoding: body.toArray(), as: UTF8.self))
            default: return nil
            }
        } catch { return nil }
    }
}

/// Cuts a stream of bytes into messages. Keeps at most one message that is not whole yet.
struct MessageReader: Sendable {
    private var buffer: [UInt8] = []

    /// Bytes that are kept now.
    var byteCount: Int { buffer.count }

    /// The messages that `bytes` complete, in order.
    ///
    /// - Throws: ``ProtocolError`` at the first thing that is no message; what came before it is in `messages`.
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

/// What a peer has done that no honest one does.
public enum ProtocolError: Error, Hashable, Sendable {
    /// It sends bytes that are no message.
    case garbage
    /// It announces a message of so many bytes.
    case tooLong(Int)
    /// It says something that does not belong at this place of the conversation.
    case unexpected(String)
    /// It is a store of another log.
    case otherLog(LogID)
    /// It sends a range that is not what was signed.
    case badRange(RangeError)
    /// It sends a range that says of its author what is not so.
    case madeUp(EventRange)
    /// It says that it has these events, and does not send them.
    case claims(EventRange)
    /// It says less of a replica than it has said before.
    case goesBack(ReplicaID)
    /// It sends again and again what it was told is here.
    case repeats(bytes: Int)
}
