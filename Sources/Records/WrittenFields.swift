import ByteCoding

/// The fields that one change has written so far, to notice one that it writes twice.
///
/// Schemas number their fields from 1, so nearly all of them are a bit here and cost no allocation.
struct WrittenFields {
    private var numbers: UInt128 = 0
    private var others: Set<FieldKey> = []

    /// Adds `field`; `false` where it was there already.
    mutating func insert(_ field: FieldKey) -> Bool {
        guard case .number(let number) = field, number < 128 else { return others.insert(field).inserted }
        let bit: UInt128 = 1 << UInt128(number)
        defer { numbers |= bit }
        return numbers & bit == 0
    }
}
