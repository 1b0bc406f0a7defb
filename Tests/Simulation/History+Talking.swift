import GroundwaveEventLog
import GroundwaveEvents
import GroundwavePeering
import GroundwaveReplication

/// What goes wrong with one connection.
private struct Line {
    /// After so many bytes nothing more comes through.
    var cutAfter = Int.max
    /// What somebody does to the bytes of one message on their way; and to which.
    var damage: Damage?
    var damagedPiece = 0

    enum Damage: CaseIterable { case garbage, flip, again }
}

extension History {
    /// Two devices are connected for a while.
    mutating func talk(_ left: Device<Log>, _ right: Device<Log>) throws {
        guard left !== right else { return }
        guard left.group == right.group else { return truth.met(.partition) }
        var line = Line()
        if numbers.happens(plan.faultPercent) {
            switch numbers.number(0...3) {
            case 0, 1: line.cutAfter = numbers.number(0...3000)
            case 2:
                line.damage = numbers.pick(Line.Damage.allCases)
                line.damagedPiece = numbers.number(0...8)
            default: numbers.pick([left, right]).mishap = numbers.pick([.commitFailed, .powerWent])
            }
        }
        let isWriting = numbers.happens(10)
        defer { (left.mishap, right.mishap) = (nil, nil) }
        try converse([left, right], line, isWriting: isWriting)
    }

    /// Two devices are connected until neither has anything to say.
    mutating func talkInPeace(_ left: Device<Log>, _ right: Device<Log>) throws {
        try converse([left, right], Line(), isWriting: false)
    }

    private mutating func converse(_ sides: [Device<Log>], _ line: Line, isWriting: Bool) throws {
        truth.tell("devices \(sides[0].number) and \(sides[1].number) talk, \(line)")
        for device in sides { truth.tell(device.summary) }
        var runners: [SessionRunner<Device<Log>>] = []
        for device in sides {
            let arrival = device.arrival(at: time)
            runners.append(
                try SessionRunner(device, as: device.identity, checkSignature: signing.checkHead, now: { arrival }))
        }
        var underway: [[UInt8]] = [[], []]
        for side in 0..<2 { underway[1 - side] += try runners[side].start() }
        var (carried, pieces) = (0, 0)
        while carried < line.cutAfter, !(underway[0].isEmpty && underway[1].isEmpty) {
            let side = underway[0].isEmpty ? 1 : underway[1].isEmpty ? 0 : numbers.number(0...1)
            var bytes = underway[side]
            if numbers.happens(25) { bytes = Array(bytes.prefix(numbers.number(1...600))) }
            if carried + bytes.count > line.cutAfter { bytes = Array(bytes.prefix(line.cutAfter - carried)) }
            underway[side].removeFirst(bytes.count)
            carried += bytes.count
            if let damage = line.damage, pieces == line.damagedPiece { spoil(&bytes, damage) }
            pieces += 1
            do { underway[1 - side] += try runners[side].received(bytes) } catch let mishap as Mishap {
                return try end(mishap, on: sides[side])
            }
            if isWriting, pieces == 3 {
                let writer = numbers.number(0...1)
                let identity = sides[writer].identity.replica
                try write(on: sides[writer])
                // Who was started again, or writes under another name, begins another conversation.
                guard sides[writer].identity.replica == identity, sides[writer].mishap == nil else { return }
                underway[1 - writer] += try runners[writer].logChanged()
            }
        }
        if carried >= line.cutAfter { truth.met(.cutConnection) }
        guard line.damage == nil, line.cutAfter == .max else { return }
        let endings = runners.compactMap(\.ending)
        // Who learns that it was put back goes on under another name, and talks again.
        if endings.contains(.close(Session.newName)) { return }
        guard endings.isEmpty else {
            throw BrokenPromise("Devices \(sides[0].number) and \(sides[1].number), both honest, part: \(endings)")
        }
        guard runners.allSatisfy(\.session.isDone) else { throw BrokenPromise("Two stores do not come to an end.") }
    }

    private mutating func spoil(_ bytes: inout [UInt8], _ damage: Line.Damage) {
        truth.met(.garbage)
        switch damage {
        case .garbage: bytes += (0..<numbers.number(1...40)).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
        case .flip: bytes[numbers.number(0...bytes.count - 1)] ^= UInt8(1 << numbers.number(0...7))
        case .again: bytes += bytes
        }
    }

    private func end(_ mishap: Mishap, on device: Device<Log>) throws {
        switch mishap {
        case .commitFailed: truth.tell("the disk of device \(device.number) is full")
        case .powerWent: try device.crash()
        }
    }
}
