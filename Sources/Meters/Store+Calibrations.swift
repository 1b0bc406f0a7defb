import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveStore

extension Reading {
    /// Returns the calibrations that show, ordered by channel, then by what they hold for.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: O(calibrations).
    public func calibrations() throws -> [TraceCalibration] { try calibrations(hiddenToo: false) }

    func calibrations(hiddenToo: Bool) throws -> [TraceCalibration] {
        let all = try read { view in
            var all: [TraceCalibration] = []
            try view.forEachRecord(of: Metering.calibration.name) { record in
                if hiddenToo || record.isVisible, let calibration = TraceCalibration(record) { all.append(calibration) }
                return true
            }
            return all
        }
        return all.sorted { ($0.item.name, $0.order, $0.id) < ($1.item.name, $1.order, $1.id) }
    }

    /// Returns the calibration of `trace`: for each channel that of the trace itself, else the latest of its meter that
    /// holds for a trace that began when it did.
    ///
    /// It may correct channels that the trace does not have.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: O(calibrations); those of a meter need the first row of the trace, too.
    public func calibration(of trace: Trace) throws -> Calibration {
        let all = try calibrations()
        let start = try all.contains { $0.needsStart(of: trace) } ? start(of: trace) : nil
        return TraceCalibration.calibration(of: trace, began: start, by: all)
    }

    /// Returns the time of the first row, which of an imported trace is long before the import; if there is none, when the
    /// recording began.
    private func start(of trace: Trace) throws -> Int64? {
        let times = try stretches(of: trace.id, showing: .measured, takingCells: { _ in true }).compactMap { stretch in
            switch stretch {
            case .cell(let cell): cell.leastTime
            case .block(let block, _), .tail(let block, _), .rest(let block, _): block.leastTime
            // What is hidden changes nothing of the other rows.
            case .hidden(_, let first, _): first
            case .unread: Int64?.none
            }
        }
        return times.min() ?? trace.started
    }

    /// As ``calibration(of:)``, for readers of `values`: measured ones have none.
    func calibration(of trace: RecordID, showing values: TraceValues) throws -> Calibration {
        guard values == .calibrated, let record = try record(Metering.trace.name, trace) else { return .none }
        return try calibration(of: Trace(record))
    }
}

extension TraceCalibration {
    /// Traces after meters, and those from a moment on after those from the beginning on.
    fileprivate var order: String {
        switch target {
        case .trace(let id): "trace \(id)"
        case .meter(let meter, let from):
            "meter \(meter) \(from.map { String(UInt64(bitPattern: $0) ^ 1 << 63) } ?? "")"
        }
    }
}

extension Store {
    /// Calibrates a channel: readers get its values times the factor plus the offset, see ``ChannelCorrection``. What was
    /// measured stays as it is.
    ///
    /// A calibration of the same channel of the same target is replaced. The value is the new one.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if no such trace shows, or no trace of the meter; with code `usage` if
    ///   these traces do not have the channel.
    /// - Complexity: At most one commit.
    public func calibrate(
        _ target: TraceCalibration.Target, channel name: String, by correction: ChannelCorrection, note: String = "",
        author: String? = nil
    ) async throws -> Written<TraceCalibration> {
        let channel = try channel(named: name, of: target)
        let calibration = TraceCalibration(target, Calibration.Item(channel.name, channel.unit, correction))
        let kind = Metering.calibration.name
        return try await write(note: note, author: author) { batch in
            if try batch.record(kind, calibration.id)?.isVisible == false { try batch.restore(kind, calibration.id) }
            try batch.set(kind, calibration.id, calibration.assignments)
            return calibration
        }
    }

    /// Removes the calibrations of a channel of `target`, whatever its unit. The value is what was removed; it can be
    /// calibrated again.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is none.
    /// - Complexity: At most one commit.
    public func removeCalibrations(
        _ target: TraceCalibration.Target, channel name: String, note: String = "", author: String? = nil
    ) async throws -> Written<[TraceCalibration]> {
        let found = try calibrations().filter { $0.target == target && $0.item.name == name }
        guard !found.isEmpty else {
            throw StoreError(
                .notFound, "There is no such calibration of \(name).",
                hint: "To see them: \(.list(.calibrations))")
        }
        return try await write(note: note, author: author) { batch in
            for calibration in found { try batch.remove(Metering.calibration.name, calibration.id) }
            return found
        }
    }

    /// Returns the channel of this name that a trace of `target` has, the latest one first.
    private func channel(named name: String, of target: TraceCalibration.Target) throws -> Channel {
        let traces: [RecordID]
        switch target {
        case .trace(let id):
            guard try record(Metering.trace.name, id)?.isVisible == true else { throw Self.noTrace(id) }
            traces = [id]
        case .meter(let meter, _):
            traces = try self.traces().filter { $0.meter == meter }.map(\.id).reversed()
            guard !traces.isEmpty else {
                throw StoreError(
                    .notFound, "There is no trace of the meter \(meter).",
                    hint: "A meter can be calibrated when it has a trace: its channels are known then.")
            }
        }
        var known: [String] = []
        for trace in traces {
            let channels = try summary(of: trace, showing: .measured).channels.map(\.channel)
            if let channel = channels.first(where: { $0.name == name }) { return channel }
            known += channels.map(\.name).filter { !known.contains($0) }
        }
        throw StoreError(
            .usage, "There is no channel \(name).", hint: "The channels are \(known.joined(separator: ", ")).")
    }
}
