import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveRecords

/// The names of a contact's fields in the order of its source, so that an export restores that order.
///
/// On disk, for each field, as in a change's shape: twice the ADIF number; or twice the length plus one, then the
/// name.
struct FieldOrder {
    let names: [FieldName]

    init(decoding bytes: [UInt8]) {
        var names: [FieldName] = []
        Self.forEachName(in: bytes[...]) { known, spelling in names.append(known ?? FieldName(bytes: spelling)) }
        self.names = names
    }

    /// Passes the names in `bytes` to `body`, up to what is malformed: a known field, or the spelling of another one.
    static func forEachName(
        in bytes: ArraySlice<UInt8>, _ body: (_ known: FieldName?, _ spelling: ArraySlice<UInt8>) -> Void
    ) {
        let span = bytes.span.bytes
        var reader = ByteReader()
        while reader.offset < span.byteCount, let field = try? reader.varint(in: span) {
            if field & 1 == 0 {
                guard let name = UInt16(exactly: field >> 1).flatMap(FieldName.init(number:)) else { return }
                body(name, [])
            } else {
                guard let range = try? reader.skip(Int(clamping: field >> 1), in: span) else { return }
                let start = bytes.startIndex
                body(nil, bytes[(start + range.lowerBound)..<(start + range.upperBound)])
            }
        }
    }
}
