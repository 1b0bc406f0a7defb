import GroundwaveADIF
import GroundwaveByteCoding

/// A list of names in upper case, each with its number, by which one is looked up without a string.
struct NumberedNames: Sendable {
    /// The names; the number of one is its place here plus 1.
    let names: [String]
    private let numbers: [Packed: UInt16]

    /// - Parameter names: The names in upper case, each once. One of more than 16 bytes is not found.
    init(_ names: [String]) {
        self.names = names
        numbers = Dictionary(
            uniqueKeysWithValues: names.enumerated().compactMap { place, name in
                Array(name.utf8).withSpan { Packed($0) }.map { ($0, UInt16(place + 1)) }
            })
    }

    /// The number of `name`, in any case; `nil` if it is not in the list.
    func number(of name: RawSpan) -> UInt16? { Packed(name).flatMap { numbers[$0] } }

    /// The name with a number that ``number(of:)`` has returned.
    subscript(number: UInt16) -> String { names[Int(number) - 1] }

    /// The bytes of a name, in upper case, as numbers.
    private struct Packed: Hashable {
        var high: UInt64 = 0
        var low: UInt64 = 0

        init?(_ name: RawSpan) {
            guard 1...16 ~= name.byteCount else { return nil }
            for offset in 0..<name.byteCount {
                let byte = name.byte(at: offset)
                high = high << 8 | low >> 56
                low = low << 8 | UInt64(byte >= 0x61 && byte <= 0x7A ? byte - 32 : byte)
            }
        }
    }
}

// The numbers are stored in the index of times: other lists, or another order, need a new version of `QSOKind.schema`.
extension NumberedNames {
    /// The bands of the standard's list.
    static let bands = NumberedNames(Band.allCases.map { $0.name.uppercased() })

    /// The modes and submodes of the standard's lists.
    static let modes: NumberedNames = {
        let modes = Mode.currentNames + Mode.importOnlyNames
        var seen: Set<String> = []
        return NumberedNames((modes + modes.flatMap { Mode.submodes(of: $0) }).filter { seen.insert($0).inserted })
    }()

    private static let parentModes = modes.names.map { Mode(mode: $0)?.name == $0 }

    /// Whether `name`, in any case, is a mode of the standard's lists, and no submode.
    static func isMode(_ name: RawSpan) -> Bool { modes.number(of: name).map { parentModes[Int($0) - 1] } ?? false }
}
