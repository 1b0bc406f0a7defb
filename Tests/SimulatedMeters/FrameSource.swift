import GroundwaveSeededNumbers

/// Makes the frames of one meter, one after the other.
struct FrameSource: Sendable {
    /// A frame and the rows in it.
    struct Frame: Sendable {
        var bytes: [UInt8]
        var rows: [(measured: Double, tick: Int64?, values: [Int64])]
        /// The milliseconds between two rows.
        var spacing: Double
        /// The number of its rows that are in it twice.
        var repeatCount = 0
    }

    private let family: Family
    private var number: Int64 = 0
    private var frameNumber = 0
    private let frameCount: Int
    /// The counter of the last sample, and its moment.
    private var tick: Int64
    private var moment: Double?
    /// The milliseconds of the host in one of the meter.
    private let pace: Double

    init(_ family: Family, frameCount: Int, _ numbers: inout SeededGenerator) {
        (self.family, self.frameCount) = (family, frameCount)
        // It wraps early.
        tick = 65_536 - .random(in: 200...4_000, using: &numbers)
        pace = 1 + .random(in: -30e-6...30e-6, using: &numbers)
    }

    /// The ticks between two samples, and the number of samples in a frame: a KM003C changes its rate in the middle.
    private var queue: (step: Int64, count: Int64) {
        switch frameNumber * 6 / frameCount {
        case 0, 1, 4: (1, 40)
        case 2, 5: (20, 2)
        default: (100, 2)
        }
    }

    /// The frames with which a KM003C that sends `count` changes its rate.
    static func turns(of count: Int) -> [Int] { [2, 3, 4, 5].map { ($0 * count + 5) / 6 } }

    /// The milliseconds from the last frame to the next one.
    var interval: Double { family.hasCounter ? Double(queue.step * queue.count) : Double(family.interval) }

    /// Makes the next frame, the last row of which is measured at `time`, if the meter's own clock does not say when.
    mutating func next(at time: Double, transaction: Int64, _ fate: Fate) -> Frame {
        defer { frameNumber += 1 }
        switch family {
        case .um24c, .um25c, .um34c: return single(Frames.um(family, next()), time)
        case .tc66c: return single(Frames.tc66(next()), time)
        case .fnirsiBluetooth: return single(Frames.notification(next()), time)
        case .km003cReadings: return single(Frames.reading(next(), transaction: transaction), time)
        case .atorch: return single(Frames.atorch(next()), time)
        case .fnirsiUSB:
            let (bytes, values) = Frames.report((0..<4).map { _ in next() })
            let rows = values.enumerated().map { place, values in
                (measured: time - Double(30 - 10 * place), tick: Int64?.none, values: values)
            }
            return Frame(bytes: bytes, rows: rows, spacing: 10)
        case .km003cQueue: return samples(at: time, transaction: transaction + Int64(frameNumber % 64), fate)
        }
    }

    /// Measures for so many milliseconds, and returns the number of rows that nobody gets.
    mutating func skip(_ milliseconds: Int64) -> Int {
        let count = milliseconds / queue.step
        tick += count * queue.step
        moment = moment.map { $0 + Double(count * queue.step) * pace }
        number += count
        return Int(count)
    }

    private mutating func next() -> Measured {
        defer { number += 1 }
        return Measured(family, number)
    }

    private func single(_ frame: (bytes: [UInt8], values: [Int64]), _ time: Double) -> Frame {
        Frame(bytes: frame.bytes, rows: [(time, nil, frame.values)], spacing: Double(family.interval))
    }

    private mutating func samples(at time: Double, transaction: Int64, _ fate: Fate) -> Frame {
        let (step, count) = queue
        var samples: [(row: Measured, tick: Int64)] = []
        var moments: [Double] = []
        for _ in 0..<count {
            tick += step
            let now = moment.map { $0 + Double(step) * pace } ?? time - Double(step * (count - 1))
            moment = now
            samples.append((next(), tick))
            moments.append(now)
        }
        let repeatCount = fate == .stuttering && count > 10 ? 10 : 0
        let sent = samples.enumerated().flatMap { $0 < repeatCount ? [$1, $1] : [$1] }
        let bytes = Frames.queue(sent, transaction: transaction).bytes
        let values = Frames.queue(samples, transaction: transaction).values
        let rows = zip(samples, zip(moments, values)).map { (measured: $1.0, tick: Int64?($0.tick), values: $1.1) }
        return Frame(bytes: bytes, rows: rows, spacing: Double(step), repeatCount: repeatCount)
    }
}
