import GroundwaveLMDB

// The tests write values as arrays.

extension WriteTransaction {
    func put<Key>(_ value: [UInt8], for key: Key, in table: Table<Key>) throws {
        try put(value.span.bytes, for: key, in: table)
    }

    func append<Key>(_ value: [UInt8], for key: Key, in table: Table<Key>) throws {
        try append(value.span.bytes, for: key, in: table)
    }

    func insert<Key>(_ value: [UInt8], for key: Key, in table: Table<Key>) throws -> Bool {
        try insert(value.span.bytes, for: key, in: table)
    }
}

extension Cursor {
    mutating func append(_ value: [UInt8], for key: Key) throws {
        try append(value.span.bytes, for: key)
    }

    mutating func replace(with value: [UInt8]) throws {
        try replace(with: value.span.bytes)
    }
}

extension UInt64 {
    /// The number with the byte form `bytes`.
    init?(bytes: [UInt8]) {
        self.init(keyBytes: bytes.span.bytes)
    }
}

extension [UInt8] {
    /// A copy of `bytes`.
    init(bytes: RawSpan) {
        self = bytes.withUnsafeBytes { [UInt8]($0) }
    }
}
