import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSealing

/// What the suites seal with. The expected values in them were computed with Python's cryptography, from the tables of bytes.
enum Samples {
    /// The bytes 0 to 31.
    static let keyBytes = [UInt8](0..<32)
    static let key = epochKey(keyBytes)
    static let log = LogID([UInt8](0x80..<0x90))
    static let name = "stores/x/catalog"
    static let text = Array("CQ CQ CQ de YO3ABC".utf8)
    static let ring = Keyring(namesKey: keyBytes, keys: [key])

    static func epochKey(_ bytes: [UInt8]) -> EpochKey {
        guard let key = EpochKey(bytes: bytes) else { preconditionFailure("A sample has 32 bytes.") }
        return key
    }
}

/// Counts bytes from a first one: the randomness of expected values.
struct CountedBytes: RandomNumberGenerator {
    private var byte: UInt8
    init(from byte: UInt8) { self.byte = byte }
    mutating func next() -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 8) {
            number |= UInt64(byte) << shift
            byte &+= 1
        }
        return number
    }
}

/// The error of `body`; `nil` if it throws none.
func refusal<Result>(_ body: () throws(SealingError) -> Result) -> SealingError? {
    do throws(SealingError) {
        _ = try body()
        return nil
    } catch { return error }
}
