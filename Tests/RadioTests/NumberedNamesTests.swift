import Crypto
import GroundwaveADIF
import GroundwaveByteCoding
import Testing

@testable import GroundwaveRadio

@Suite struct `Numbered names` {
    /// Stored numbers would mean other names: raise the version of `QSOKind.schema`, so that views are rebuilt.
    @Test func `of modes and bands are those of this version of the kind`() {
        let names = NumberedNames.bands.names + NumberedNames.modes.names
        let hash = SHA256.hash(data: Array(names.joined(separator: "\n").utf8))
        #expect(QSOKind.schema.version == 6)
        #expect(hash.prefix(4).map { String($0, radix: 16) }.joined(separator: " ") == "59 f8 b0 5e")
    }

    @Test func `are found in any case, and others are not`() {
        func number(_ name: String) -> UInt16? {
            Array(name.utf8).withSpan { NumberedNames.modes.number(of: $0) }
        }
        for name in NumberedNames.modes.names {
            #expect(number(name.lowercased()).map { NumberedNames.modes[$0] } == name)
        }
        #expect(
            NumberedNames.bands.names.enumerated().allSatisfy { Band(rawValue: UInt8($0 + 1))?.name.uppercased() == $1 }
        )
        for other in ["", " CW", "CW ", "C", "NEWMODE", "OLIVIA 16/1000 AND MORE", "\u{E9}"] {
            #expect(number(other) == nil)
        }
        #expect(NumberedNames.modes.names.count < Int(UInt16.max) && NumberedNames.bands.names.count < Int(UInt8.max))
    }
}
