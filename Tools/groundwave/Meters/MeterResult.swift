import Groundwave
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveWording

/// A meter as JSON.
struct MeterResult: Encodable {
    struct Lease: Encodable {
        var device: String
        var replica: String
        var term: UInt64
        var connectedAt: String
        var expires: String
        var held: Bool
    }

    var mac: String
    var name: String
    var model: String?
    var temperatureUnit: String?
    var samples: String?
    var updatedAt: String
    var lease: Lease?

    init(_ meter: Meter) {
        mac = meter.address.description
        name = meter.name
        model = meter.model?.rawValue
        temperatureUnit = meter.temperatureUnit?.rawValue
        samples = meter.sharing?.rawValue
        updatedAt = UTCText.milliseconds(meter.updated)
        lease = meter.lease.map {
            Lease(
                device: $0.device, replica: "\($0.replica)", term: $0.term,
                connectedAt: UTCText.milliseconds($0.since), expires: UTCText.milliseconds($0.expires),
                held: $0.isHeld)
        }
    }

    /// Who has the meter, in words.
    static func state(_ meter: Meter) -> String {
        guard let lease = meter.lease, lease.isHeld else { return "free" }
        return "reserved by \(lease.device) until \(TimeText.milliseconds(lease.expires))"
    }
}
