import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveStore

/// A moment of a trace that somebody has described: "charger unplugged".
public struct TraceMarker: Hashable, Sendable {
    /// Its record, of the kind `marker`.
    public let id: RecordID
    /// The moment: milliseconds since 1970.
    public let time: Int64
    /// The description.
    public let text: String

    /// The most bytes of UTF-8 that a description may have.
    public static let textLimit = 1000
}

extension Reading {
    /// Returns the markers of `trace` that show, in order of time.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: O(markers of all traces).
    public func markers(of trace: RecordID) throws -> [TraceMarker] { try markers(of: trace, hiddenToo: false) }

    func markers(of trace: RecordID, hiddenToo: Bool) throws -> [TraceMarker] {
        let wanted = "\(trace)"
        let found = try read { view in
            var found: [TraceMarker] = []
            try view.forEachRecord(of: Metering.marker.name) { record in
                guard hiddenToo || record.isVisible else { return true }
                let fields = Dictionary(
                    Metering.marker.values(of: record).map { ($0.name, String(decoding: $0.value, as: UTF8.self)) },
                    uniquingKeysWith: { first, _ in first })
                if fields["TRACE"] == wanted, let time = fields["TIME"].flatMap({ Int64($0) }) {
                    found.append(TraceMarker(id: record.id, time: time, text: fields["TEXT"] ?? ""))
                }
                return true
            }
            return found
        }
        return found.sorted { ($0.time, $0.id) < ($1.time, $1.id) }
    }
}

extension Store {
    /// Describes the moment `time` of `trace`, in milliseconds since 1970, and returns the marker.
    ///
    /// The time need not be that of a row. Hiding the record hides the marker.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if no such trace shows; with code `usage` if the text is empty or longer
    ///   than ``TraceMarker/textLimit``.
    /// - Complexity: At most one commit.
    public func mark(
        _ trace: RecordID, at time: Int64, _ text: String, note: String = "", author: String? = nil
    ) async throws -> TraceMarker {
        guard try record(Metering.trace.name, trace)?.isVisible == true else { throw Self.noTrace(trace) }
        guard !text.isEmpty, text.utf8.count <= TraceMarker.textLimit else {
            throw StoreError(
                .usage, "A description of \(text.utf8.count) bytes is not possible.",
                hint: "Use 1 to \(TraceMarker.textLimit) bytes.")
        }
        let assignments = [
            Assignment("TRACE", text: "\(trace)"), Assignment("TIME", text: "\(time)"), Assignment("TEXT", text: text),
        ]
        let added = try await write(note: note, author: author) { try $0.add(Metering.marker.name, assignments) }
        return TraceMarker(id: added.value, time: time, text: text)
    }
}
