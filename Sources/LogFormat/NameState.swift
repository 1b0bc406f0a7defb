import GroundwaveByteCoding

/// The state of name resolution: the meta row `readings`, present once a history has forked.
package struct NameState: Hashable {
    /// How often name resolutions have changed.
    package var count: UInt64 = 0
    /// Whether some author's names cannot be resolved yet.
    package var isUncertain = false

    package static let key = [UInt8]("readings".utf8)

    package init() {}

    package init?(_ row: RawSpan) {
        guard row.byteCount == 9 else { return nil }
        count = row.uint64(at: 0)
        isUncertain = row.byte(at: 8) != 0
    }

    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 9)
        writer.append(littleEndian: count)
        writer.append(UInt8(isUncertain ? 1 : 0))
        return writer.bytes
    }
}
