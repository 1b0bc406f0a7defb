import ADIF
import ByteCoding
import Records

/// The names of a contact's fields in the order of its source, so that an export restores that order.
///
/// On disk, for each field, as in a change's shape: twice the ADIF number; or twice the length plus one, then the
/// name.
struct FieldOrder {
    let names: [FieldName]

    init(_ names: [FieldName]) { self.names = names }

    init(decoding bytes: [UInt8]) {
        names = bytes.withSpan { span in
            var reader = ByteReader()
            var names: [FieldName] = []
            while reader.offset < span.byteCount, let field = try? reader.varint(in: span) {
                if field & 1 == 0 {
                    guard let name = UInt16(exactly: field >> 1).flatMap(FieldName.init(number:)) else { break }
                    names.append(name)
                } else {
                    guard let range = try? reader.skip(Int(clamping: field >> 1), in: span) else { break }
                    names.append(FieldName(bytes: span.extracting(range).toArray()[...]))
                }
            }
            return names
        }
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: names.count * 2)
        for name in names {
            writer.append(field: name.isKnown ? .number(UInt32(name.number)) : .name(name.name))
        }
        return writer.bytes
    }
}
