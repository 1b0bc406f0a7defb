import GroundwaveEvents

/// A copy of the disk of a device.
struct Backup<Log: SimulatedLog> {
    private let log: Log
    private let identity: Identity
    private let savedView: SavedView?
    private let notes: [[UInt8]]
    private let promised: Set<Hash256>
    private let mustRenew: Bool
    private let latestTime: Int64

    init(of device: Device<Log>) throws {
        log = try device.log.copy()
        identity = device.identity
        savedView = device.savedView
        notes = device.notes
        mustRenew = device.mustRenew
        latestTime = device.latestTime
        promised = device.promised
    }

    /// Puts the copy in the place of what is there. Memory is gone; the clock is the device's own.
    func restore(to device: Device<Log>, isNoticed: Bool) throws {
        device.log = try log.copy()
        device.identity = identity
        device.savedView = savedView
        device.notes = notes
        device.promised = promised
        device.mustRenew = mustRenew || isNoticed
        device.latestTime = max(device.latestTime, latestTime)
        device.vector = try device.log.vector()
        try device.start()
    }
}
