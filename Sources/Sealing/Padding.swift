/// The sizes that contents are padded to, so that the size of an object says little about what is in it.
///
/// They are those of Padmé (Nikitin, Barman, Lueks, Underwood, Hubaux, Ford: "Reducing Metadata Leakage from Encrypted Files
/// and Communication with PURBs", PETS 2019, algorithm 1): a size is rounded up until it has no more significant bits than
/// the binary logarithm of its own exponent needs. That adds at most 12 %, and less to larger contents.
package enum Padding {
    /// Returns the size in bytes that a content of `byteCount` bytes is padded to: the least allowed one that is not smaller.
    ///
    /// - Parameter byteCount: From 0 to 2^48.
    package static func size(of byteCount: Int) -> Int {
        precondition((0...1 << 48).contains(byteCount), "A content has at most 2^48 bytes.")
        // 0 and 1 have no exponent, or one without a logarithm.
        guard byteCount >= 2 else { return byteCount }
        let exponent = logarithm(byteCount)
        let zeroBits = exponent - (logarithm(exponent) + 1)
        let mask = (1 << zeroBits) - 1
        return (byteCount + mask) & ~mask
    }

    /// The binary logarithm of a number of at least 1, rounded down.
    private static func logarithm(_ number: Int) -> Int { Int.bitWidth - 1 - number.leadingZeroBitCount }
}
