import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRecords

/// A state of the views that was read: what changed since can be told from it.
package struct ViewsMark: Sendable {
    /// The file; `nil` once it is closed.
    fileprivate weak var file: Environment?
    /// The content of the log whose events were folded into the rows.
    package let content: LogContent
    /// The position of the last event that was folded.
    package let position: Position
    /// The declarations of wrong clocks that the rows follow.
    fileprivate let declared: ClockDeclarations
}

/// The records that may have changed between two reads of the views.
package enum TouchedRecords: Sendable {
    /// Any record.
    case any
    /// Records of these kinds alone.
    case records([String: Set<RecordID>])

    /// Whether a record of one of `kinds` may have changed.
    package func includes(anyOf kinds: Set<String>) -> Bool {
        switch self {
        case .any: true
        case .records(let records): records.keys.contains { kinds.contains($0) }
        }
    }

    /// The records of `kind` that may have changed; `nil` if any of them may.
    package func records(of kind: String) -> Set<RecordID>? {
        switch self {
        case .any: nil
        case .records(let records): records[kind] ?? []
        }
    }
}

extension Views {
    /// As ``read(kinds:_:)``, and tells `body` which records may have changed since `mark`.
    ///
    /// Any may have changed if `mark` is `nil`, if the views were rebuilt or the log was rewritten since, if events
    /// came late, if a clock was declared as wrong, and if more than ``touchedLimit`` events have arrived. If `body` throws, it may run again; then it is
    /// told that any record may have changed.
    ///
    /// - Returns: What `body` returned, and the mark of the state that it read.
    /// - Complexity: About 100 ns for each event since `mark`, besides `body`.
    package func read<Result>(
        since mark: ViewsMark?, _ body: (borrowing ViewReader, TouchedRecords) throws -> Result
    ) throws -> (Result, ViewsMark) {
        let file = try? environment()
        // Whether `file`, which is held, is at the path before and after: then it is the one that is read.
        func isRead() -> Bool { file != nil && (try? environment()) === file }
        var known = mark?.file === file ? mark : nil
        let (result, content, position, declared) = try read { view in
            let touched = try isRead() ? touched(since: known, in: view) : .any
            known = nil
            return (try body(view, touched), view.content, view.position, try view.declaredClocks())
        }
        return (
            result, ViewsMark(file: isRead() ? file : nil, content: content, position: position, declared: declared)
        )
    }

    /// The most events that are searched for the records that they touch.
    package static let touchedLimit: UInt64 = 4096

    private func touched(since mark: ViewsMark?, in view: borrowing ViewReader) throws -> TouchedRecords {
        let last = view.position
        guard let mark, mark.content == view.content, mark.position <= last,
            last - mark.position <= Self.touchedLimit, try mark.declared == view.declaredClocks()
        else { return .any }
        if mark.position == last { return .records([:]) }
        var records: [String: Set<RecordID>] = [:]
        try log.scan(from: mark.position + 1) { position, frame, bytes in
            let shape = bytes.extracting(frame.shape)
            if position <= last, !frame.isLost,
                let reader = try? ChangeReader(
                    shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            {
                let kind = String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self)
                records[kind, default: []].insert(reader.record)
                for id in reader.related(in: shape) { records[kind, default: []].insert(id) }
            }
            return position < last
        }
        // The events may be those of another file, if one took the place of the log meanwhile.
        return try log.generation() == mark.content.generation ? .records(records) : .any
    }
}
