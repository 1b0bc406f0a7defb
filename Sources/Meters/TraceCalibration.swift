import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords

/// Which values of a trace a reader gets.
public enum TraceValues: Hashable, Sendable, CaseIterable {
    /// What was measured, corrected by the calibration of the trace: see ``Reading/calibration(of:)``.
    case calibrated
    /// What was measured.
    case measured
}

/// A calibration of one channel, as it is kept: what it holds for, and the correction.
public struct TraceCalibration: Hashable, Sendable {
    /// What a calibration holds for.
    public enum Target: Hashable, Sendable {
        /// One trace, whatever is said of its meter.
        case trace(RecordID)
        /// The traces of a meter whose first row is at `from` or later, in milliseconds since 1970; all of them if `nil`.
        case meter(MACAddress, from: Int64?)
    }

    /// Its record, of the kind `calibration`.
    public let id: RecordID
    /// What it holds for.
    public let target: Target
    /// The channel and its correction.
    public let item: Calibration.Item

    init(_ target: Target, _ item: Calibration.Item) {
        (self.target, self.item) = (target, item)
        id = Metering.calibrationID(target.text, item.name, item.unit)
    }

    /// Reads the calibration from `record`; `nil` if it is none that this version can apply.
    init?(_ record: Record) {
        let fields = Dictionary(
            Metering.calibration.values(of: record).map { ($0.name, String(decoding: $0.value, as: UTF8.self)) },
            uniquingKeysWith: { first, _ in first })
        guard let name = fields["CHANNEL"], let unit = Channel.Unit(rawValue: fields["UNIT"] ?? ""),
            let factor = DecimalNumber(fields["FACTOR"] ?? "1"), let offset = DecimalNumber(fields["OFFSET"] ?? "0"),
            let correction = ChannelCorrection(factor: factor, offset: offset)
        else { return nil }
        if let trace = fields["TRACE"].flatMap({ RecordID(text: $0) }) {
            target = .trace(trace)
        } else if let meter = fields["METER"].flatMap({ MACAddress($0) }) {
            if let from = fields["FROM"] {
                guard let start = Int64(from) else { return nil }
                target = .meter(meter, from: start)
            } else {
                target = .meter(meter, from: nil)
            }
        } else {
            return nil
        }
        (id, item) = (record.id, Calibration.Item(name, unit, correction))
    }

    /// The fields of its record.
    var assignments: [Assignment] {
        var assignments: [Assignment] = []
        switch target {
        case .trace(let trace): assignments.append(Assignment("TRACE", text: "\(trace)"))
        case .meter(let meter, let from):
            assignments.append(Assignment("METER", text: "\(meter)"))
            if let from { assignments.append(Assignment("FROM", text: "\(from)")) }
        }
        assignments.append(Assignment("CHANNEL", text: item.name))
        if item.unit != .none { assignments.append(Assignment("UNIT", text: item.unit.rawValue)) }
        return assignments + [
            Assignment("FACTOR", text: "\(item.correction.factor)"),
            Assignment("OFFSET", text: "\(item.correction.offset)"),
        ]
    }

    /// How closely it fits `trace`, which began at `start`; `nil` if it does not hold for it. Of several, the greatest
    /// counts.
    private func fit(_ trace: Trace, _ start: Int64?) -> (isOwn: Int, from: Int64)? {
        switch target {
        case .trace(let id): return id == trace.id ? (1, 0) : nil
        case .meter(let meter, let from):
            guard meter == trace.meter else { return nil }
            guard let from else { return (0, .min) }
            guard let start, start >= from else { return nil }
            return (0, from)
        }
    }

    /// Whether it depends on when `trace` began if it holds for it.
    func needsStart(of trace: Trace) -> Bool {
        if case .meter(let meter, .some) = target { meter == trace.meter } else { false }
    }

    /// Returns the calibration of `trace`, which began at `start`, by `all` calibrations: its own of a channel, else the
    /// latest of its meter.
    static func calibration(of trace: Trace, began start: Int64?, by all: [TraceCalibration]) -> Calibration {
        let fitting = all.compactMap { calibration in
            calibration.fit(trace, start).map { (fit: $0, calibration: calibration) }
        }
        return Calibration(
            fitting.sorted { one, other in
                one.fit == other.fit ? one.calibration.id < other.calibration.id : one.fit > other.fit
            }.map(\.calibration.item))
    }
}

extension TraceCalibration.Target {
    /// See ``Metering/calibrationID(_:_:_:)``.
    fileprivate var text: String {
        switch self {
        case .trace(let id): "\(id)"
        case .meter(let meter, let from): from.map { "\(meter)@\($0)" } ?? "\(meter)"
        }
    }
}
