/// The fields of one line: separated by a delimiter, in double quotes or not (RFC 4180), without blanks around them.
///
/// A field in quotes ends with its line, though RFC 4180 lets it go on: no program writes meter readings so.
struct CSVFields {
    /// The most fields that are told apart; the rest of the line is left out.
    static let limit = 1024
    /// The delimiters that files have, in the order in which they are tried.
    static let delimiters = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]

    private(set) var ranges: [Range<Int>] = []
    /// The bytes that the ranges are of.
    private(set) var bytes: [UInt8] = []

    /// The number of fields.
    var count: Int { ranges.count }

    /// Splits `line`.
    mutating func split(_ line: CSVLines.Line, by delimiter: UInt8) {
        bytes = line.bytes
        ranges.removeAll(keepingCapacity: true)
        var place = line.range.lowerBound
        repeat {
            place = append(from: place, to: line.range.upperBound, delimiter)
        } while place <= line.range.upperBound && ranges.count < Self.limit
    }

    /// Returns a field as text; the bytes are Latin-1 if they are not UTF-8.
    func text(_ index: Int) -> String {
        let field = bytes[ranges[index]]
        let text = String(validating: field, as: UTF8.self) ?? String(field.map { Character(Unicode.Scalar($0)) })
        return text.replacing("\"\"", with: "\"")
    }

    /// Appends the field that begins at `start`, and returns where the next one begins: behind the delimiter, or
    /// behind the end.
    private mutating func append(from start: Int, to end: Int, _ delimiter: UInt8) -> Int {
        let quote = UInt8(ascii: "\"")
        var first = start
        while first < end, Self.isBlank(bytes[first]), bytes[first] != delimiter { first += 1 }
        var place = first
        if first < end, bytes[first] == quote {
            place += 1
            while place < end {
                if bytes[place] == quote {
                    if place + 1 < end, bytes[place + 1] == quote { place += 1 } else { break }
                }
                place += 1
            }
            ranges.append(first + 1..<place)
            while place < end, bytes[place] != delimiter { place += 1 }
            return place + 1
        }
        while place < end, bytes[place] != delimiter { place += 1 }
        var last = place
        while last > first, Self.isBlank(bytes[last - 1]) { last -= 1 }
        ranges.append(first..<last)
        return place + 1
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
