import GroundwaveEvents

extension History {
    private static var year: Int64 { 365 * 24 * 3600 * 1000 }

    /// The clock of a device is set: right, wrong by minutes, or by up to ten years.
    mutating func setClock(of device: Device<Log>) {
        switch numbers.number(0...3) {
        case 0: device.clockError = 0
        case 1: device.clockError = Int64(numbers.number(-600_000...600_000))
        default:
            device.clockError = Int64(numbers.number(-1000...1000)) * Self.year / 100
        }
        truth.tell("the clock of device \(device.number) is wrong by \(device.clockError / 1000) s")
    }

    /// Some devices cannot reach the others any more; or all can again.
    mutating func part() {
        let groups = numbers.pick([1, 1, 2, 3])
        for device in devices { device.group = numbers.number(0...groups - 1) }
        for place in places.indices { places[place].group = numbers.number(0...groups - 1) }
    }

    /// An older copy of the disk takes the place of the present one.
    mutating func restore(_ device: Device<Log>) throws {
        guard let backup = backups[device.number] else { return }
        let isNoticed = numbers.happens(50)
        let before = try device.log.lastPosition()
        let replica = device.identity.replica
        // What it had learnt of itself is forgotten too.
        let knew = device.mustRenew
        try backup.restore(to: device, isNoticed: isNoticed)
        truth.tell("device \(device.number) is put back, and \(isNoticed ? "notices" : "does not notice")")
        let isBehind = try device.log.lastPosition() < before
        guard isBehind || device.identity.replica != replica || knew else { return }
        if isNoticed {
            truth.met(.restoreNoticed)
        } else {
            truth.met(.restoreUnnoticed)
            truth.allowFork(of: device.identity.replica)
        }
    }

    /// A disk is copied to another device; both go on.
    mutating func clone(_ device: Device<Log>) throws {
        guard devices.count < 7 else { return }
        let isNoticed = numbers.happens(30)
        let twin = Device(
            number: deviceCount, log: device.log, identity: device.identity, places: plan.placeCount,
            signing: signing, truth: truth)
        deviceCount += 1
        try Backup(of: device).restore(to: twin, isNoticed: isNoticed)
        devices.append(twin)
        truth.tell("device \(device.number) is copied to \(twin.number), which \(isNoticed ? "notices" : "does not")")
        truth.met(.clone)
        if !isNoticed { truth.allowFork(of: device.identity.replica) }
    }

    /// A device is gone for good.
    mutating func lose(_ device: Device<Log>) {
        guard devices.count > 2 else { return }
        devices.removeAll { $0 === device }
        truth.met(.lostDevice)
        truth.tell("device \(device.number) is lost")
    }
}
