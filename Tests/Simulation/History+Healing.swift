import GroundwaveEvents

extension History {
    /// Everybody meets everybody, and nothing goes wrong any more, until nobody has any news.
    mutating func heal() async throws {
        truth.tell("everybody meets")
        for device in devices { device.mishap = nil }
        let most = 4 * devices.count + 4
        var round = 0
        var hasNews = true
        while hasNews {
            guard round < most else { throw BrokenPromise("Devices that meet do not come to rest.") }
            hasNews = try await meet(plan.healing, round)
            round += 1
        }
    }

    private mutating func meet(_ healing: Plan.Healing, _ round: Int) async throws -> Bool {
        time += 60_000
        for device in devices {
            device.hasNews = false
            // Else it would end each conversation at the first event of its own that it had not.
            if device.mustRenew { try device.renew(as: newIdentity()) }
        }
        var hasLeft = false
        if healing != .place {
            for left in devices.indices {
                for right in devices.indices where left < right && (healing != .line || right == left + 1) {
                    try talkInPeace(devices[left], devices[right])
                }
            }
        }
        if healing == .place || healing == .both {
            for device in devices { hasLeft = try await lookInPeace(device, at: 0) || hasLeft }
        }
        return hasLeft || devices.contains { $0.hasNews }
    }
}
