import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveReplication

extension History {
    /// A device looks at a place.
    mutating func look(_ device: Device<Log>, at number: Int) async throws {
        let place = places[number]
        guard place.group == device.group else { return truth.met(.partition) }
        let isFaulty = numbers.happens(plan.faultPercent)
        place.setFaults(isFaulty ? numbers.pick([5, 30]) : 0)
        if isFaulty, numbers.happens(50) { device.mishap = numbers.pick([.commitFailed, .powerWent]) }
        try await runPass(
            device, number, isPushing: numbers.happens(90), isFull: numbers.happens(10),
            losesNotes: numbers.happens(5))
        device.mishap = nil
        for fault in place.met { truth.met(fault) }
        place.setFaults(0)
    }

    /// A device looks at everything, and nothing goes wrong. Returns whether it has left something.
    mutating func lookInPeace(_ device: Device<Log>, at number: Int) async throws -> Bool {
        let report = try await runPass(device, number, isPushing: true, isFull: true, losesNotes: false)
        return report.sentEvents > 0
    }

    @discardableResult
    private mutating func runPass(
        _ device: Device<Log>, _ number: Int, isPushing: Bool, isFull: Bool, losesNotes: Bool
    ) async throws -> SyncPassReport {
        truth.tell("device \(device.number) looks at place \(number)")
        let arrival = device.arrival(at: time)
        var pass = SyncPass(
            device, as: device.identity, at: places[number].transport,
            cache: RemoteCache(reading: device.notes[number]), checkSignature: signing.checkHead,
            isValid: signing.isValid, now: { arrival })
        // Early, so that short histories have packs.
        (pass.packing.keptSegments, pass.packing.segments) = (1, 2)
        do { try await pass.run(isPushing: isPushing, isFull: isFull) } catch is TransportError {
            truth.note(1)
        } catch let error as RemoteError
            where [.notARemote, .notReady].contains(error) && places[number].met.contains(.truncation)
        {
            truth.note(3)
        } catch Mishap.commitFailed {
            truth.note(2)
        } catch Mishap.powerWent {
            // Nobody could note what was done.
            try device.crash()
            return pass.report
        }
        if losesNotes {
            truth.met(.lostNotes)
            try device.crash()
        } else {
            device.notes[number] = pass.cache.bytes
        }
        let report = pass.report
        let next = pass.cache.next.sorted { $0.key < $1.key }.map { "\($0.key.short):\($0.value)" }
        truth.tell("  then knows segments to \(next.joined(separator: " ")), \(report.quarantined.values.sorted())")
        truth.note(report.sentEvents, UInt64(report.requestCount), UInt64(report.receivedBytes))
        return report
    }
}
