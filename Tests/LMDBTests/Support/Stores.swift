import GroundwaveLMDB
import Testing

/// The table that most tests use.
let entries = "entries"

extension Environment {
    /// An environment at `path` with `keys` in the table "entries", each with ``value(for:)``.
    static func make(
        _ path: String, keys: Range<UInt64> = 0..<0, options: Options = Options()
    ) throws -> Environment {
        try create(at: path, options: options) { transaction in
            let table = try transaction.openOrCreate(entries, of: UInt64.self)
            for key in keys { try transaction.append(value(for: key), for: key, in: table) }
        }
        return try open(path, options: options)
    }

    /// Everything in the table "entries".
    func allEntries() throws -> [UInt64: [UInt8]] {
        try read { transaction in
            var all: [UInt64: [UInt8]] = [:]
            guard let table = try transaction.table(entries, of: UInt64.self) else { return all }
            try transaction.withCursor(table) { cursor in
                try cursor.forEach { key, value in
                    all[UInt64(keyBytes: key) ?? .max] = [UInt8](bytes: value)
                    return true
                }
            }
            return all
        }
    }

    /// Puts `keys` into the table "entries", each with ``value(for:)``, in one transaction.
    func put(_ keys: Range<UInt64>) throws {
        try write { transaction in
            let table = try transaction.openOrCreate(entries, of: UInt64.self)
            for key in keys { try transaction.put(value(for: key), for: key, in: table) }
        }
    }
}

/// A value of 200 bytes that tells its key.
func value(for key: UInt64) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: key), count: 200)
}

/// What ``value(for:)`` gives for all of `keys`.
func values(for keys: Range<UInt64>) -> [UInt64: [UInt8]] {
    Dictionary(uniqueKeysWithValues: keys.map { ($0, value(for: $0)) })
}

/// The reason of the `LMDBError` that `body` throws, or nil if it throws nothing.
func reason(_ body: () throws -> Void) throws -> LMDBError.Reason? {
    do {
        try body()
        return nil
    } catch let error as LMDBError {
        return error.reason
    }
}
