import GroundwaveByteCoding

/// The fields that one change has written so far, for detecting a field that is written twice.
///
/// Schemas number their fields from 1, and Groundwave's own fields beside a standard's from 1000, so nearly all of
/// them are a bit here and cost no allocation.
struct WrittenFields {
    private var low: UInt128 = 0
    private var middle: UInt128 = 0
    private var own: UInt128 = 0
    private var others: Set<FieldKey> = []

    /// Adds `field`; returns `false` if it was there already.
    mutating func insert(_ field: FieldKey) -> Bool {
        guard case .number(let number) = field else { return others.insert(field).inserted }
        switch number {
        case 0..<128: return Self.set(number, in: &low)
        case 128..<256: return Self.set(number - 128, in: &middle)
        case 1000..<1128: return Self.set(number - 1000, in: &own)
        default: return others.insert(field).inserted
        }
    }

    private static func set(_ index: UInt32, in bits: inout UInt128) -> Bool {
        let bit: UInt128 = 1 << UInt128(index)
        defer { bits |= bit }
        return bits & bit == 0
    }
}
