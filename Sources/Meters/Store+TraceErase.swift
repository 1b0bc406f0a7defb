import GroundwaveAuditing
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveStore

extension Store {
    /// Hides `trace`, or shows it again; its rows stay in the log. The value is whether that changed
    /// anything.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is no such trace; with code `busy` if it is to be hidden and
    ///   a recording of it is running on this device.
    /// - Complexity: At most one commit.
    @discardableResult
    public func setHidden(
        _ isHidden: Bool, trace: RecordID, note: String = "", author: String? = nil
    ) async throws -> Written<Bool> {
        guard try record(Metering.trace.name, trace) != nil else { throw Self.noTrace(trace) }
        if isHidden { try checkNotRecording(trace) }
        return try await write(note: note, author: author) { batch in
            try isHidden
                ? batch.remove(Metering.trace.name, trace) : batch.restore(Metering.trace.name, trace)
        }
    }

    /// Erases `trace` for ever, with its rows, its markers, its own calibrations, and the bytes of the meter that were
    /// stored beside them: see ``erase(_:kind:note:author:)``.
    ///
    /// What is in the summaries of its blocks stays in the log, where only the events can be read: times, numbers of rows,
    /// and of each channel the first, last, least and greatest value, the sum, charge and energy.
    ///
    /// - Throws: As ``erase(_:kind:note:author:)``; ``StoreError`` with code `busy` if a recording of it is running on this
    ///   device. If it fails on the way, the trace still shows and can be erased again: its rows come last.
    @discardableResult
    public func erase(trace: RecordID, note: String = "", author: String? = nil) async throws -> Erased {
        guard try record(Metering.trace.name, trace) != nil else { throw Self.noTrace(trace) }
        try checkNotRecording(trace)
        let capture = Metering.captureID(trace)
        let markers = try markers(of: trace, hiddenToo: true).map(\.id)
        let calibrations = try calibrations(hiddenToo: true).filter { $0.target == .trace(trace) }.map(\.id)
        let captures = try record(Metering.capture.name, capture) == nil ? [] : [capture]
        var erased = Erased()
        erased.records = [trace]
        for (kind, ids) in [
            (Metering.marker, markers), (Metering.calibration, calibrations), (Metering.capture, captures),
            (Metering.trace, [trace]),
        ] where !ids.isEmpty {
            let part = try await erase(ids, kind: kind.name, note: note, author: author)
            erased.batches += part.batches
            erased.withheldCount += part.withheldCount
        }
        return erased
    }

    func checkNotRecording(_ trace: RecordID) throws {
        guard Tails.state(of: trace, in: self) == .none else {
            throw StoreError(
                .busy, "The trace \(trace.short) is being recorded.",
                hint: "End the recording first: press Ctrl-C in it.")
        }
    }

    static func noTrace(_ trace: RecordID) -> StoreError {
        StoreError(
            .notFound, "There is no trace \(trace.short).", hint: "To see them: \(.list(.traces))")
    }
}
