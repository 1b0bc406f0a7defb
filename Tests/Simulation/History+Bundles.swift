import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

extension History {
    /// Somebody copies some ranges from a device: onto a stick, into a mail.
    mutating func bundle(from device: Device<Log>) throws {
        var bundle: [[UInt8]] = []
        let proven = try device.log.provenVector(signedBy: device.identity)
        for entry in proven.entries where numbers.happens(70) {
            var next = UInt64(numbers.number(1...Int(entry.sequence)))
            while next <= entry.sequence {
                let frame = try device.log.frame(
                    of: EventRange(entry.replica, next, through: entry.sequence), signedBy: device.identity,
                    preferredBytes: numbers.pick([1, 500, 2000]))
                guard let frame, bundle.count < 12 else { break }
                bundle.append(frame.bytes)
                next = frame.range.last + 1
            }
        }
        for frame in try device.log.retainedFrames() where numbers.happens(50) { bundle.append(frame.bytes) }
        guard !bundle.isEmpty else { return }
        bundles.append(bundle)
        if bundles.count > 6 { bundles.removeFirst() }
    }

    /// A device gets some of the ranges that somebody carries, in any order.
    mutating func deliver(to device: Device<Log>) throws {
        guard !bundles.isEmpty else { return }
        var ranges = numbers.pick(bundles).filter { _ in numbers.happens(80) }
        if numbers.happens(50) { ranges.shuffle(using: &numbers) }
        if numbers.happens(30) { ranges += ranges.prefix(2) }
        if numbers.happens(plan.faultPercent / 2), !ranges.isEmpty { try hurt(numbers.pick(ranges)) }
        if numbers.happens(5) { device.mishap = numbers.pick([.commitFailed, .powerWent]) }
        defer { device.mishap = nil }
        truth.tell("device \(device.number) gets \(ranges.count) ranges that were carried")
        while !ranges.isEmpty {
            let group = ranges.prefix(numbers.number(1...4))
            ranges.removeFirst(group.count)
            let frames = try group.map {
                try RangeFrame(reading: $0, of: device.log.id, checkSignature: signing.checkHead)
            }
            do { _ = try device.receive(frames, arrival: device.arrival(at: time)) } catch Mishap.commitFailed {
                return
            } catch Mishap.powerWent { return try device.crash() }
        }
    }

    /// A range that is cut short or has a byte changed is no range.
    private mutating func hurt(_ bytes: [UInt8]) throws {
        var bytes = bytes
        if numbers.happens(50) {
            bytes = Array(bytes.prefix(numbers.number(0...bytes.count - 1)))
        } else {
            bytes[numbers.number(0...bytes.count - 1)] ^= UInt8(1 << numbers.number(0...7))
        }
        truth.met(.truncation)
        do {
            _ = try RangeFrame(reading: bytes, of: devices[0].log.id, checkSignature: signing.checkHead)
        } catch { return }
        throw BrokenPromise("A range that was hurt on its way is believed.")
    }
}
