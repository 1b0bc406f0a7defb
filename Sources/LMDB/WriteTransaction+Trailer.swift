extension WriteTransaction {
    /// Stores `value` and behind it `trailer`, little-endian, for `key`, without putting them together before.
    ///
    /// - Parameter append: Whether `key` must sort after every key of the table, as in ``append(_:for:in:)``.
    @inlinable
    public func put<Key: TableKey>(
        _ value: RawSpan, trailer: UInt32, for key: Key, in table: Table<Key>, append: Bool = false
    ) throws {
        let count = value.byteCount
        try reserve(byteCount: count + 4, for: key, in: table, append: append) { bytes in
            unsafe bytes.withUnsafeMutableBytes { target in
                // There is room for the value, and for four bytes behind it.
                unsafe value.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
                unsafe target.storeBytes(of: trailer.littleEndian, toByteOffset: count, as: UInt32.self)
            }
        }
    }
}
