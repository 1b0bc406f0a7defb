import GroundwaveLMDB
import GroundwaveLogFormat

// How far each named reader of changes has come. It lies in the log, since views are disposable: in the table `meta`, under
// `consumer ` and the name.
extension EventLog {
    /// The greatest length of the name of a consumer, in bytes of UTF-8.
    package static let consumerNameBytes = 64
    /// The greatest number of consumers of a log.
    package static let consumerCount = 256

    private static let consumerPrefix = "consumer "

    private static func consumerKey(_ name: String) -> [UInt8] { [UInt8]((consumerPrefix + name).utf8) }

    /// Returns what ``setConsumer(_:_:)`` has kept for the consumer called `name`; `nil` if there is nothing.
    package func consumer(_ name: String) throws -> String? {
        try read { transaction in
            try transaction.value(Self.consumerKey(name), in: LogTables(in: transaction).meta).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
    }

    /// Keeps `text` for the consumer called `name`, durably; `nil` forgets it. Returns `false` if there are too many.
    ///
    /// Cost: one commit, as for a batch.
    package func setConsumer(_ name: String, _ text: String?) throws -> Bool {
        let count = try consumers().count { $0 != name }
        if text != nil && count >= Self.consumerCount { return false }
        try commit { transaction, tables, _ in
            let key = Self.consumerKey(name)
            guard let text else {
                _ = try transaction.remove(key, in: tables.meta)
                return
            }
            try transaction.put([UInt8](text.utf8).span.bytes, for: key, in: tables.meta)
        }
        return true
    }

    /// Returns the names of all consumers, in byte order.
    package func consumers() throws -> [String] {
        try read { transaction in
            var names: [String] = []
            try transaction.forEach(in: LogTables(in: transaction).meta) { key, _ in
                let text = String(decoding: key.toArray(), as: UTF8.self)
                if text.hasPrefix(Self.consumerPrefix) {
                    names.append(String(text.dropFirst(Self.consumerPrefix.count)))
                }
                return true
            }
            return names
        }
    }
}
