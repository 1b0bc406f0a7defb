import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// An event that names a call, in a value or in the author or note of its batch.
public struct Mention: Hashable, Sendable {
    /// The kind of the record that the event touched.
    public let kind: String
    /// That record.
    public let record: RecordID
    /// The event.
    public let event: EventID
    /// Whether only the author or the note of its batch names the call, and no value does.
    public let isInNote: Bool
}

extension Store {
    /// Returns the events whose values or notes name `call` as a word, including replaced values, in order of
    /// arrival: what is left to decide on once the contacts with this call are erased.
    ///
    /// Forms such as `N0CALL/P` count. An event that cannot be read is not searched.
    ///
    /// - Parameters:
    ///   - call: The word, such as a call.
    ///   - erased: Records to leave out, because they are to be erased.
    /// - Throws: As ``read(_:)``.
    /// - Complexity: Reads the log once.
    public func mentions(of call: String, except erased: Set<RecordID> = []) throws -> [Mention] {
        let search = WordSearch(call)
        var mentions: [Mention] = []
        try describing {
            try log.scan(from: 1) { _, frame, bytes in
                if frame.isWithheld { return true }
                let (shape, values) = (bytes.extracting(frame.shape), bytes.extracting(frame.values))
                guard var reader = try? ChangeReader(shape: shape, isWithheld: false, by: frame.names(in: bytes)),
                    !erased.contains(reader.record), let note = try? reader.note(in: values)
                else { return true }
                var isInValue = false
                while !isInValue, let step = try? reader.next(shape: shape, values: values) {
                    for _ in 0..<step.headCount { _ = try? reader.head(of: step, in: shape) }
                    guard let value = step.value else { continue }
                    isInValue = search.isFound(in: values.extracting(value).toArray())
                }
                let isInNote = [note.author, note.text, note.correlation, note.causation].contains {
                    search.isFound(in: Array($0.utf8))
                }
                if isInValue || isInNote {
                    let kind = String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self)
                    mentions.append(
                        Mention(kind: kind, record: reader.record, event: frame.id, isInNote: !isInValue))
                }
                return true
            }
        }
        return mentions
    }

    /// Returns the files and folders of the store that an erasure does not touch: this device's other files that name
    /// `call` or cannot be read, and folders with copies of damaged files, which are not searched.
    public func copiesOutOfReach(of call: String) -> [String] {
        let search = WordSearch(call)
        return files.others.filter { path in
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return false }
            return isFolder.boolValue
                || FileManager.default.contents(atPath: path).map { search.isFound(in: $0) } ?? true
        }
    }
}
