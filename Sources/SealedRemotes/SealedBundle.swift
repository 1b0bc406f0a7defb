import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveSealing

/// A bundle of a sealed log: a key file, then the segments, each sealed as the object `bundle/NUMBER`, from 1.
///
/// | size | |
/// |---|---|
/// | 4 | magic, `GWXB` |
/// | 4 | length of the key file |
/// | … | the key file |
/// | 4 each | length of a sealed segment |
/// | … each | the sealed segment |
package enum SealedBundle {
    /// The first four bytes: `GWXB`.
    package static let magic: UInt32 = 0x4258_5747
    /// The maximum size of a sealed segment in bytes.
    package static let byteLimit = SealedObject.sealedSize(of: Segment.byteLimit)

    /// Returns how a bundle begins whose segments are sealed with `writing`.
    package static func beginning(_ writing: SealedTransport.Writing) -> [UInt8] {
        var writer = ByteWriter(capacity: writing.file.count + 8)
        writer.append(littleEndian: magic)
        writer.append(littleEndian: UInt32(writing.file.count))
        writer.append(contentsOf: writing.file)
        return writer.bytes
    }

    /// Returns the bytes of the segment `number`, from 1, with their length in front.
    package static func piece(
        _ segment: [UInt8], _ number: Int, of log: LogID, with writing: SealedTransport.Writing
    ) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let sealed = SealedObject.seal(segment, as: name(number), of: log, with: writing.key, using: &generator)
        var writer = ByteWriter(capacity: sealed.count + 4)
        writer.append(littleEndian: UInt32(sealed.count))
        writer.append(contentsOf: sealed)
        return writer.bytes
    }

    /// Returns the segment `number` of a bundle.
    ///
    /// - Throws: ``SealingError``.
    package static func open(_ piece: [UInt8], _ number: Int, with keys: LogKeys) throws(SealingError) -> [UInt8] {
        try SealedObject.open(piece, as: name(number), of: keys.log, with: keys.keyring, limit: Segment.byteLimit)
    }

    private static func name(_ number: Int) -> String { "bundle/\(number)" }
}

extension Bundle {
    /// Passes the bytes of a file to `body`, in order: the segments, at least one, each with the ranges in it. Errors of `body`
    /// end the writing.
    ///
    /// - Parameter writing: What the file is sealed with; `nil` to let it lie open.
    package func write(
        sealing writing: SealedTransport.Writing?, _ body: (_ bytes: [UInt8], _ ranges: [RangeFrame]) throws -> Void
    ) throws {
        guard let writing else { return try write(body) }
        try body(SealedBundle.beginning(writing), [])
        var number = 0
        try write { segment, ranges in
            number += 1
            try body(SealedBundle.piece(segment, number, of: log.id, with: writing), ranges)
        }
    }
}
