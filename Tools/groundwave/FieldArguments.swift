import Events
import Foundation
import Groundwave
import Records

/// The arguments of a command: `FIELD=VALUE` words, and others that name records.
struct FieldArguments {
    /// The words without an equals sign.
    private(set) var names: [String] = []
    /// The others.
    private(set) var assignments: [Assignment] = []

    init(_ words: [String]) throws {
        for word in words {
            guard let equals = word.firstIndex(of: "=") else {
                names.append(word)
                continue
            }
            guard equals != word.startIndex else {
                throw StoreError(.usage, "“\(word)” is not FIELD=VALUE.", hint: "FIELD= clears a field.")
            }
            assignments.append(try Assignment(argument: word))
        }
    }
}

/// The present moment.
enum Clock {
    /// Seconds since 1970.
    static var now: Int64 { Int64(Date().timeIntervalSince1970.rounded(.down)) }
}

/// The JSON answer of a command that changes one record.
struct ChangeResult: Encodable {
    var id: String
    var event: String?
    var position: UInt64?
    var changed: Bool

    /// The answer after `batch` was written for the record `id`; `nil` if nothing was written.
    init(_ id: RecordID, _ batch: Batch?) {
        self.id = "\(id)"
        event = batch.map { "\($0.first)" }
        position = batch?.position
        changed = batch != nil
    }
}
